#include "endpoints/oauth/oauth_endpoint.h"

#include <cstddef>
#include <utility>

#include "text/ascii.h"
#include "text/json.h"

namespace svc::endpoints {
namespace {

// Other types are refused, because clients send JSON by mistake.
bool is_form(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  const std::size_t end = type.find_last_not_of(" \t");
  return text::to_lower(type.substr(0, end == std::string_view::npos ? 0 : end + 1)) ==
         "application/x-www-form-urlencoded";
}

http::Response error_response(int status, std::string_view error, std::string_view description) {
  http::Response response;
  response.status = status;
  response.content_type = "application/json";
  text::json::ObjectWriter(response.body)
      .string("error", error)
      .string("error_description", description)
      .end();
  return response;
}

}  // namespace

http::Response oauth_refusal(const oauth::GrantError& error) {
  using enum oauth::GrantError::Code;
  const int status = error.code == InvalidClient ? 401 : error.code == TooManyFailures ? 429 : 400;
  http::Response response = error_response(status, oauth::name_of(error.code), error.description);
  // RFC 6749 §5.2: required if the client tried Basic, and allowed otherwise.
  if (status == 401) response.with("WWW-Authenticate", "Basic realm=\"svc\", charset=\"UTF-8\"");
  if (status == 429) response.with("Retry-After", std::to_string(oauth::kGuessWindow.count()));
  return response;
}

loop::Task<http::Response> OauthEndpoint::answer(const http::Request& request) {
  if (!request.body.empty() && !is_form(request.content_type)) {
    co_return error_response(415, "invalid_request",
                             "the body must be application/x-www-form-urlencoded");
  }
  const auto parameters =
      oauth::TokenRequest::parse(request.query, request.body, request.authorization);
  if (!parameters) co_return oauth_refusal(parameters.error());
  std::string client;
  Authentication authentication = authenticate(*parameters, request.remote_address, client);
  http::Response response = co_await answer_client(std::move(authentication), *parameters, request);
  response.about = std::move(client);
  co_return response;
}

// Sets `id` to the id of the client once it is known.
OauthEndpoint::Authentication OauthEndpoint::authenticate(const oauth::TokenRequest& parameters,
                                                          std::string_view address,
                                                          std::string& id) {
  base::Result<oauth::Client, oauth::GrantError> client =
      co_await authentication_.run(parameters, address);
  if (client) id = client->id.value();
  co_return client;
}

void OauthEndpoint::add_common_headers(http::Response& response) const {
  response.with("Cache-Control", "no-store").with("Pragma", "no-cache");
}

}  // namespace svc::endpoints
