// LibraryPage: Account → Settings → Media: all media of an account, the form for uploads.
// pages-W12, pages-W13, pages-W53, pages-W176.
//
//   /settings/accounts/<account>/media               the list, the form; POST: changes of those
//                                                    that are selected, after a question
//   /settings/accounts/<account>/media/upload        POST only; ?form=<token>,
//                                            and replaces=<id>: that media gets the file
//
// nginx sends the body of a form to the upload pool, after it has asked here at
// kUploadPagePermission (base/paths.h), which ends in the form's path: 204 with the account and a
// permit, or 403. After any other response than 204 nginx requests the form's path itself, without
// a body, and sends that response, which has the reason, to the browser.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "embed/site.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/upload_limits.h"
#include "pages/settings/library.h"
#include "pages/settings/settings.h"

namespace svc::pages {

class LibraryPage : public Library {
 public:
  static constexpr std::string_view kAccount = "X-Svc-Account";
  static constexpr std::size_t kPerPage = 50;

  LibraryPage(const SettingsParts& parts, library::LibraryParts& library,
              media::UploadLimits limits)
      : Library(parts, library), limits_(limits) {}

  loop::Task<http::Response> answer(const http::Request& request) override;
  std::optional<http::Response> unavailable(const http::Request& request) const override;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  struct View;
  struct Choice;
  loop::Task<http::Response> decide(const http::Request& asked, bool is_question);
  struct Refusal {
    int status = 0;
    std::string_view why;
  };
  loop::Task<base::Result<media::HashedId, Refusal>> replaced(std::string_view name,
                                                              const Place& place);
  // `problem`: of the selection; "": none.
  loop::Task<http::Response> list(const SettingsContext& context, const Place& place,
                                  std::string problem);
  http::Response ask(const SettingsContext& context, const Place& place,
                     const Choice& choice) const;
  loop::Task<http::Response> change(const SettingsContext& context, const Place& place,
                                    const Choice& choice);
  // Reads the media of a page, and how many there are.
  loop::Task<media::FoundMedias> find(const Place& place, View& view);
  void show_pages(Values& body, const Place& place, const View& view,
                  const media::FoundMedias& found) const;

  const media::UploadLimits limits_;
};

// The page for a form that is refused after its file was read. It knows no visitor.
http::Response refused_upload_page(const http::Request& request, const embed::Site& site,
                                   int status, std::string_view why, media::AccountId account);

}  // namespace svc::pages
