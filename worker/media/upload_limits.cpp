#include "media/upload_limits.h"

#include <algorithm>
#include <vector>

#include "base/number.h"
#include "media/media.h"
#include "media/reads.h"

namespace svc::media {

loop::Task<std::optional<NoRoom>> why_no_room(Uploads& uploads, Catalog& catalog, AccountId account,
                                              std::string_view length, UploadLimits limits) {
  const auto more = base::parse_number<std::int64_t>(length, 0).value_or(0);
  const std::int64_t count = co_await uploads.count(account);
  if (count >= limits.uploads) {
    co_return NoRoom{507, 0,
                     "The account has " + std::to_string(count) + " uploads, and " +
                         std::to_string(limits.uploads) +
                         " are allowed. Delete some by the API, or ask the operator of "
                         "this service."};
  }
  const std::int64_t large = co_await uploads.large(account);
  if (large >= limits.state) {
    co_return NoRoom{507, 0,
                     "The names, descriptions and captions of the account's uploads take " +
                         std::to_string(large) + " bytes, and " + std::to_string(limits.state) +
                         " are allowed. Delete some uploads, or ask the operator of this service."};
  }
  if (limits.bytes > 0) {
    const std::int64_t bytes = co_await uploads.bytes(account);
    if (bytes >= limits.bytes || more > limits.bytes - bytes) {
      co_return NoRoom{
          507, 0,
          "The files of the account's uploads take " + std::to_string(bytes) + " bytes, and " +
              std::to_string(limits.bytes) +
              " are allowed. Delete some uploads, or ask the operator of this service."};
    }
  }
  if (count < limits.unfinished) co_return std::nullopt;
  // An account's uploads are converted in their order: those that are not finished
  // are the newest.
  const std::vector<HashedId> ids = co_await uploads.recent(account);
  Reads reads;  // responses are not cached
  const std::vector<Media> medias = co_await catalog.find_medias(ids, Detail::All, reads);
  const auto unfinished = std::ranges::count_if(medias, [](const Media& media) {
    return media.status == Status::Queued || media.status == Status::Processing;
  });
  if (unfinished < limits.unfinished) co_return std::nullopt;
  constexpr int kRetryAfter = 60;
  co_return NoRoom{429, kRetryAfter,
                   std::to_string(unfinished) +
                       " uploads of the account wait or are being converted, the most allowed. "
                       "Try again when one is done."};
}

}  // namespace svc::media
