#include "endpoints/uploads/upload_permit.h"

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
  std::string plain =
      std::to_string(account.value()) + "\n" + (grant ? grant->value() : std::string());
  if (replaces)
    plain += "\n" + replaces->media.value() + "\n" + std::to_string(replaces->contact.value());
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
  const std::string_view rest = std::string_view(*plain).substr(end + 1);
  const std::string_view grant = rest.substr(0, rest.find('\n'));
  if (!grant.empty()) permit.grant = oauth::GrantId{std::string(grant)};
  if (grant.size() == rest.size()) return permit;
  const std::string_view replaced = rest.substr(grant.size() + 1);
  const std::size_t line = replaced.find('\n');
  const auto media = media::HashedId::parse(replaced.substr(0, line));
  if (!media || line == std::string_view::npos) return std::nullopt;
  const auto contact =
      base::parse_number<std::int64_t>(replaced.substr(line + 1), 1, media::kMaxIntegerId);
  if (!contact) return std::nullopt;
  permit.replaces = Replaces{*media, {*contact}};
  return permit;
}

}  // namespace svc::endpoints
