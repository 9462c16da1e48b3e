#include "oauth/token.h"

#include <array>

#include "base/hex.h"

namespace svc::oauth {
namespace {

constexpr std::size_t kSecretDigits = 64;

struct Form {
  std::string_view prefix;
  std::string_view label;
};
constexpr std::array<Form, 3> kForms{
    {{"svcc_", "authorization code"}, {"svca_", "access token"}, {"svcr_", "refresh token"}}};

const Form& form_of(TokenKind kind) { return kForms[static_cast<std::size_t>(kind)]; }

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
  if (!text.starts_with(prefix) || text.size() != prefix.size() + GrantId::kLength + kSecretDigits)
    return std::nullopt;
  for (const char c : text.substr(prefix.size())) {
    if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) return std::nullopt;
  }
  return Token{
      kind, {std::string(text.substr(prefix.size(), GrantId::kLength))}, std::string(text)};
}

std::optional<Token> Token::parse_any(std::string_view text) {
  auto token = parse(TokenKind::Access, text);
  return token ? token : parse(TokenKind::Refresh, text);
}

std::string_view Token::label() const { return form_of(kind).label; }

}  // namespace svc::oauth
