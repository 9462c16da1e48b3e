// UploadLimits: how much one account may upload, so that it leaves room for others. oauth-S2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "loop/task.h"
#include "media/catalog.h"
#include "media/id.h"
#include "media/uploads.h"

namespace svc::media {

// Why an account may not upload that has no uploads_enabled.
inline constexpr std::string_view kNoUploads =
    "Uploads are not enabled for this account. Ask the operator of this service to enable them.";

struct UploadLimits {
  std::int64_t uploads = 10'000;  // that were not deleted and did not fail
  std::int64_t unfinished = 50;   // that wait or are converted; at most Uploads::kMostRecent
  std::int64_t state = 16 << 20;  // bytes of records larger than Uploads::kSmallRecord
  std::int64_t bytes = 0;         // of all files; 0: no limit
};

// Why an account may not upload now.
struct NoRoom {
  int status = 0;        // HTTP
  int retry_after = 0;   // seconds; 0: waiting does not help
  std::string why = {};  // a sentence
};

// Returns nullopt if the account may upload a body of that length, a number in text; "": it
// is unknown. Uploads that begin at the same time may exceed the limits by their number.
// Throws base::Unavailable.
loop::Task<std::optional<NoRoom>> why_no_room(Uploads& uploads, Catalog& catalog, AccountId account,
                                              std::string_view length, UploadLimits limits);

}  // namespace svc::media
