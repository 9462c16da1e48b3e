// UploadCommit: the second half of an upload, for the pool that permitted it: grant
// for `POST {base_url}/v1/medias`, web for the form of the settings. oauth-S2, pages-W12.
//
// The upload pool has moved the file to the folder of uploads (endpoints/uploads/upload.h). This
// adds the job and the record of the media. The account is that of the permit, and the id
// follows from nginx's $request_id: so the upload pool decides only what its form says.
//
// A repeated upload of an application gets the first response (api-N10). svc-ingest deletes
// the file of that, as of each upload that is refused here.
//
// A browser's form gets a page for a refusal, and a 303 to the page of the media.
// All others get JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/key_ring.h"
#include "embed/site.h"
#include "endpoints/description.h"
#include "endpoints/repeated.h"
#include "endpoints/uploads/received_upload.h"
#include "endpoints/uploads/upload_permit.h"
#include "http/endpoint.h"
#include "media/catalog.h"
#include "media/replacements.h"
#include "media/uploads.h"

namespace svc::endpoints {

class UploadCommit : public http::Endpoint {
 public:
  // A page that tells a user why an upload to that account was refused.
  using Page = http::Response (*)(const http::Request& request, const embed::Site& site, int status,
                                  std::string_view why, media::AccountId account);

  // `repeated`: nullptr: no upload has a grant. `page`: nullptr: each response is JSON.
  // `replacements`: nullptr: no upload replaces a file. All references must outlive it.
  UploadCommit(const embed::Site& site, media::Catalog& catalog, media::Uploads& uploads,
               Repeated* repeated, const base::KeyRing& keys, const base::WallClock& clock,
               const media::UploadLimits& limits, Page page, media::Replacements* replacements)
      : site_(site),
        catalog_(catalog),
        uploads_(uploads),
        repeated_(repeated),
        keys_(keys),
        clock_(clock),
        limits_(limits),
        page_(page),
        replacements_(replacements) {}

  // As an operation of the data API.
  static ApiOperation describe();

  loop::Task<http::Response> answer(const http::Request& request) override;
  // A response is for one token only.
  void add_common_headers(http::Response& response) const override;
  std::optional<http::Response> unavailable(const http::Request& request) const override;

 private:
  http::Response refuse(const http::Request& request, const UploadPermit& permit,
                        const ReceivedUpload::Problem& problem) const;
  // Sets `is_added` once the media has its record.
  loop::Task<http::Response> take(const http::Request& request, const UploadPermit& permit,
                                  const ReceivedUpload& received, media::HashedId id,
                                  const media::UploadPlace& place, bool& is_added);

  const embed::Site& site_;
  media::Catalog& catalog_;
  media::Uploads& uploads_;
  Repeated* const repeated_;
  const base::KeyRing& keys_;
  const base::WallClock& clock_;
  const media::UploadLimits limits_;
  const Page page_;
  media::Replacements* const replacements_;
};

}  // namespace svc::endpoints
