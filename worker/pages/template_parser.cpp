#include "pages/template_parser.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/public_paths.h"
#include "base/settings_paths.h"
#include "text/ascii.h"

namespace svc::pages {
namespace {

using In = HtmlPosition::In;
using Kind = TemplateNode::Kind;

// The paths in templates: {{@LOGIN}}.
constexpr std::pair<std::string_view, std::string_view> kPaths[] = {
    {"AUTHORIZE", base::paths::kAuthorize.pattern},
    {"BRAND_STYLE", base::paths::kBrandStyle.pattern},
    {"CONNECTED", base::paths::kConnected.pattern},
    {"DESIGN", base::paths::kDesign.pattern},
    {"DEVELOPERS", base::paths::kDevelopers.pattern},
    {"DEVELOPER_OAUTH", base::paths::kDeveloperOauth.pattern},
    {"EMBED_CODES", base::paths::kEmbedCodes.pattern},
    {"ICON", base::paths::kIcon.pattern},
    {"LOGIN", base::paths::kLogin.pattern},
    {"LOGOUT", base::paths::kLogout.pattern},
    {"MY_APPLICATIONS", base::paths::kMyApplications.pattern},
    {"MY_MEDIA", base::paths::kMyMedia.pattern},
    {"SECOND_FACTOR", base::paths::kSecondFactor.pattern},
    {"SECURITY", base::paths::kSecurity.pattern},
    {"SETTINGS", base::paths::kSettings.pattern},
};

constexpr std::array<std::string_view, 6> kUrlAttributes{"action", "data",   "formaction",
                                                         "href",   "poster", "src"};

// In place of the end of a line that leaves nothing.
constexpr char kLeftOut = '\v';

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'A' && c <= 'Z') || text::is_digit(c) || c == '_';
  });
}

class Parser {
 public:
  Parser(std::string_view file, std::string_view text, HtmlPosition from)
      : file_(file), all_(text), rest_(text), position_(std::move(from)) {}

  std::vector<TemplateNode> parse() {
    const HtmlPosition from = position_;
    std::vector<TemplateNode> nodes = parse_until("");
    if (!same_context(position_, from))
      fail("the end is inside of a tag, an attribute or an element");
    return nodes;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw std::logic_error(std::string(file_) + ":" + std::to_string(line()) + ": " + problem);
  }

  int line() const {
    const std::string_view read = all_.substr(0, all_.size() - rest_.size());
    return 1 + static_cast<int>(
                   std::ranges::count_if(read, [](char c) { return c == '\n' || c == kLeftOut; }));
  }

  // Within a tag, a section may add attributes: <option{{#SELECTED}} selected{{/SELECTED}}>.
  static bool same_context(const HtmlPosition& one, const HtmlPosition& other) {
    const auto is_in_tag = [](const HtmlPosition& position) {
      return position.in == In::TagName || position.in == In::Tag ||
             position.in == In::AttributeName;
    };
    if (is_in_tag(one) && is_in_tag(other)) return one.tag == other.tag;
    return one.in == other.in && one.tag == other.tag && one.attribute == other.attribute;
  }

  // Until {{/name}}, or the end of the text.
  std::vector<TemplateNode> parse_until(std::string_view name) {
    std::vector<TemplateNode> nodes;
    const auto add_literal = [&](std::string_view source) {
      std::string text(source);
      std::erase(text, kLeftOut);
      if (text.empty()) return;
      read_html(text);
      if (nodes.empty() || nodes.back().kind != Kind::Literal)
        nodes.push_back({.kind = Kind::Literal, .text = {}, .line = line()});
      nodes.back().text += text;
    };
    while (true) {
      const std::size_t at = rest_.find("{{");
      add_literal(rest_.substr(0, at));
      if (at == std::string_view::npos) {
        if (!name.empty()) fail("{{/" + std::string(name) + "}} is missing");
        rest_ = {};
        return nodes;
      }
      rest_.remove_prefix(at);
      const std::size_t end = rest_.find("}}");
      if (end == std::string_view::npos) fail("}} is missing");
      const std::string_view mark = rest_.substr(2, end - 2);
      if (mark == "_") {
        nodes.push_back(translated(end + 2));
        continue;
      }
      const std::string_view rest_of_mark = mark.substr(mark.empty() ? 0 : 1);
      if (mark.starts_with('/')) {
        if (rest_of_mark != name || name.empty())
          fail("{{" + std::string(mark) + "}} ends nothing");
        rest_.remove_prefix(end + 2);
        return nodes;
      }
      if (mark.starts_with('@')) {
        const auto* path = std::ranges::find(kPaths, rest_of_mark,
                                             &std::pair<std::string_view, std::string_view>::first);
        if (path == std::end(kPaths)) fail("no path is named " + std::string(rest_of_mark));
        add_literal(path->second);
        rest_.remove_prefix(end + 2);
        continue;
      }
      const bool is_marked = mark.starts_with('#') || mark.starts_with('>');
      const std::string_view named = is_marked ? rest_of_mark : mark;
      if (!is_name(named)) fail("{{" + std::string(mark) + "}} is not of the syntax of templates");
      TemplateNode node{.kind = Kind::Value, .text = std::string(named), .line = line()};
      if (mark.starts_with('#')) {
        node.kind = Kind::Section;
        rest_.remove_prefix(end + 2);
        const HtmlPosition before = position_;
        node.children = parse_until(named);
        if (!same_context(position_, before))
          fail("the section " + node.text + " ends in another place of the HTML than it begins");
        position_.value_begins = before.value_begins;  // it may be left out
      } else if (mark.starts_with('>')) {
        node.kind = Kind::Include;
        if (position_.in != In::Text) fail("{{" + std::string(mark) + "}} is not between elements");
        rest_.remove_prefix(end + 2);
      } else {
        node.context = context_of(node.text);
        position_.value_begins = false;
        rest_.remove_prefix(end + 2);
      }
      nodes.push_back(std::move(node));
    }
  }

  TemplateNode translated(std::size_t mark_length) {
    constexpr std::string_view kEnd = "{{/_}}";
    TemplateNode node{.kind = Kind::Translated, .text = {}, .position = position_, .line = line()};
    rest_.remove_prefix(mark_length);
    const std::size_t end = rest_.find(kEnd);
    if (end == std::string_view::npos) fail("{{/_}} is missing");
    node.text = rest_.substr(0, end);
    node.children = Parser(std::string(file_) + ", a text", node.text, position_).parse();
    for (const TemplateNode& child : node.children) {
      if (child.kind != Kind::Literal && child.kind != Kind::Value)
        fail("a text for translators has placeholders and markup only");
    }
    if (!node.text.empty()) position_.value_begins = false;
    rest_.remove_prefix(end + kEnd.size());
    return node;
  }

  Context context_of(const std::string& name) const {
    if (position_.in == In::Text) return Context::Text;
    if (position_.in != In::Value)
      fail("{{" + name + "}} is neither in a text nor in a quoted value");
    const std::string& attribute = position_.attribute;
    if (attribute.starts_with("on") || attribute == "style" || attribute == "srcdoc" ||
        attribute == "srcset")
      fail("{{" + name + "}} is in the attribute " + attribute + ", which takes no values");
    const bool is_url = std::ranges::find(kUrlAttributes, attribute) != kUrlAttributes.end();
    return is_url && position_.value_begins ? Context::Url : Context::Attribute;
  }

  // Follows the HTML of a literal. This is not a parser of any HTML, but of that of our templates.
  void read_html(std::string_view html) {
    for (std::size_t i = 0; i < html.size(); ++i) {
      const char c = html[i];
      const std::string_view here = html.substr(i);
      switch (position_.in) {
        case In::Text:
          if (here.starts_with("<!--")) {
            position_.in = In::Comment;
          } else if (c == '<') {
            position_ = {.in = In::TagName};
          }
          break;
        case In::Comment:
          if (here.starts_with("-->")) position_ = {}, i += 2;
          break;
        case In::TagName:
          if (is_space(c)) {
            position_.in = In::Tag;
          } else if (c == '>') {
            end_tag();
          } else {
            position_.tag += text::to_lower(here.substr(0, 1));
          }
          break;
        case In::Tag:
          if (c == '>') {
            end_tag();
          } else if (!is_space(c) && c != '/') {
            position_.in = In::AttributeName;
            position_.attribute = text::to_lower(here.substr(0, 1));
          }
          break;
        case In::AttributeName:
          if (here.starts_with("=\"")) {
            position_.in = In::Value;
            position_.value_begins = true;
            ++i;
          } else if (c == '=') {
            fail("the value of " + position_.attribute + " is not in double quotes");
          } else if (c == '>') {
            end_tag();
          } else if (is_space(c)) {
            position_.in = In::Tag;
            position_.attribute.clear();
          } else {
            position_.attribute += text::to_lower(here.substr(0, 1));
          }
          break;
        case In::Value:
          position_.value_begins = false;
          if (c == '"') {
            position_.in = In::Tag;
            position_.attribute.clear();
          }
          break;
        case In::Raw:
          if (here.starts_with("</" + position_.tag)) position_ = {.in = In::TagName};
          break;
      }
    }
  }

  void end_tag() {
    const bool is_raw = position_.tag == "script" || position_.tag == "style";
    position_ = {.in = is_raw ? In::Raw : In::Text, .tag = is_raw ? position_.tag : ""};
  }

  std::string file_;
  std::string_view all_;
  std::string_view rest_;
  HtmlPosition position_;
};

// Without lines that are blank or have a single mark of a section or include: of those the mark
// stays.
std::string without_blank_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::string_view bare = line;
    while (!bare.empty() && is_space(bare.front())) bare.remove_prefix(1);
    while (!bare.empty() && is_space(bare.back())) bare.remove_suffix(1);
    const bool is_mark = bare.starts_with("{{") && bare.size() > 4 &&
                         std::string_view("#/>").find(bare[2]) != std::string_view::npos &&
                         bare.find("}}") == bare.size() - 2;
    if (bare.empty() || is_mark) {
      out.append(bare) += kLeftOut;
    } else {
      out += line;
      if (end != std::string_view::npos) out += '\n';
    }
  }
  return out;
}

}  // namespace

std::vector<TemplateNode> parse_template(std::string_view file, std::string_view text,
                                         const HtmlPosition& from) {
  const std::string lines = without_blank_lines(text);
  return Parser(file, lines, from).parse();
}

}  // namespace svc::pages
