#include "endpoints/uploads/upload_permit.h"

#include "base/digest.h"
#include "base/hex.h"
#include "base/number.h"

namespace svc::endpoints {
namespace {

std::string permit_context(std::string_view request_id) {
  return "upload permit\n" + std::string(request_id);
}

}  // namespace

media::UploadPlace UploadPermit::place(const http::Request& request,
                                       const media::UploadLimits& limits, std::int64_t now) const {
  constexpr std::size_t kNameBytes = 16;
  const bool is_named = grant && !request.idempotency_key.empty();
  const std::string of = is_named ? grant->value() + "\n" + std::string(request.idempotency_key)
                                  : std::string(request.request_id);
  return {.name = base::to_hex(base::sha256(of).substr(0, kNameBytes)),
          .limits = limits,
          .now = now,
          .bytes = base::parse_number<std::int64_t>(request.upload_length, 0).value_or(0)};
}

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
