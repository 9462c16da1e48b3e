// Template: an HTML page with placeholders. Every value is escaped, unless its type marks it as
// HTML.
//
//   {{NAME}}                 a value; missing values are empty
//   {{#NAME}}…{{/NAME}}      a section: once for each show_with(), not at all by default
//   {{>NAME}}                another template, chosen by include()
//   {{@NAME}}                a path of this service, e.g. {{@LOGIN}}
//   {{_}}…{{/_}}             a text for translators, with placeholders and inline markup
//
// The parser follows the HTML around a placeholder. It takes text and quoted attribute values; the
// value of a URL attribute (href, src, action …) that begins with a placeholder is "about:invalid"
// for a URL with another scheme than http, https and data. Names, unquoted values, event handlers,
// styles, scripts and comments take no placeholders, and a section ends in the context in which it
// began: other templates throw std::logic_error, which names the file and the line. Lines that are
// blank, or have a single section tag or include, leave nothing. The templates are compiled into
// the program, and parsed when the first page is shown.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::pages {

// HTML of our own making, in which all text of others is escaped already.
class Html {
 public:
  explicit Html(std::string source) : source_(std::move(source)) {}
  const std::string& source() const { return source_; }

 private:
  std::string source_;
};

// The texts of one language.
class Translations {
 public:
  virtual ~Translations() = default;
  // Returns the translation of the text between {{_}} and {{/_}}; nullopt: the text stays as it is.
  virtual std::optional<std::string_view> find(std::string_view text) const = 0;
};

// A text between {{_}} and {{/_}}.
struct TemplateText {
  std::string text;
  std::string file;  // as on disk, e.g. login.tpl
  int line;
};

// The texts of all templates, in their order, equal ones once.
std::vector<TemplateText> template_texts();

// Why `translation` cannot take the place of `text` from a template: it has other placeholders, or
// markup that ends elsewhere. Nothing: it can.
std::optional<std::string> translation_problem(std::string_view text, std::string_view translation);

// The values of one template, section or include. A section also has the values of what contains
// it; an include has its own only.
class Values {
 public:
  Values();
  ~Values();
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  Values& set(std::string_view name, std::string_view value);
  Values& set(std::string_view name, const Html& value);
  Values& set(std::string_view name, long value);
  // Shows a section once. Sections are omitted by default. The returned values
  // live as long as their parent.
  Values& show(std::string_view section);
  Values show_with(std::string_view section);  // shows it with own values, once per call
  Values include(std::string_view name, std::string_view file);  // `{{>NAME}}` from that template

  std::string expand(std::string_view file, const Translations* translations = nullptr) const;

  struct Data;

 private:
  explicit Values(Data* borrowed);

  std::unique_ptr<Data> owned_;  // only in the outermost
  Data* data_;
};

}  // namespace svc::pages
