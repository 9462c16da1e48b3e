#include "pages/template.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "pages/template_parser.h"

namespace svc::pages {
namespace {

std::string problem_of(std::string_view text) {
  try {
    parse_template("page.tpl", text);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST(Template, PlacesThatEscapingDoesNotMakeSafeTakeNoValues) {
  struct Case {
    std::string_view text;
    std::string_view says;
  };
  for (const Case& c : {
           Case{"<p>{{NAME}}</p>", ""},
           Case{"<a title=\"{{NAME}}\" href=\"{{URL}}?x={{NAME}}\">", ""},
           Case{"<option{{#SELECTED}} selected{{/SELECTED}}>", ""},
           Case{"<p class=\"{{#WIDE}}wide{{/WIDE}}\">", ""},
           Case{"<p title={{NAME}}>", "not in double quotes"},
           Case{"<p title='{{NAME}}'>", "not in double quotes"},
           Case{"<{{NAME}}>", "neither in a text nor in a quoted value"},
           Case{"<p {{NAME}}>", "neither in a text nor in a quoted value"},
           Case{"<p data-{{NAME}}=\"\">", "neither in a text nor in a quoted value"},
           Case{"<!-- {{NAME}} -->", "neither in a text nor in a quoted value"},
           Case{"<script>{{NAME}}</script>", "neither in a text nor in a quoted value"},
           Case{"<style>{{NAME}}</style>", "neither in a text nor in a quoted value"},
           Case{"<script></script>{{NAME}}", ""},
           Case{"<p onclick=\"{{NAME}}\">", "onclick, which takes no values"},
           Case{"<p STYLE=\"color: {{NAME}}\">", "style, which takes no values"},
           Case{"<iframe srcdoc=\"{{NAME}}\">", "srcdoc, which takes no values"},
           Case{"<p title=\"{{>PART}}\">", "not between elements"},
       }) {
    const std::string problem = problem_of(c.text);
    EXPECT_EQ(problem.empty(), c.says.empty()) << c.text << ": " << problem;
    EXPECT_NE(problem.find(c.says), std::string::npos) << c.text << ": " << problem;
  }
}

TEST(Template, MarksThatDoNotMatchAreRefusedWithTheirLine) {
  struct Case {
    std::string_view text;
    std::string_view says;
  };
  for (const Case& c : {
           Case{"\n\n{{#A}}x", "page.tpl:3: {{/A}} is missing"},
           Case{"{{/A}}", "{{/A}} ends nothing"},
           Case{"{{#A}}{{#B}}{{/A}}{{/B}}", "{{/A}} ends nothing"},
           Case{"{{A", "}} is missing"},
           Case{"{{a}}", "is not of the syntax"},
           Case{"{{A:none}}", "is not of the syntax"},
           Case{"{{@NOWHERE}}", "no path is named NOWHERE"},
           Case{"{{#A}}<p{{/A}}>", "ends in another place"},
           Case{"{{#A}}<script>{{/A}}", "ends in another place"},
           Case{"<p title=\"", "the end is inside"},
           Case{"{{_}}words", "{{/_}} is missing"},
           Case{"{{_}}{{#A}}{{/A}}{{/_}}", "placeholders and markup only"},
       }) {
    EXPECT_NE(problem_of(c.text).find(c.says), std::string::npos)
        << c.text << ": " << problem_of(c.text);
  }
}

// A page whose text and attributes take values of others.
std::string frame_problem(std::string_view title, std::string_view embed_host) {
  Values values;
  values.set("TITLE", title).set("EMBED_HOST", embed_host);
  return values.expand("frame_problem.tpl");
}

TEST(Template, ValuesAreEscapedUnlessTheyAreHtml) {
  EXPECT_NE(
      frame_problem("<b>\"&'\x01\xff", "").find("<h1>&lt;b&gt;&quot;&amp;&#39;\ufffd\ufffd</h1>"),
      std::string::npos);
  Values values;
  values.set("TITLE", Html("<b>bold</b>"));
  EXPECT_NE(values.expand("frame_problem.tpl").find("<h1><b>bold</b></h1>"), std::string::npos);
  values.set("EMBED_HOST", Html("<b>"));
  EXPECT_THROW(values.expand("frame_problem.tpl"), std::logic_error);
}

TEST(Template, LinksLeadToTheWebOnly) {
  const auto link = [](std::string_view url) {
    const std::string page = frame_problem("", url);
    const std::size_t begin = page.find("stylesheet\" href=\"") + 18;
    return page.substr(begin, page.find("/assets", begin) - begin);
  };
  for (const std::string_view good :
       {"https://example.org", "HTTP://example.org", "", "/settings", "?page=2:3", "#a:b"})
    EXPECT_EQ(link(good), good);
  for (const std::string_view bad :
       {"javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)",
        "java\nscript:alert(1)", "\x01javascript:alert(1)", "data:text/html,x", "vbscript:x",
        "blob:x"})
    EXPECT_EQ(link(bad), "about:invalid") << bad;
}

TEST(Template, LinesWithNothingButAMarkLeaveNothing) {
  const std::vector<TemplateNode> nodes =
      parse_template("page.tpl", "<p>\n  \n {{#A}} \nx\n{{/A}}\n</p>\n");
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].text, "<p>\n");
  ASSERT_EQ(nodes[1].children.size(), 1u);
  EXPECT_EQ(nodes[1].children[0].text, "x\n");
  EXPECT_EQ(nodes[2].text, "</p>\n");
}

}  // namespace
}  // namespace svc::pages
