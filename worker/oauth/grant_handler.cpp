#include "oauth/grant_handler.h"

#include <algorithm>

#include "loop/all.h"
#include "oauth/limits.h"
#include "oauth/lookup.h"
#include "oauth/pkce.h"
#include "oauth/redirect_uri.h"
#include "oauth/token_family.h"

namespace svc::oauth {
namespace {

base::Refusal<GrantError> refuse_grant(GrantError::Code code, std::string why) {
  return base::Refusal{GrantError{code, std::move(why)}};
}
// One text for expired, used, foreign, redirect mismatch and wrong verifier, so
// that an attacker does not learn which check failed.
base::Refusal<GrantError> invalid_grant() {
  return refuse_grant(
      GrantError::Code::InvalidGrant,
      "the code or refresh token is unknown, expired, used, revoked, of another client, "
      "or of another redirect_uri or code_verifier");
}
base::Refusal<GrantError> invalid_target() {
  return refuse_grant(GrantError::Code::InvalidTarget,
                      "the resource must be among those that were granted");
}
base::Refusal<GrantError> missing(std::string_view parameter) {
  return refuse_grant(GrantError::Code::InvalidRequest,
                      "the parameter " + std::string(parameter) + " is missing");
}

}  // namespace

loop::Task<GrantHandler::Outcome> AuthorizationCodeHandler::run(
    loop::Task<base::Result<Client, GrantError>> authentication, const TokenRequest& request,
    std::string_view request_id) {
  const auto code = Token::parse(TokenKind::Code, request.code);
  auto all = loop::all(std::move(authentication), loop::attempt(find_code(parts_.grants, code)),
                       loop::attempt(find_standing(parts_.standings, code)));
  auto found = co_await all;
  auto& [client, of_code, early] = found;
  if (!client) co_return base::Refusal{client.error()};
  if (request.code.empty()) co_return missing("code");
  if (request.redirect_uri.empty()) co_return missing("redirect_uri");
  const std::optional<AuthorizationCode>& record = of_code.get();
  if (!record) co_return invalid_grant();
  if (record->issued.client != client->id) co_return invalid_grant();
  // §4.1.3: identical, including extra parameters.
  if (!is_stored_redirect(record->redirect_uri, request.redirect_uri)) co_return invalid_grant();
  if (!pkce::proves(request.code_verifier, record->code_challenge)) co_return invalid_grant();
  // Continue with a spent code, even if the contact may no longer authorize: its second use ends
  // the grant.
  const Holder holder = record->issued.holder();
  const Standing standing = co_await standing_of(parts_.standings, record->issued, early);
  const bool barred = barrier_of(standing).has_value();
  if (barred && !record->spent) co_return invalid_grant();
  // RFC 8707 §2.2
  const auto narrowed = parts_.own.narrowed(record->issued.resources, request.resources);
  if (!narrowed && !record->spent) co_return invalid_target();

  // Last, so that only a caller that has proved possession can spend the code.
  // The same atomic step stores the tokens, or ends the grant if the code was
  // spent before.
  FamilyTokens tokens =
      client->is_public()
          ? begin_family(code->grant, holder, parts_.keys, parts_.entropy)
          : FamilyTokens{Token::mint(TokenKind::Access, code->grant, parts_.entropy, holder),
                         Token::mint(TokenKind::Refresh, code->grant, parts_.entropy, holder)};
  AuthorizationCode spent = *record;
  if (narrowed && *narrowed != record->issued.resources) spent.narrowed = *narrowed;
  const Redemption redemption =
      co_await parts_.grants.redeem(*code, spent, request_id, tokens.access, tokens.refresh);
  if (redemption == Redemption::AlreadyUsed) {
    const AuditEvent event{.what = event_named<"code.replayed">(),
                           .contact = record->issued.contact,
                           .account = record->issued.account,
                           .client = client->id.value(),
                           .detail = "the grant was ended"};
    co_await parts_.audit.record(event);
  }
  if (redemption != Redemption::Redeemed || barred) co_return invalid_grant();
  co_return TokenSet{tokens.access.to_text(), record->refreshes ? tokens.refresh.to_text() : "",
                     parts_.limits.access, record->issued.scopes, client->scope_format};
}

loop::Task<GrantHandler::Outcome> RefreshTokenHandler::run(
    loop::Task<base::Result<Client, GrantError>> authentication, const TokenRequest& request,
    std::string_view) {
  const auto refresh = Token::parse(TokenKind::Refresh, request.refresh_token);
  auto all = loop::all(std::move(authentication), loop::attempt(find_token(parts_.grants, refresh)),
                       loop::attempt(find_standing(parts_.standings, refresh)));
  auto found = co_await all;
  auto& [client, of_token, early] = found;
  if (!client) co_return base::Refusal{client.error()};
  if (request.refresh_token.empty()) co_return missing("refresh_token");
  const std::optional<Issued>& issued = of_token.get();
  if (!issued) co_return invalid_grant();
  const Standing standing = co_await standing_of(parts_.standings, *issued, early);
  Access asked = issued->access();
  bool is_narrower = true;
  if (!request.scope.empty()) {
    const auto narrower = ScopeSet::asked_for(request.scope, issued->scopes);
    is_narrower = narrower && issued->scopes.covers(*narrower);
    if (is_narrower) asked.scopes = *narrower;
  }
  auto resources = parts_.own.narrowed(issued->resources, request.resources);
  const bool is_barred = issued->client != client->id || barrier_of(standing).has_value();
  if (issued->used && (is_barred || !is_narrower || !resources)) {
    // Its second use, though it gets no tokens.
    const Access nothing;
    co_return co_await rotate(*refresh, *issued, nothing, client->scope_format);
  }
  if (is_barred) co_return invalid_grant();
  if (!is_narrower) {
    co_return refuse_grant(GrantError::Code::InvalidScope,
                           "the scope must be among those that were granted");
  }
  if (!resources) co_return invalid_target();
  asked.resources = *std::move(resources);
  if (refresh->is_of_family())
    co_return co_await rotate(*refresh, *issued, asked, client->scope_format);
  Token access = Token::mint(TokenKind::Access, refresh->grant, parts_.entropy, issued->holder());
  const bool alive = co_await parts_.grants.refresh(*refresh, *issued, asked, access);
  if (!alive) co_return invalid_grant();
  co_return TokenSet{access.to_text(), refresh->to_text(), parts_.limits.access, asked.scopes,
                     client->scope_format};
}

loop::Task<GrantHandler::Outcome> RefreshTokenHandler::rotate(const Token& refresh,
                                                              const Issued& issued,
                                                              const Access& asked,
                                                              ScopeFormat format) {
  if (!issued.family) co_return invalid_grant();
  FamilyTokens next = successors_of(refresh, *issued.family, parts_.keys);
  const Rotation rotation = co_await parts_.grants.rotate(refresh, issued, asked, next.access);
  if (rotation.outcome == Rotation::Outcome::Reused) {
    const AuditEvent event{.what = event_named<"refresh_token.reused">(),
                           .contact = issued.contact,
                           .account = issued.account,
                           .client = issued.client.value(),
                           .detail = "its family of tokens was ended"};
    co_await parts_.audit.record(event);
  }
  const bool has_tokens = rotation.outcome == Rotation::Outcome::Rotated ||
                          rotation.outcome == Rotation::Outcome::Again;
  if (!has_tokens) co_return invalid_grant();
  const std::int64_t left =
      std::max<std::int64_t>(rotation.issued + parts_.limits.access - parts_.clock.now(), 0);
  co_return TokenSet{next.access.to_text(), next.refresh.to_text(), left, asked.scopes, format};
}

loop::Task<GrantHandler::Outcome> ClientCredentialsHandler::run(
    loop::Task<base::Result<Client, GrantError>> authentication, const TokenRequest& request,
    std::string_view) {
  const base::Result<Client, GrantError> client = co_await authentication;
  if (!client) co_return base::Refusal{client.error()};
  const ScopeSet& allowed = client->client_credentials;
  if (allowed.empty()) {
    co_return refuse_grant(GrantError::Code::UnauthorizedClient,
                           "the application may not act for itself: an operator can allow it");
  }
  ScopeSet scopes = allowed;
  if (!request.scope.empty()) {
    const auto asked = ScopeSet::asked_for(request.scope, allowed);
    if (!asked || !allowed.covers(*asked)) {
      co_return refuse_grant(GrantError::Code::InvalidScope,
                             "the scope must be among those that the application has for itself");
    }
    scopes = *asked;
  }
  std::optional<Resources> resources =
      co_await find_resources(request.resources, parts_.servers, parts_.own);
  if (!resources)
    co_return refuse_grant(GrantError::Code::InvalidTarget, std::string(kUnknownResource));
  const Standing standing =
      co_await parts_.standings.find_own_standing(client->id, client->account, scopes);
  if (barrier_of(standing)) {
    co_return refuse_grant(GrantError::Code::UnauthorizedClient,
                           "OAuth is not enabled for the account of the application");
  }
  const Holder holder{{}, client->account};
  const std::int64_t now = parts_.clock.now();
  Issued issued{
      client->id, holder.contact, holder.account, scopes, now, now + parts_.limits.access};
  issued.resources = *std::move(resources);
  Token access = Token::mint(TokenKind::Access, issued.grant(), parts_.entropy, holder);
  co_await parts_.grants.issue_own(access, issued);
  co_return TokenSet{access.to_text(), "", parts_.limits.access, scopes, client->scope_format};
}

}  // namespace svc::oauth
