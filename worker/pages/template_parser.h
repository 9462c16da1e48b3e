// template_parser: a template's text becomes nodes that know their HTML context. The syntax:
// template.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::pages {

// What surrounds a placeholder.
enum class Context {
  Text,
  Attribute,
  Url
};  // Url: at the beginning of the value of a URL attribute

// Where a template is in its HTML.
struct HtmlPosition {
  enum class In { Text, TagName, Tag, AttributeName, Value, Comment, Raw };
  In in = In::Text;
  std::string tag{};        // in a tag, and in Raw, the content of a script or style
  std::string attribute{};  // its name; while in its value
  bool value_begins{};      // nothing of the value was read yet

  bool operator==(const HtmlPosition&) const = default;
};

struct TemplateNode {
  enum class Kind { Literal, Value, Section, Include, Translated };
  Kind kind;
  std::string text;                      // the literal, the name, or the text for translators
  Context context{};                     // for a Value
  HtmlPosition position{};               // of Translated: where it begins
  std::vector<TemplateNode> children{};  // of Section and Translated
  int line = 0;
};

// Throws std::logic_error, which begins with `file` and the line. `from`: the context in which the
// text is inserted.
std::vector<TemplateNode> parse_template(std::string_view file, std::string_view text,
                                         const HtmlPosition& from = {});

}  // namespace svc::pages
