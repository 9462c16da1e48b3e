#include "endpoints/api_endpoint.h"

#include <string>
#include <utility>

#include "http/api_error.h"

namespace svc::endpoints {

void ApiEndpoint::add_common_headers(http::Response& response) const {
  response.with("Cache-Control", "no-store").with("Pragma", "no-cache");
}

loop::Task<base::Result<oauth::Issued, http::Response>> ApiEndpoint::admit(
    const http::Request& request, oauth::ScopeSet any_of) {
  const auto token = oauth::bearer_token(request.query, request.authorization);
  if (!token) co_return base::Refusal{refusal(token.error(), any_of)};
  auto checking = check(*token, any_of);
  auto issued = co_await checking;
  if (!issued) co_return base::Refusal{refusal(issued.error(), any_of)};
  co_return std::move(*issued);
}

loop::Task<base::Result<oauth::Issued, oauth::BearerError>> ApiEndpoint::check(
    std::string_view token, const oauth::ScopeSet& any_of) {
  return oauth::check_bearer(grants_, standings_, token, any_of);
}

http::Response ApiEndpoint::refusal(const oauth::BearerError& error,
                                    const oauth::ScopeSet& any_of) {
  using enum oauth::BearerError::Code;
  std::string challenge = "Bearer realm=\"svc\"";
  const auto say = [&](std::string_view code, std::string_view more = {}) {
    challenge.append(", error=\"").append(code).append("\", error_description=\"");
    challenge.append(error.description).append("\"").append(more);
    return http::api_error(code, error.description).with("WWW-Authenticate", challenge);
  };
  switch (error.code) {
    case Missing:
      // RFC 6750 §3.1: without an error code in the header, a client that sent no token only learns
      // how to authenticate.
      break;
    case InvalidRequest: return say("invalid_request");
    case InvalidToken: return say("invalid_token");
    case InsufficientScope:
      return say("insufficient_scope", ", scope=\"" + any_of.to_text() + "\"");
  }
  return http::api_error("unauthorized", "an access token is needed")
      .with("WWW-Authenticate", challenge);
}

}  // namespace svc::endpoints
