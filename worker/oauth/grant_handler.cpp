#include "oauth/grant_handler.h"

#include "oauth/pkce.h"

namespace svc::oauth {
namespace {

using base::Refusal;

GrantHandler::Rest refused(GrantError::Code code, std::string_view why) {
  return [error = GrantError{code, std::string(why)}]() -> GrantHandler::Outcome {
    return Refusal{error};
  };
}
// One wording for expired, used, foreign, redirect mismatch and wrong verifier: whoever tries does
// not learn how far he came.
GrantHandler::Rest invalid_grant() {
  return refused(GrantError::Code::InvalidGrant,
                 "the code or refresh token is unknown, expired, used, revoked, of another client, "
                 "or of another redirect_uri or code_verifier");
}
GrantHandler::Rest missing(std::string_view parameter) {
  return refused(GrantError::Code::InvalidRequest,
                 "the parameter " + std::string(parameter) + " is missing");
}

}  // namespace

void AuthorizationCodeHandler::expect(const TokenRequest& request) {
  const auto code = Token::parse(TokenKind::Code, request.code);
  if (!code) return;
  grants_.expect_code(*code);
  if (code->holder) standings_.expect_standing(*code->holder);
}

GrantHandler::Rest AuthorizationCodeHandler::begin(const Client& client,
                                                   const TokenRequest& request,
                                                   std::string_view request_id) {
  if (request.code.empty()) return missing("code");
  if (request.redirect_uri.empty()) return missing("redirect_uri");
  const auto code = Token::parse(TokenKind::Code, request.code);
  const auto record = code ? grants_.find_code(*code) : std::nullopt;
  if (!record) return invalid_grant();
  if (record->issued.client != client.id) return invalid_grant();
  // §4.1.3: identical, extra parameters included.
  if (record->redirect_uri != request.redirect_uri) return invalid_grant();
  if (!pkce::proves(request.code_verifier, record->code_challenge)) return invalid_grant();
  // A spent code goes on: its second use ends the grant, whatever its contact is now.
  const Holder holder = record->issued.holder();
  const bool barred = barrier_of(standings_.find_standing(holder)).has_value();
  if (barred && !record->spent) return invalid_grant();

  // Last, so that only a caller who has proved possession can spend the code. One atomic step
  // stores the tokens too, and ends the grant of a code that comes a second time.
  const Token access = Token::mint(TokenKind::Access, code->grant, entropy_, holder);
  const Token refresh = Token::mint(TokenKind::Refresh, code->grant, entropy_, holder);
  grants_.start_redeem(*code, request_id, access, refresh);
  return [this, &client, request_id, code = *code, record = *record, access = access, refresh,
          barred]() mutable -> Outcome {
    switch (grants_.redeem(code, record, request_id, access, refresh)) {
      case Redemption::Redeemed: break;
      case Redemption::AlreadyUsed:
        audit_.record({.what = "code.replayed",
                       .contact = record.issued.contact,
                       .account = record.issued.account,
                       .client = client.id.text,
                       .detail = "the grant was ended"});
        return invalid_grant()();
      case Redemption::Gone: return invalid_grant()();
    }
    if (barred) return invalid_grant()();
    return TokenSet{access.to_text(), refresh.to_text(), lifetimes_.access, record.issued.scopes,
                    client.scope_format};
  };
}

void RefreshTokenHandler::expect(const TokenRequest& request) {
  const auto token = Token::parse(TokenKind::Refresh, request.refresh_token);
  if (!token) return;
  grants_.expect_token(*token);
  if (token->holder) standings_.expect_standing(*token->holder);
}

GrantHandler::Rest RefreshTokenHandler::begin(const Client& client, const TokenRequest& request,
                                              std::string_view) {
  if (request.refresh_token.empty()) return missing("refresh_token");
  const auto refresh = Token::parse(TokenKind::Refresh, request.refresh_token);
  const auto issued = refresh ? grants_.find_token(*refresh) : std::nullopt;
  if (!issued || issued->client != client.id) return invalid_grant();
  if (barrier_of(standings_.find_standing(issued->holder()))) return invalid_grant();

  ScopeSet scopes = issued->scopes;
  if (!request.scope.empty()) {
    const auto narrower = ScopeSet::parse(request.scope);
    if (!narrower || narrower->empty() || !issued->scopes.covers(*narrower)) {
      return refused(GrantError::Code::InvalidScope,
                     "the scope must be among those that were granted");
    }
    scopes = *narrower;
  }
  const Token access = Token::mint(TokenKind::Access, refresh->grant, entropy_, issued->holder());
  grants_.start_refresh(*refresh, *issued, scopes, access);
  return [this, &client, refresh = *refresh, issued = *issued, scopes,
          access = access]() mutable -> Outcome {
    if (!grants_.refresh(refresh, issued, scopes, access)) return invalid_grant()();
    return TokenSet{access.to_text(), refresh.to_text(), lifetimes_.access, scopes,
                    client.scope_format};
  };
}

}  // namespace svc::oauth
