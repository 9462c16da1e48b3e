#include "endpoints/api_endpoint.h"

#include <string>
#include <utility>

#include "text/json.h"

namespace svc::endpoints {

void ApiEndpoint::add_common_headers(http::Response& response) const {
  response.with("Cache-Control", "no-store").with("Pragma", "no-cache");
}

loop::Task<base::Result<oauth::Issued, oauth::BearerError>> ApiEndpoint::check(
    std::string_view token, const oauth::ScopeSet& any_of) {
  return oauth::check_bearer(grants_, standings_, token, any_of);
}

http::Response ApiEndpoint::refusal(const oauth::BearerError& error,
                                    const oauth::ScopeSet& any_of) {
  using enum oauth::BearerError::Code;
  const std::string realm = "Bearer realm=\"svc\"";
  http::Response response;
  response.content_type = http::kJson;
  text::json::ObjectWriter writer(response.body);
  const auto say = [&](int status, std::string_view name, std::string_view more = {}) {
    response.status = status;
    writer.string("error", name).string("error_description", error.description).end();
    response.with("WWW-Authenticate", realm + ", error=\"" + std::string(name) +
                                          "\", error_description=\"" + error.description + "\"" +
                                          std::string(more));
  };
  switch (error.code) {
    case Missing:
      // Without an error code: a client that sent no token only learns how to
      // authenticate.
      response.status = 401;
      writer.string("error_description", "an access token is needed").end();
      response.with("WWW-Authenticate", realm);
      break;
    case InvalidRequest: say(400, "invalid_request"); break;
    case InvalidToken: say(401, "invalid_token"); break;
    case InsufficientScope:
      say(403, "insufficient_scope", ", scope=\"" + any_of.to_text() + "\"");
      break;
  }
  return response;
}

}  // namespace svc::endpoints
