#include "pages/template.h"

#include <ctemplate/template.h>
#include <ctemplate/template_cache.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>

#include "base/paths.h"
#include "pages/template_files.h"
#include "text/ascii.h"
#include "text/utf8.h"

namespace svc::pages {
namespace {

using ctemplate::TemplateString;

TemplateString view(std::string_view text) { return {text.data(), text.size()}; }

// The paths in templates: {{@LOGIN}}.
constexpr std::pair<std::string_view, std::string_view> kPaths[] = {
    {"AUTHORIZE", base::paths::kAuthorize.pattern},
    {"BRAND_STYLE", base::paths::kBrandStyle.pattern},
    {"CONNECTED", base::paths::kConnected.pattern},
    {"DESIGN", base::paths::kDesign.pattern},
    {"DEVELOPERS", base::paths::kDevelopers.pattern},
    {"EMBED_CODES", base::paths::kEmbedCodes.pattern},
    {"ICON", base::paths::kIcon.pattern},
    {"LOGIN", base::paths::kLogin.pattern},
    {"LOGOUT", base::paths::kLogout.pattern},
    {"MY_APPLICATIONS", base::paths::kMyApplications.pattern},
    {"MY_MEDIA", base::paths::kMyMedia.pattern},
    {"SECURITY", base::paths::kSecurity.pattern},
    {"SETTINGS", base::paths::kSettings.pattern},
};

std::string with_paths(std::string_view text) {
  constexpr std::string_view kMark = "{{@";
  std::string out;
  for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark)) {
    out += text.substr(0, at);
    text.remove_prefix(at + kMark.size());
    const std::string_view name = text.substr(0, text.find("}}"));
    const auto* path =
        std::ranges::find(kPaths, name, &std::pair<std::string_view, std::string_view>::first);
    if (path == std::end(kPaths)) std::abort();  // a bug of the build
    out += path->second;
    text.remove_prefix(name.size() + 2);
  }
  return out.append(text);
}

// Parses the templates once per process, when the first page is shown.
void load_templates() {
  static const bool kLoaded = [] {
    for (const TemplateFile& file : template_files()) {
      if (!ctemplate::StringToTemplateCache(view(file.name), view(with_paths(file.text)),
                                            ctemplate::STRIP_BLANK_LINES)) {
        std::abort();
      }
    }
    return true;
  }();
  static_cast<void>(kLoaded);
}

}  // namespace

Values::Values(std::string_view name)
    : owned_(std::make_unique<ctemplate::TemplateDictionary>(view(name))),
      dictionary_(owned_.get()) {}
Values::Values(ctemplate::TemplateDictionary* borrowed) : dictionary_(borrowed) {}
Values::~Values() = default;

Values& Values::set(std::string_view name, std::string_view value) {
  // Replaces control characters and invalid UTF-8, so that every browser parses
  // the page equally.
  std::string clean;
  clean.reserve(value.size());
  while (!value.empty()) {
    const std::size_t length = text::utf8_length(value);
    const std::string_view character = value.substr(0, length == 0 ? 1 : length);
    const bool allowed = length > 1 || character == "\n" || character == "\t" ||
                         !text::is_control(character.front());
    clean += length > 0 && allowed ? character : "\ufffd";
    value.remove_prefix(character.size());
  }
  dictionary_->SetValue(view(name), view(clean));
  return *this;
}

Values& Values::set(std::string_view name, long value) {
  dictionary_->SetIntValue(view(name), value);
  return *this;
}

Values& Values::show(std::string_view section) {
  dictionary_->ShowSection(view(section));
  return *this;
}

Values Values::show_with(std::string_view section) {
  return Values(dictionary_->AddSectionDictionary(view(section)));
}

Values Values::include(std::string_view name, std::string_view file) {
  auto* included = dictionary_->AddIncludeDictionary(view(name));
  included->SetFilename(view(file));
  return Values(included);
}

std::string Values::expand(std::string_view file) const {
  load_templates();
  std::string out;
  // Fails only if a template is missing or broken, which is a bug of the build.
  if (!ctemplate::ExpandTemplate(view(file), ctemplate::STRIP_BLANK_LINES, dictionary_, &out))
    std::abort();
  return out;
}

}  // namespace svc::pages
