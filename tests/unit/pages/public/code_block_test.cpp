#include "pages/public/code_block.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace svc::pages {
namespace {

// The text of the code element, as a browser has it.
std::string text_of(const Html& block) {
  std::string text = block.source();
  text = text.substr(text.find('>', text.find("<code")) + 1);
  text = text.substr(0, text.find("</code>"));
  text = std::regex_replace(text, std::regex("</?span[^>]*>"), "");
  for (const auto& [entity, character] :
       {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
    text = std::regex_replace(text, std::regex(entity), character);
  return text;
}

TEST(CodeBlock, HasExactlyTheCode) {
  struct Case {
    CodeKind kind;
    std::string code;
  };
  for (const Case& c : {
           Case{CodeKind::Html,
                "<!-- it's --><p class=\"a &amp; b\">don't</p>\n<script>\n  // it's\n"
                "  const a = `x ${y}` + 'it\\'s';\n</script>"},
           Case{CodeKind::Script, "// a 'comment'\nawait play('x'); // more\nlet b = \"open"},
           Case{CodeKind::Shell,
                "# a \"comment\"\ncurl \"$url\" | sed -n \"s/\\\"$1//p\" # no\n\\"},
           Case{CodeKind::Header, "Content-Security-Policy: script-src 'none'"},
           Case{CodeKind::Json, "{\n  \"a\": \"b\\\"\"\n}"},
           Case{CodeKind::Html, "<"},
           Case{CodeKind::Script, "'"},
           Case{CodeKind::Script, "'\\"},
       })
    EXPECT_EQ(text_of(code_block(c.kind, "id", c.code)), c.code);
}

TEST(CodeBlock, MarksCommentsStringsAndWords) {
  EXPECT_EQ(
      code_block(CodeKind::Script, "a", "const b = 'c'; // d").source(),
      "<div class=\"block\"><pre><code class=\"script\" id=\"a\"><span class=\"k\">const</span> "
      "b = <span class=\"s\">&#39;c&#39;</span>; <span class=\"c\">// d</span></code></pre>"
      "<button type=\"button\" class=\"copy\" data-copy=\"a\" hidden>Copy</button></div>");
}

}  // namespace
}  // namespace svc::pages
