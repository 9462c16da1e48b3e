#include "text/markup.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace svc::text {
namespace {

using namespace std::string_view_literals;

TEST(HtmlEscape, EscapesWhatEndsAnAttributeATagOrALine) {
  for (const auto& [text, escaped] :
       {std::pair(R"(a&b<c>d"e'f)"sv, "a&amp;b&lt;c&gt;d&quot;e&#39;f"sv),
        {"&lt;&#39;"sv, "&amp;lt;&amp;#39;"sv},
        {"a\nb\tc\0d\re\x1b\x7f\xc3\xa9"sv, "a&#10;b&#9;c\ufffdd\ufffde\ufffd\ufffd\xc3\xa9"sv}}) {
    std::string out = "before ";
    append_html_escaped(out, text);
    EXPECT_EQ(out, "before " + std::string(escaped));
  }
}

TEST(XmlEscape, KeepsOnlyCharactersThatXmlAllows) {
  struct Case {
    std::string_view name, text, escaped;
  };
  for (const Case& c : {
           Case{"nothing", "", ""},
           Case{"what begins or ends markup", "a&b<c>]]>", "a&amp;b&lt;c&gt;]]&gt;"},
           Case{"quotes may stand between tags", "\"'", "\"'"},
           Case{"tab and line feed stay", "a\tb\nc", "a\tb\nc"},
           Case{"a carriage return is written, or it would be read as a line feed", "\r\n",
                "&#13;\n"},
           Case{"control characters are dropped", "a\0\x01\x08\x0b\x0c\x0e\x1f"sv, "a"},
           Case{"DEL is allowed", "\x7f", "\x7f"},
           Case{"C1 control characters are allowed", "\xc2\x85", "\xc2\x85"},
           Case{"U+FFFE and U+FFFF are dropped",
                "a\xef\xbf\xbe\xef\xbf\xbf"
                "b",
                "ab"},
           Case{"U+FFFD stays", "\xef\xbf\xbd", "\xef\xbf\xbd"},
           Case{"surrogates are dropped", "a\xed\xa0\x80z", "az"},
           Case{"bytes that are no UTF-8 are dropped one by one", "a\xff\xc3z\xe2\x82", "az"},
           Case{"beyond the basic plane", "😀", "😀"},
       }) {
    SCOPED_TRACE(c.name);
    std::string out;
    append_xml_escaped(out, c.text);
    EXPECT_EQ(out, c.escaped);
  }
}

}  // namespace
}  // namespace svc::text
