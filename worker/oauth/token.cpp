#include "oauth/token.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/hex.h"

namespace svc::oauth {
namespace {

constexpr std::size_t kSecretDigits = 64;
constexpr std::size_t kPlaceDigits = 15;  // at most

struct Form {
  std::string_view prefix;
  std::string_view label;
};
constexpr std::array<Form, 3> kForms{
    {{"svcc_", "authorization code"}, {"svca_", "access token"}, {"svcr_", "refresh token"}}};

const Form& form_of(TokenKind kind) { return kForms[static_cast<std::size_t>(kind)]; }

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

Token Token::mint(TokenKind kind, const GrantId& grant, base::Entropy& entropy) {
  std::string secret(kSecretDigits / 2, '\0');
  entropy.fill({reinterpret_cast<unsigned char*>(secret.data()), secret.size()});
  return of(kind, grant, base::to_hex(secret));
}

Token Token::of(TokenKind kind, const GrantId& grant, std::string_view secret) {
  Token token{kind, grant, std::string(form_of(kind).prefix)};
  token.text += grant.text;
  token.text += secret;
  return token;
}

std::optional<Token> Token::parse(TokenKind kind, std::string_view text) {
  const std::string_view prefix = form_of(kind).prefix;
  const std::size_t length = prefix.size() + GrantId::kLength + kSecretDigits;
  if (!text.starts_with(prefix) || text.size() < length || !is_hex(text.substr(prefix.size())))
    return std::nullopt;
  const std::string_view place = text.substr(length);
  Token token{kind,
              {std::string(text.substr(prefix.size(), GrantId::kLength))},
              std::string(text, 0, length)};
  if (place.empty()) return token;
  if (kind != TokenKind::Access || place.size() > kPlaceDigits || place.front() == '0')
    return std::nullopt;
  std::from_chars(place.data(), place.data() + place.size(), token.place, 16);
  return token;
}

std::string Token::to_text() const {
  std::string out = text;
  if (place == 0) return out;
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), place, 16).ptr;
  return out.append(digits.data(), end);
}

std::optional<Token> Token::parse_any(std::string_view text) {
  auto token = parse(TokenKind::Access, text);
  return token ? token : parse(TokenKind::Refresh, text);
}

std::string_view Token::label() const { return form_of(kind).label; }

}  // namespace svc::oauth
