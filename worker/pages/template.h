// Template: an HTML page with holes. ctemplate stops here.
//
// Every value is escaped for the place where it stands (text, attribute, URL) by ctemplate's own
// reading of the HTML around it; only a hole marked `:none` in a template takes markup as it is,
// and only what is escaped already may go in there. The templates are part of the program.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace ctemplate {
class TemplateDictionary;
}

namespace svc::pages {

// Values of one template, or of one section or include in it.
class Values {
 public:
  explicit Values(std::string_view name);
  ~Values();
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  Values& set(std::string_view name, std::string_view value);
  Values& set(std::string_view name, long value);
  // Shows a section once; without it, a section is left out. Lives as long as its parent.
  Values& show(std::string_view section);
  Values show_with(std::string_view section);  // … with values of its own, once a call
  Values include(std::string_view name, std::string_view file);  // `{{>NAME}}` from that template

  std::string expand(std::string_view file) const;

 private:
  explicit Values(ctemplate::TemplateDictionary* borrowed);

  std::unique_ptr<ctemplate::TemplateDictionary> owned_;  // of the outermost only
  ctemplate::TemplateDictionary* dictionary_;
};

}  // namespace svc::pages
