#include "endpoints/oauth_answer.h"

#include "base/unavailable.h"
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

base::Result<std::unique_ptr<OauthEndpoint::Turn>, http::Response> OauthEndpoint::read(
    const http::Request& request) {
  if (request.method != "POST") {
    http::Response response = error_answer(405, "invalid_request", "the method must be POST");
    return base::Refusal{std::move(response.with("Allow", "POST"))};
  }
  if (!request.body.empty() && !is_form(request.content_type)) {
    return base::Refusal{
        error_answer(415, "invalid_request", "the body must be application/x-www-form-urlencoded")};
  }
  auto parameters = oauth::TokenRequest::parse(request.query, request.body, request.authorization);
  if (!parameters) return base::Refusal{oauth_refusal(parameters.error())};
  if (const auto refused = refuse_early(*parameters)) return base::Refusal{oauth_refusal(*refused)};
  return std::make_unique<Turn>(Turn{&request, std::move(*parameters), std::nullopt, nullptr});
}

// The client and what it names, in one trip.
void OauthEndpoint::expect_all(const Turn& turn) {
  authentication_.expect(turn.parameters, turn.request->remote_address);
  expect(turn.parameters);
}

void OauthEndpoint::proceed(Turn& turn) {
  auto client = authentication_.run(turn.parameters, turn.request->remote_address);
  if (!client) {
    turn.rest = [refusal = oauth_refusal(client.error())] { return refusal; };
    return;
  }
  turn.client = std::move(*client);
  turn.rest = begin_client(*turn.client, turn.parameters, *turn.request);
}

void OauthEndpoint::prepare(const http::Request& request) {
  auto turn = read(request);
  if (!turn) return;
  turns_.push_back(std::move(*turn));
  expect_all(*turns_.back());
}

void OauthEndpoint::send_ahead(const http::Request& request) {
  for (const auto& turn : turns_) {
    if (turn->request != &request) continue;
    try {
      proceed(*turn);
    } catch (const base::Unavailable&) {
      turn->rest = nullptr;  // the answer will find out for itself, and say it
    }
  }
}

http::Response OauthEndpoint::answer(const http::Request& request) {
  std::unique_ptr<Turn> turn;
  for (auto& waiting : turns_) {
    if (waiting->request == &request) turn = std::move(waiting);
  }
  std::erase(turns_, nullptr);
  if (!turn) {
    auto fresh = read(request);
    if (!fresh) return fresh.error();
    turn = std::move(*fresh);
  }
  if (!turn->rest) {
    expect_all(*turn);
    proceed(*turn);
  }
  http::Response response = turn->rest();
  if (turn->client) response.about = turn->client->id.text;
  return response;
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
