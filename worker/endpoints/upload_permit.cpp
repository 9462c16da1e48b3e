#include "endpoints/upload_permit.h"

#include <cstdint>

#include "base/number.h"

namespace svc::endpoints {
namespace {

std::string permit_context(std::string_view request_id) {
  return "upload permit\n" + std::string(request_id);
}

}  // namespace

std::string UploadPermit::seal(std::string_view request_id, const base::KeyRing& keys,
                               base::Entropy& entropy) const {
  const std::string plain =
      std::to_string(account.value()) + "\n" + (grant ? grant->value() : std::string());
  return keys.seal(plain, permit_context(request_id), entropy);
}

std::optional<UploadPermit> UploadPermit::open(std::string_view sealed, std::string_view request_id,
                                               const base::KeyRing& keys) {
  // All requests without an id would have one permit.
  if (request_id.empty()) return std::nullopt;
  const auto plain = keys.open(sealed, permit_context(request_id));
  if (!plain) return std::nullopt;
  const std::size_t end = plain->find('\n');
  const auto account = base::parse_number<std::int64_t>(std::string_view(*plain).substr(0, end), 1,
                                                        media::kMaxIntegerId);
  if (!account || end == std::string::npos) return std::nullopt;
  UploadPermit permit{{*account}};
  if (end + 1 < plain->size()) permit.grant = oauth::GrantId{plain->substr(end + 1)};
  return permit;
}

}  // namespace svc::endpoints
