// Template: an HTML page with placeholders. ctemplate stops here.
//
// ctemplate escapes every value for its context (text, attribute, URL), which
// it derives from the surrounding HTML. Only a placeholder marked `:none` takes
// markup unchanged; its values must be escaped already. The templates are
// compiled into the program.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace ctemplate {
class TemplateDictionary;
}

namespace svc::pages {

// The values of one template, section or include.
class Values {
 public:
  explicit Values(std::string_view name);
  ~Values();
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  Values& set(std::string_view name, std::string_view value);
  Values& set(std::string_view name, long value);
  // Shows a section once. Sections are omitted by default. The returned values
  // live as long as their parent.
  Values& show(std::string_view section);
  Values show_with(std::string_view section);  // shows it with own values, once per call
  Values include(std::string_view name, std::string_view file);  // `{{>NAME}}` from that template

  std::string expand(std::string_view file) const;

 private:
  explicit Values(ctemplate::TemplateDictionary* borrowed);

  std::unique_ptr<ctemplate::TemplateDictionary> owned_;  // only in the outermost
  ctemplate::TemplateDictionary* dictionary_;
};

}  // namespace svc::pages
