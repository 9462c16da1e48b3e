#include "endpoints/introspect.h"

#include "text/json.h"

namespace svc::endpoints {

void Introspect::expect(const oauth::TokenRequest& parameters) {
  const auto token = oauth::Token::parse_any(parameters.token);
  if (!token) return;
  grants_.expect_token(*token);
  if (token->holder) standings_.expect_standing(*token->holder);
}

// §2.2
OauthEndpoint::Rest Introspect::begin_client(const oauth::Client& client,
                                             const oauth::TokenRequest& parameters,
                                             const http::Request&) {
  return [&] { return introspect(client, parameters); };
}

http::Response Introspect::introspect(const oauth::Client& client,
                                      const oauth::TokenRequest& parameters) const {
  if (parameters.token.empty()) {
    return oauth_refusal(
        {oauth::GrantError::Code::InvalidRequest, "the parameter token is missing"});
  }
  http::Response response;
  response.content_type = "application/json";
  const auto token = oauth::Token::parse_any(parameters.token);
  const auto issued = token ? grants_.find_token(*token) : std::nullopt;
  if (!issued || issued->client != client.id ||
      oauth::barrier_of(standings_.find_standing(issued->holder()))) {
    response.body = R"({"active":false})";
    return response;
  }
  text::json::ObjectWriter writer(response.body);
  writer.boolean("active", true)
      .string("scope", issued->scopes.to_text())
      .string("client_id", issued->client.text)
      .string("token_type", token->kind == oauth::TokenKind::Access ? "bearer" : "refresh_token")
      .integer("iat", issued->issued);
  if (issued->expires != 0) writer.integer("exp", issued->expires);
  writer.string("sub", std::to_string(issued->contact.number))
      .integer("account_id", issued->account.number)
      .string("iss", issuer_)
      .end();
  return response;
}

}  // namespace svc::endpoints
