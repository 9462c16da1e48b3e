#include "media/id.h"

#include "base/digest.h"

namespace svc::media {

std::int64_t number_of(std::string_view id) {
  std::uint64_t number = 0;
  for (const char c : base::sha256(id).substr(0, 8))
    number = (number << 8) | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(number % static_cast<std::uint64_t>(kMaxIntegerId)) + 1;
}

}  // namespace svc::media
