// Upload: `POST {base_url}/v1/medias`, and the form of the settings, for the
// role upload. oauth-S2, pages-W12.
//
// nginx has asked the grant or the web pool for permission and written the body
// to a file, which this moves to the folder of uploads: the process reads only
// the beginning and the end of it. A repeated upload of an application gets the
// first response (api-N10); nginx deletes its file, as that of each refused one.
//
// A browser's form gets a page for a refusal, and a 303 to the page of the media.
// All others get JSON.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/result.h"
#include "embed/site.h"
#include "endpoints/description.h"
#include "endpoints/repeated.h"
#include "http/endpoint.h"
#include "loop/threads.h"
#include "media/catalog.h"
#include "media/project_records.h"
#include "media/upload_form.h"
#include "media/uploads.h"

namespace svc::endpoints {

class Upload : public http::Endpoint {
 public:
  // A page that tells a user why an upload was refused. A 503 has no reason.
  using Page = http::Response (*)(const http::Request& request, const embed::Site& site, int status,
                                  std::string_view why);

  // `folder`: for uploads, without a slash at its end. Bodies are in
  // `folder`/incoming/. All references must outlive it.
  Upload(const embed::Site& site, std::string folder, media::Catalog& catalog,
         media::Uploads& uploads, media::ProjectUses& projects, Repeated& repeated,
         base::Entropy& entropy, const base::WallClock& clock, loop::Loop& loop, Page page)
      : site_(site),
        folder_(std::move(folder)),
        catalog_(catalog),
        uploads_(uploads),
        projects_(projects),
        repeated_(repeated),
        entropy_(entropy),
        clock_(clock),
        threads_(loop),
        page_(page) {}

  // As an operation of the data API.
  static ApiOperation describe();

  loop::Task<http::Response> answer(const http::Request& request) override;
  // A response is for one token only.
  void add_common_headers(http::Response& response) const override;
  std::optional<http::Response> unavailable(const http::Request& request) const override;

 private:
  http::Response refuse(const http::Request& request, int status, std::string_view why) const;
  http::Response refuse(const http::Request& request, const media::FormProblem& problem) const;
  // Throws base::Unavailable if a thread cannot be started.
  template <class T>
  loop::Task<T> in_thread(std::function<T()> work);
  using Form = base::Result<media::UploadForm, media::FormProblem>;
  struct Body {
    std::string canonical;  // as Repeated compares it
    Form form;
  };
  // `kept`: where the file is if nginx sends the request again. Throws base::Unavailable if it is
  // at neither place.
  loop::Task<Body> read(const http::Request& request, std::string boundary, std::string kept);
  // `error`: 0 or errno. Returns nullopt for 0, and a response if the disk is full. Throws
  // base::Unavailable for other errors.
  std::optional<http::Response> why_not_kept(const http::Request& request, int error) const;
  loop::Task<http::Response> take(const http::Request& request, Form form, media::AccountId account,
                                  media::HashedId id);

  const embed::Site& site_;
  const std::string folder_;
  media::Catalog& catalog_;
  media::Uploads& uploads_;
  media::ProjectUses& projects_;
  Repeated& repeated_;
  base::Entropy& entropy_;
  const base::WallClock& clock_;
  loop::Threads threads_;
  const Page page_;
};

}  // namespace svc::endpoints
