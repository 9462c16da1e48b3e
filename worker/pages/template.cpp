#include "pages/template.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include "pages/template_files.h"
#include "pages/template_parser.h"
#include "text/ascii.h"
#include "text/markup.h"
#include "text/utf8.h"

namespace svc::pages {

struct Values::Data {
  struct Value {
    std::string text;
    bool is_html = false;
  };
  struct Include {
    std::string file;
    std::unique_ptr<Data> values;
  };

  const Data* parent = nullptr;  // only for a section
  std::map<std::string, Value, std::less<>> values{};
  std::map<std::string, std::vector<std::unique_ptr<Data>>, std::less<>> sections{};
  std::map<std::string, std::vector<Include>, std::less<>> includes{};
};

namespace {

using Kind = TemplateNode::Kind;
using Nodes = std::vector<TemplateNode>;

const std::map<std::string_view, Nodes>& templates() {
  static const std::map<std::string_view, Nodes> kTemplates = [] {
    std::map<std::string_view, Nodes> parsed;
    for (const TemplateFile& file : template_files())
      parsed.emplace(file.name, parse_template(file.name, file.text));
    return parsed;
  }();
  return kTemplates;
}

const Nodes& template_of(std::string_view file) {
  const auto found = templates().find(file);
  if (found == templates().end())
    throw std::logic_error("no template is named " + std::string(file));
  return found->second;
}

bool is_url_of_ours(std::string_view url) {
  const std::size_t end = url.find_first_of(":/?#");
  if (end == std::string_view::npos || url[end] != ':') return true;
  const std::string scheme = text::to_lower(url.substr(0, end));
  return scheme == "http" || scheme == "https" || scheme == "mailto";
}

// Replaces invalid UTF-8, so that every browser parses the page equally.
std::string in_utf8(std::string_view value) {
  std::string clean;
  clean.reserve(value.size());
  while (!value.empty()) {
    const std::size_t length = text::utf8_length(value);
    clean += length > 0 ? value.substr(0, length) : "\ufffd";
    value.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return clean;
}

class Expansion {
 public:
  explicit Expansion(const Translations* translations) : translations_(translations) {}

  void append(const Nodes& nodes, const Values::Data& data) {
    for (const TemplateNode& node : nodes) {
      switch (node.kind) {
        case Kind::Literal: out_ += node.text; break;
        case Kind::Value: append_value(node, data); break;
        case Kind::Section:
          if (const auto* shown = find(node.text, data, &Values::Data::sections)) {
            for (const auto& values : *shown) append(node.children, *values);
          }
          break;
        case Kind::Include:
          if (const auto* included = find(node.text, data, &Values::Data::includes)) {
            for (const auto& [file, values] : *included) append(template_of(file), *values);
          }
          break;
        case Kind::Translated: append_translated(node, data); break;
      }
    }
  }

  std::string take() { return std::move(out_); }

 private:
  template <class Map>
  static const typename Map::mapped_type* find(std::string_view name, const Values::Data& data,
                                               Map Values::Data::*which) {
    for (const Values::Data* at = &data; at != nullptr; at = at->parent) {
      if (const auto found = (at->*which).find(name); found != (at->*which).end())
        return &found->second;
    }
    return nullptr;
  }

  void append_value(const TemplateNode& node, const Values::Data& data) {
    const auto* value = find(node.text, data, &Values::Data::values);
    if (value == nullptr) return;
    if (value->is_html) {
      if (node.context != Context::Text)
        throw std::logic_error(node.text + " is HTML in an attribute");
      out_ += value->text;
    } else if (node.context == Context::Url && !is_url_of_ours(value->text)) {
      out_ += "about:invalid";
    } else {
      text::append_html_escaped(out_, value->text);
    }
  }

  void append_translated(const TemplateNode& node, const Values::Data& data) {
    const auto translation = translations_ ? translations_->find(node.text) : std::nullopt;
    append(translation ? parse_template(node.text, *translation, node.position) : node.children,
           data);
  }

  const Translations* translations_;
  std::string out_;
};

void collect_texts(std::string_view file, const Nodes& nodes, std::vector<TemplateText>& out) {
  for (const TemplateNode& node : nodes) {
    if (node.kind == Kind::Section) collect_texts(file, node.children, out);
    if (node.kind == Kind::Translated &&
        std::ranges::find(out, node.text, &TemplateText::text) == out.end())
      out.push_back({node.text, std::string(file), node.line});
  }
}

// Finds a text in the templates.
const TemplateNode* find_text(const Nodes& nodes, std::string_view text) {
  for (const TemplateNode& node : nodes) {
    if (node.kind == Kind::Translated && node.text == text) return &node;
    if (const TemplateNode* found =
            node.kind == Kind::Section ? find_text(node.children, text) : nullptr)
      return found;
  }
  return nullptr;
}

std::vector<std::string> placeholders(const Nodes& nodes) {
  std::vector<std::string> names;
  for (const TemplateNode& node : nodes) {
    if (node.kind != Kind::Literal) names.push_back(node.text);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::vector<TemplateText> template_texts() {
  std::vector<TemplateText> out;
  for (const auto& [file, nodes] : templates()) collect_texts(file, nodes, out);
  return out;
}

std::optional<std::string> translation_problem(std::string_view text,
                                               std::string_view translation) {
  const TemplateNode* found = nullptr;
  for (auto one = templates().begin(); found == nullptr && one != templates().end(); ++one)
    found = find_text(one->second, text);
  if (found == nullptr) return "no template has this text";
  try {
    const std::vector<std::string> names = placeholders(found->children);
    if (placeholders(parse_template("the translation", translation, found->position)) == names)
      return std::nullopt;
    std::string problem = "the placeholders must be those of the text:";
    for (const std::string& name : names) problem += " {{" + name + "}}";
    return names.empty() ? "the text has no placeholders" : problem;
  } catch (const std::logic_error& error) {
    return error.what();
  }
}

Values::Values() : owned_(std::make_unique<Data>()), data_(owned_.get()) {}
Values::Values(Data* borrowed) : data_(borrowed) {}
Values::~Values() = default;

Values& Values::set(std::string_view name, std::string_view value) {
  data_->values.insert_or_assign(std::string(name), Data::Value{in_utf8(value)});
  return *this;
}

Values& Values::set(std::string_view name, const Html& value) {
  data_->values.insert_or_assign(std::string(name), Data::Value{in_utf8(value.source()), true});
  return *this;
}

Values& Values::set(std::string_view name, long value) { return set(name, std::to_string(value)); }

Values& Values::show(std::string_view section) {
  if (!data_->sections.contains(section)) show_with(section);
  return *this;
}

Values Values::show_with(std::string_view section) {
  auto& shown = data_->sections[std::string(section)];
  shown.push_back(std::make_unique<Data>());
  shown.back()->parent = data_;
  return Values(shown.back().get());
}

Values Values::include(std::string_view name, std::string_view file) {
  auto& included = data_->includes[std::string(name)];
  included.push_back({std::string(file), std::make_unique<Data>()});
  return Values(included.back().values.get());
}

std::string Values::expand(std::string_view file, const Translations* translations) const {
  Expansion expansion(translations);
  expansion.append(template_of(file), *data_);
  return expansion.take();
}

}  // namespace svc::pages
