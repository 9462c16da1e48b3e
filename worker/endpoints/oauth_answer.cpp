#include "endpoints/oauth_answer.h"

#include "text/ascii.h"
#include "text/json.h"

namespace svc::endpoints {
namespace {

constexpr int kGuessSeconds = 60;

// Anything but a form is refused by name: JSON is what clients send by mistake.
bool is_form(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  const std::size_t end = type.find_last_not_of(" \t");
  return text::to_lower(type.substr(0, end == std::string_view::npos ? 0 : end + 1)) ==
         "application/x-www-form-urlencoded";
}

http::Response error_answer(int status, std::string_view error, std::string_view description) {
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
  http::Response response = error_answer(status, oauth::name_of(error.code), error.description);
  // RFC 6749 §5.2: a must where Basic was tried, and right for who tried nothing.
  if (status == 401) response.with("WWW-Authenticate", "Basic realm=\"svc\", charset=\"UTF-8\"");
  if (status == 429) response.with("Retry-After", std::to_string(kGuessSeconds));
  return response;
}

void OauthEndpoint::prepare(const http::Request& request) {
  if (request.method != "POST") return;
  const auto parameters =
      oauth::TokenRequest::parse(request.query, request.body, request.authorization);
  if (!parameters) return;
  authentication_.expect(*parameters, request.remote_address);
  expect(*parameters);
}

http::Response OauthEndpoint::answer(const http::Request& request) {
  if (request.method != "POST") {
    http::Response response = error_answer(405, "invalid_request", "the method must be POST");
    return std::move(response.with("Allow", "POST"));
  }
  if (!request.body.empty() && !is_form(request.content_type)) {
    return error_answer(415, "invalid_request",
                        "the body must be application/x-www-form-urlencoded");
  }
  const auto parameters =
      oauth::TokenRequest::parse(request.query, request.body, request.authorization);
  if (!parameters) return oauth_refusal(parameters.error());
  if (const auto refused = refuse_early(*parameters)) return oauth_refusal(*refused);
  // The client and what it names, in one trip.
  authentication_.expect(*parameters, request.remote_address);
  expect(*parameters);
  const auto client = authentication_.run(*parameters, request.remote_address);
  if (!client) return oauth_refusal(client.error());
  return answer_client(*client, *parameters, request);
}

void OauthEndpoint::add_common_headers(http::Response& response) const {
  response.with("Cache-Control", "no-store").with("Pragma", "no-cache");
}

http::Response OauthEndpoint::unavailable(const http::Request&) const {
  http::Response response =
      error_answer(503, "temporarily_unavailable", "the service cannot be reached now, try again");
  return std::move(response.with("Retry-After", "1"));
}

}  // namespace svc::endpoints
