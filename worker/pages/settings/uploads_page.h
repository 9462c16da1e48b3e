// UploadsPage: Account → Settings → Media: upload a file, watch its progress,
// copy its embed code. pages-W12, pages-W13.
//
//   /settings/accounts/<account>/media               the form, the last uploads
//   /settings/accounts/<account>/media/upload        POST only; ?form=<token>
//   /settings/accounts/<account>/media/<id>          one upload; POST: delete it, unless it is
//   ready /settings/accounts/<account>/media/<id>.json     the same for the page's script
//
// nginx sends the body of a form to the upload pool, after it has asked here at
// kUploadPagePermission (base/paths.h), which ends in the form's path: 204 with the account, or
// 403. After any other response than 204 nginx requests the form's path itself, without a body, and
// sends that response to the browser: it says why.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "embed/site.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/account.h"
#include "media/catalog.h"
#include "media/upload_limits.h"
#include "media/uploads.h"
#include "pages/settings/settings.h"

namespace svc::pages {

class UploadsPage : public Settings {
 public:
  static constexpr std::string_view kAccount = "X-Svc-Account";

  // `catalog` and `uploads` outlive the page.
  UploadsPage(const SettingsParts& parts, media::Catalog& catalog, media::Uploads& uploads,
              media::UploadLimits limits)
      : Settings(parts), catalog_(catalog), uploads_(uploads), limits_(limits) {}

  loop::Task<http::Response> answer(const http::Request& request) override;
  std::optional<http::Response> unavailable(const http::Request& request) const override;

 protected:
  loop::Task<http::Response> show(const SettingsContext& context) override;
  loop::Task<http::Response> take(const SettingsContext& context, const text::Form& form) override;

 private:
  // The account that a path names and whose media this contact may upload.
  struct Place {
    media::Account account;
    std::string list;       // path of the list
    std::string_view rest;  // after the list and a slash
  };
  // A response to a browser, or its reason for the script.
  struct Refused {
    http::Response page;
    std::string_view reason;
  };
  loop::Task<base::Result<Place, Refused>> place_of(const SettingsContext& context);
  loop::Task<http::Response> decide(const http::Request& asked, bool is_question);
  loop::Task<http::Response> list(const SettingsContext& context, const Place& place);
  loop::Task<http::Response> one(const SettingsContext& context, const Place& place);
  loop::Task<std::optional<media::Media>> media_of(const Place& place, std::string_view name);
  // Only a media in progress takes a round trip.
  loop::Task<double> progress_of(const media::Media& media);
  void describe(Values& values, const SettingsContext& context, const Place& place,
                const media::Media& media, double progress) const;

  media::Catalog& catalog_;
  media::Uploads& uploads_;
  const media::UploadLimits limits_;
};

// The page for a form that the upload pool refuses, which knows no visitor.
http::Response refused_upload_page(const http::Request& request, const embed::Site& site,
                                   int status, std::string_view why);

}  // namespace svc::pages
