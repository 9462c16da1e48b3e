#include "endpoints/revoke.h"

namespace svc::endpoints {

void Revoke::expect(const oauth::TokenRequest& parameters) {
  if (const auto token = oauth::Token::parse_any(parameters.token)) grants_.expect_token(*token);
}

// §2.1
OauthEndpoint::Rest Revoke::begin_client(const oauth::Client& client,
                                         const oauth::TokenRequest& parameters,
                                         const http::Request& request) {
  return [&] { return revoke(client, parameters, request); };
}

http::Response Revoke::revoke(const oauth::Client& client, const oauth::TokenRequest& parameters,
                              const http::Request& request) {
  if (parameters.token.empty()) {
    return oauth_refusal(
        {oauth::GrantError::Code::InvalidRequest, "the parameter token is missing"});
  }
  const auto token = oauth::Token::parse_any(parameters.token);
  const auto issued = token ? grants_.find_token(*token) : std::nullopt;
  if (issued && issued->client == client.id) {
    grants_.revoke_tokens(*token);
    audit_.record({.what = "tokens.revoked",
                   .contact = issued->contact,
                   .account = issued->account,
                   .client = client.id.text,
                   .address = request.remote_address,
                   .detail = "by the application"});
  }
  http::Response response;
  response.content_type = "application/json";
  response.body = "{}";
  return response;
}

}  // namespace svc::endpoints
