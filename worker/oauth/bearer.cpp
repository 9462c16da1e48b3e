#include "oauth/bearer.h"

#include <algorithm>

#include "loop/all.h"
#include "oauth/lookup.h"
#include "text/ascii.h"
#include "text/form.h"
#include "text/word_list.h"

namespace svc::oauth {
namespace {

constexpr std::string_view kNotAlive = "the token is unknown, expired or revoked";

base::Refusal<BearerError> refuse(BearerError::Code code, std::string why = {}) {
  return base::Refusal{BearerError{code, std::move(why)}};
}

// RFC 6750 §2.1: b64token.
bool is_token68(std::string_view text) {
  const std::size_t end = text.find_last_not_of('=');
  if (end == std::string_view::npos) return false;
  return std::ranges::all_of(text.substr(0, end + 1), [](char c) {
    return text::is_alnum(c) || std::string_view("-._~+/").find(c) != std::string_view::npos;
  });
}

loop::Task<std::optional<Issued>> find_bearer(Grants& grants, AccountTokens& account_tokens,
                                              const std::optional<Token>& access,
                                              const std::optional<AccountToken>& account_token) {
  if (account_token) return account_tokens.find(*account_token);
  return find_token(grants, access);
}

loop::Task<std::optional<Standing>> find_early(Standings& standings,
                                               const std::optional<Token>& access,
                                               const std::optional<AccountToken>& account_token) {
  if (!account_token) co_return co_await find_standing(standings, access);
  co_return co_await standings.find_standing(account_token->holder);
}

}  // namespace

base::Result<std::string, BearerError> bearer_token(std::string_view query,
                                                    std::string_view authorization) {
  using enum BearerError::Code;
  std::string token;
  const text::Form form = text::Form::parse(query);
  for (const text::FormField& field : form.fields()) {
    if (field.value.empty() ||
        std::ranges::find(kTokenParameters, field.name) == kTokenParameters.end())
      continue;
    if (!token.empty() && token != field.value)
      return refuse(InvalidRequest, "the query string has two different tokens");
    token = field.value;
  }
  constexpr std::string_view kScheme = "bearer ";
  // Credentials of another scheme are not a token; they may be a proxy's.
  if (text::to_lower(authorization.substr(0, kScheme.size())) != kScheme) {
    if (token.empty()) return refuse(Missing);
    return token;
  }
  authorization.remove_prefix(kScheme.size());
  authorization.remove_prefix(std::min(authorization.find_first_not_of(' '), authorization.size()));
  if (!is_token68(authorization))
    return refuse(InvalidRequest, "the Authorization header is not Bearer and one token");
  if (!token.empty() && token != authorization)
    return refuse(InvalidRequest, "the tokens of the query string and of the header differ");
  return std::string(authorization);
}

loop::Task<base::Result<Issued, BearerError>> check_bearer(
    Grants& grants, AccountTokens& account_tokens, Standings& standings, const OwnResources& own,
    std::string_view token, const ScopeSet& any_of) {
  using enum BearerError::Code;
  const auto account_token = AccountToken::parse(token);
  const auto parsed = Token::parse(TokenKind::Access, token);
  auto both = loop::all(find_bearer(grants, account_tokens, parsed, account_token),
                        loop::attempt(find_early(standings, parsed, account_token)));
  auto found = co_await both;
  auto& [issued, early] = found;
  if (!issued) co_return refuse(InvalidToken, std::string(kNotAlive));
  const Standing standing = co_await standing_of(standings, *issued, early);
  if (barrier_of(standing)) co_return refuse(InvalidToken, std::string(kNotAlive));
  // RFC 8707 §2: its client granted it to the user of another resource, which could use it here.
  if (!own.may_use_api(issued->resources))
    co_return refuse(InvalidToken, "the token is for another resource");
  if (!issued->scopes.meets(any_of)) {
    co_return refuse(InsufficientScope, "the token has none of the scopes that allow this: " +
                                            text::joined(any_of.names()));
  }
  issued->restricts_sites = standing.restricts_sites;
  co_return std::move(*issued);
}

}  // namespace svc::oauth
