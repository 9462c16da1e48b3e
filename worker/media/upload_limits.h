// upload_limits: why an account may not upload.
#pragma once

#include <string>
#include <string_view>

#include "media/uploads.h"

namespace svc::media {

// Why an account may not upload that has no uploads_enabled.
inline constexpr std::string_view kNoUploads =
    "Uploads are not enabled for this account. Ask the operator of this service to enable them.";

// Why an account may not upload now.
struct NoRoom {
  int status = 0;        // HTTP
  int retry_after = 0;   // seconds; 0: waiting does not help
  std::string why = {};  // a sentence
};

NoRoom why_no_room(const OverLimit& over, const UploadLimits& limits);

}  // namespace svc::media
