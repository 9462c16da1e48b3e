#include "media/upload_limits.h"

#include <cstdint>

namespace svc::media {
namespace {

std::string allowed(std::int64_t most) {
  return ", and " + std::to_string(most) + " are allowed. ";
}

}  // namespace

NoRoom why_no_room(const OverLimit& over, const UploadLimits& limits) {
  constexpr int kRetryAfter = 60;
  const std::string has = std::to_string(over.has);
  switch (over.of) {
    case OverLimit::Of::Uploads:
      return {507, 0,
              "The account has " + has + " uploads" + allowed(limits.uploads) +
                  "Delete some by the API, or ask the operator of this service."};
    case OverLimit::Of::State:
      return {507, 0,
              "The names, descriptions and captions of the account's uploads take " + has +
                  " bytes" + allowed(limits.state) +
                  "Delete some uploads, or ask the operator of this service."};
    case OverLimit::Of::Bytes:
      return {507, 0,
              "The files of the account's uploads take " + has + " bytes" + allowed(limits.bytes) +
                  "Delete some uploads, or ask the operator of this service."};
    case OverLimit::Of::Unfinished: break;
  }
  return {429, kRetryAfter,
          has +
              " uploads of the account are under way, wait or are being converted, the most "
              "allowed. Try again when one is done."};
}

}  // namespace svc::media
