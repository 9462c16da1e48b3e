#include "oauth/bearer.h"

#include <algorithm>

#include "text/ascii.h"
#include "text/form.h"

namespace svc::oauth {
namespace {

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

}  // namespace

base::Result<std::string, BearerError> bearer_token(std::string_view query,
                                                    std::string_view authorization) {
  using enum BearerError::Code;
  std::string token;
  const text::Form form = text::Form::parse(query);
  for (const text::FormField& field : form.fields()) {
    if ((field.name != "access_token" && field.name != "bearer_token") || field.value.empty())
      continue;
    if (!token.empty()) return refuse(InvalidRequest, "the token is there more than once");
    token = field.value;
  }
  constexpr std::string_view kScheme = "bearer ";
  // Credentials of another scheme are no token: somebody else's, a proxy's on the way, say.
  if (text::to_lower(authorization.substr(0, kScheme.size())) != kScheme) {
    if (token.empty()) return refuse(Missing);
    return token;
  }
  if (!token.empty())
    return refuse(InvalidRequest, "the token is in the query string and in the header");
  authorization.remove_prefix(kScheme.size());
  authorization.remove_prefix(std::min(authorization.find_first_not_of(' '), authorization.size()));
  if (!is_token68(authorization))
    return refuse(InvalidRequest, "the Authorization header is not Bearer and one token");
  return std::string(authorization);
}

void expect_bearer(Grants& grants, Standings& standings, std::string_view token) {
  const auto parsed = Token::parse(TokenKind::Access, token);
  if (!parsed) return;
  grants.expect_token(*parsed);
  if (parsed->holder) standings.expect_standing(*parsed->holder);
}

base::Result<Issued, BearerError> check_bearer(Grants& grants, Standings& standings,
                                               std::string_view token, const ScopeSet& any_of) {
  using enum BearerError::Code;
  const auto parsed = Token::parse(TokenKind::Access, token);
  auto issued = parsed ? grants.find_token(*parsed) : std::nullopt;
  if (!issued || barrier_of(standings.find_standing(issued->holder())))
    return refuse(InvalidToken, "the token is unknown, expired or revoked");
  if (!issued->scopes.meets(any_of))
    return refuse(InsufficientScope, "the token was not granted a scope that this needs");
  return std::move(*issued);
}

}  // namespace svc::oauth
