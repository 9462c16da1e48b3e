// CaptionsPage: Account → Settings → Media → one media → Captions. pages-W55.
//
//   /settings/accounts/<account>/media/<id>/captions      the captions; POST: add some
//   …/captions/<language>                                 POST: replace them
//   …/captions/<language>.vtt, .srt                       their text
//   …/captions/<language>/delete                          asks, and deletes them
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "captions/language.h"
#include "http/response.h"
#include "loop/heavy_work.h"
#include "loop/task.h"
#include "media/media.h"
#include "pages/languages.h"
#include "pages/settings/library.h"
#include "pages/settings/settings.h"

namespace svc::pages {

class CaptionsPage : public Library {
 public:
  CaptionsPage(const SettingsParts& parts, library::LibraryParts& library, loop::HeavyWork& heavy,
               const Languages& languages)
      : Library(parts, library), heavy_(heavy), languages_(languages) {
    captions::Language::offered();  // rather now than in a request
  }

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  // The captions that the path names.
  struct Named {
    std::string path;  // the captions'
    const media::Captions* captions = nullptr;
    captions::Language language;
    std::string_view format;  // "", ".vtt" or ".srt"
    bool deletes = false;
  };
  static std::optional<Named> named_in(const Subject& subject);
  struct Entered {
    std::string language{};
    std::string edition{};
    std::vector<FieldProblem> problems{};
    bool was_overtaken = false;
    int status = 200;
  };
  const std::string& language_of_browser(const SettingsContext& context) const;
  http::Response list(const SettingsContext& context, const Subject& subject,
                      const Entered& entered) const;
  http::Response one(const SettingsContext& context, const Subject& subject, const Named& named,
                     const Entered& entered) const;
  http::Response ask_delete(const SettingsContext& context, const Subject& subject,
                            const Named& named) const;
  loop::Task<http::Response> download(const SettingsContext& context, const Subject& subject,
                                      const Named& named);
  loop::Task<http::Response> add(const SettingsContext& context, const Subject& subject,
                                 const text::Form& form);
  loop::Task<http::Response> replace(const SettingsContext& context, const Subject& subject,
                                     const Named& named, const text::Form& form);
  loop::Task<http::Response> remove(const SettingsContext& context, const Subject& subject,
                                    const Named& named);
  // Whether the media has captions of that language with that text now: the form was sent twice.
  loop::Task<bool> has_already(const Subject& subject, const captions::Language& language,
                               const std::string& webvtt);

  loop::HeavyWork& heavy_;
  const Languages& languages_;
};

}  // namespace svc::pages
