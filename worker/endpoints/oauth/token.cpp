#include "endpoints/oauth/token.h"

#include <string>
#include <string_view>
#include <utility>

#include "text/json.h"

namespace svc::endpoints {
namespace {

// RFC 6749 §5.1; scope is an array, or a string for a client with that setting.
http::Response token_answer(const oauth::TokenSet& tokens) {
  http::Response response;
  response.content_type = "application/json";
  text::json::ObjectWriter writer(response.body);
  writer.string("access_token", tokens.access_token)
      .string("token_type", "bearer")
      .integer("expires_in", tokens.expires_in);
  if (!tokens.refresh_token.empty()) writer.string("refresh_token", tokens.refresh_token);
  if (tokens.scope_format == oauth::ScopeFormat::String) {
    writer.string("scope", tokens.scopes.to_text());
  } else {
    writer.strings("scope", tokens.scopes.names());
  }
  writer.end();
  return response;
}

}  // namespace

oauth::GrantHandler* Token::handler_of(std::string_view grant_type) {
  if (grant_type == "authorization_code") return &authorization_code_;
  if (grant_type == "refresh_token") return &refresh_token_;
  if (grant_type == "client_credentials") return &client_credentials_;
  return nullptr;
}

loop::Task<http::Response> Token::answer_client(Authentication authentication,
                                                const oauth::TokenRequest& parameters,
                                                const http::Request& request) {
  using enum oauth::GrantError::Code;
  if (parameters.grant_type.empty())
    co_return oauth_refusal({InvalidRequest, "the parameter grant_type is missing"});
  oauth::GrantHandler* handler = handler_of(parameters.grant_type);
  if (handler == nullptr) {
    co_return oauth_refusal(
        {UnsupportedGrantType,
         "the grant_type must be authorization_code, refresh_token or client_credentials"});
  }
  const oauth::GrantHandler::Outcome tokens =
      co_await handler->run(std::move(authentication), parameters, request.request_id);
  if (!tokens) co_return oauth_refusal(tokens.error());
  co_return token_answer(*tokens);
}

}  // namespace svc::endpoints
