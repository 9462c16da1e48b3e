#include "oauth/token_family.h"

#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/hex.h"

namespace svc::oauth {
namespace {

constexpr std::size_t kFamilySecretBytes = 16;
constexpr std::size_t kFamilySecretDigits = 2 * kFamilySecretBytes;
constexpr std::size_t kFamilyNameDigits = 16;
constexpr std::string_view kRefreshLabel = "refresh token of a family";
constexpr std::string_view kAccessLabel = "access token of a family";
constexpr std::string_view kNameLabel = "family of refresh tokens";

// Each part is of fixed length or a number, so different positions give different texts.
std::string proof_text(const GrantId& grant, const Holder& holder, std::string_view secret,
                       std::uint64_t position) {
  return grant.value() + ":" + std::string(secret) + ":" + std::to_string(holder.contact.value()) +
         ":" + std::to_string(holder.account.value()) + ":" + std::to_string(position);
}

std::string family_name(const base::KeyRing& keys, std::size_t key, const GrantId& grant,
                        std::string_view secret) {
  return keys.macs(kNameLabel, grant.value() + ":" + std::string(secret))[key].substr(
      0, kFamilyNameDigits);
}

std::string proof_of(const std::vector<std::string>& macs, std::size_t key) {
  return macs[key].substr(0, kFamilySecretDigits);
}

FamilyTokens tokens_at(const GrantId& grant, const Holder& holder, std::string_view secret,
                       std::uint64_t position, const TokenFamily& family,
                       const base::KeyRing& keys) {
  const std::string message = proof_text(grant, holder, secret, position);
  FamilyTokens tokens{
      Token::of(TokenKind::Access, grant, keys.macs(kAccessLabel, message)[family.key], holder),
      Token::of(TokenKind::Refresh, grant,
                std::string(secret) + proof_of(keys.macs(kRefreshLabel, message), family.key),
                holder)};
  tokens.access.family = family.name;
  tokens.refresh.place = position;
  return tokens;
}

}  // namespace

FamilyTokens begin_family(const GrantId& grant, const Holder& holder, const base::KeyRing& keys,
                          base::Entropy& entropy) {
  std::string bytes(kFamilySecretBytes, '\0');
  entropy.fill({reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()});
  const std::string secret = base::to_hex(bytes);
  return tokens_at(grant, holder, secret, 1, {family_name(keys, 0, grant, secret), 0}, keys);
}

std::optional<TokenFamily> family_of(const Token& refresh, const base::KeyRing& keys) {
  if (refresh.kind != TokenKind::Refresh || !refresh.is_of_family() || !refresh.holder)
    return std::nullopt;
  const std::string_view secret = refresh.secret().substr(0, kFamilySecretDigits);
  const std::string_view proof = refresh.secret().substr(kFamilySecretDigits);
  const auto macs =
      keys.macs(kRefreshLabel, proof_text(refresh.grant, *refresh.holder, secret, refresh.place));
  for (std::size_t key = 0; key < macs.size(); ++key) {
    if (base::equal_in_constant_time(proof_of(macs, key), proof))
      return TokenFamily{family_name(keys, key, refresh.grant, secret), key};
  }
  return std::nullopt;
}

FamilyTokens successors_of(const Token& refresh, const TokenFamily& family,
                           const base::KeyRing& keys) {
  const std::string_view secret = refresh.secret().substr(0, kFamilySecretDigits);
  return tokens_at(refresh.grant, *refresh.holder, secret, refresh.place + 1, family, keys);
}

}  // namespace svc::oauth
