#include "endpoints/oauth/own_origins.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "http/cors.h"
#include "loop/all.h"
#include "oauth/redirect_uri.h"
#include "text/form.h"

namespace svc::endpoints {
namespace {

constexpr std::string_view kPost = "POST";

// Neither "null" nor other texts are the origin of a page that has a client.
bool is_web_origin(std::string_view origin) {
  return !origin.empty() && oauth::web_origin(origin) == origin;
}

void share_with(http::Response& response, std::string_view origin) {
  http::cors::allow_origin(response, origin);
  http::cors::expose_headers(response);
}

// Returns "" if the request does not name a client. A public one has no Basic credentials.
std::string client_of(const http::Request& request) {
  for (const std::string_view place : {request.body, request.query}) {
    const text::Form form = text::Form::parse(place);
    const auto id = form.find("client_id");
    if (id && oauth::is_client_id(*id)) return std::string(*id);
  }
  return {};
}

}  // namespace

loop::Task<http::Response> OwnOrigins::answer(const http::Request& request) {
  if (request.method == "OPTIONS") return preflight(request.origin);
  return is_web_origin(request.origin) ? answer_page(request) : answering_.answer(request);
}

loop::Task<http::Response> OwnOrigins::answer_page(const http::Request& request) {
  auto both =
      loop::all(answering_.answer(request), is_of_client(request.origin, client_of(request)));
  auto found = co_await both;
  auto& [response, is_own] = found;
  if (is_own) share_with(response, request.origin);
  co_return std::move(response);
}

loop::Task<http::Response> OwnOrigins::preflight(std::string_view origin) {
  bool is_approved = is_web_origin(origin);
  if (is_approved) is_approved = co_await applications_.have_origin(origin);
  http::Response response = is_approved ? http::cors::preflight(kPost) : http::Response{};
  response.status = 204;
  if (is_approved) {
    http::cors::allow_origin(response, origin);
  } else {
    response.with("Allow", std::string(kPost));
  }
  co_return response;
}

loop::Task<bool> OwnOrigins::is_of_client(std::string_view origin, std::string id) {
  if (id.empty()) co_return false;
  const oauth::ClientId client_id{std::move(id)};
  const std::optional<oauth::Client> client = co_await clients_.find_client(client_id);
  if (!client || !client->is_public()) co_return false;
  co_return std::ranges::any_of(client->redirect_uris, [&](const std::string& uri) {
    return oauth::is_origin_of(uri, origin);
  });
}

void OwnOrigins::add_common_headers(http::Response& response) const {
  answering_.add_common_headers(response);
  response.with("Vary", "Origin");
}

void OwnOrigins::share_refusal(const http::Request& request, http::Response& response) const {
  if (is_web_origin(request.origin)) share_with(response, request.origin);
}

}  // namespace svc::endpoints
