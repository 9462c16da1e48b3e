#include "endpoints/token.h"

#include "text/json.h"

namespace svc::endpoints {
namespace {

// RFC 6749 §5.1; scope as an array, or as a string for a client that is set so.
http::Response token_answer(const oauth::TokenSet& tokens) {
  http::Response response;
  response.content_type = "application/json";
  text::json::ObjectWriter writer(response.body);
  writer.string("access_token", tokens.access_token)
      .string("token_type", "bearer")
      .integer("expires_in", tokens.expires_in)
      .string("refresh_token", tokens.refresh_token);
  if (tokens.scope_format == oauth::ScopeFormat::String) {
    writer.string("scope", tokens.scopes.to_text());
  } else {
    std::string& out = writer.raw("scope");
    out += '[';
    for (const std::string_view name : tokens.scopes.names()) {
      if (out.back() != '[') out += ',';
      text::json::append_string(out, name);
    }
    out += ']';
  }
  writer.end();
  return response;
}

}  // namespace

oauth::GrantHandler* Token::handler_of(std::string_view grant_type) {
  if (grant_type == "authorization_code") return &authorization_code_;
  if (grant_type == "refresh_token") return &refresh_token_;
  return nullptr;
}

std::optional<oauth::GrantError> Token::refuse_early(const oauth::TokenRequest& parameters) {
  using enum oauth::GrantError::Code;
  if (parameters.grant_type.empty())
    return oauth::GrantError{InvalidRequest, "the parameter grant_type is missing"};
  if (handler_of(parameters.grant_type) == nullptr) {
    return oauth::GrantError{UnsupportedGrantType,
                             "the grant_type must be authorization_code or refresh_token"};
  }
  return std::nullopt;
}

void Token::expect(const oauth::TokenRequest& parameters) {
  if (oauth::GrantHandler* handler = handler_of(parameters.grant_type)) handler->expect(parameters);
}

OauthEndpoint::Rest Token::begin_client(const oauth::Client& client,
                                        const oauth::TokenRequest& parameters,
                                        const http::Request& request) {
  return [rest = handler_of(parameters.grant_type)->begin(client, parameters, request.request_id)] {
    const auto tokens = rest();
    return tokens ? token_answer(*tokens) : oauth_refusal(tokens.error());
  };
}

}  // namespace svc::endpoints
