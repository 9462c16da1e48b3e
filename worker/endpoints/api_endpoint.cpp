#include "endpoints/api_endpoint.h"

#include <algorithm>
#include <string>
#include <utility>

#include "http/api_error.h"

namespace svc::endpoints {
namespace {

constexpr std::string_view kEntityTag = "ETag";

}  // namespace

void ApiEndpoint::add_common_headers(http::Response& response) const {
  const bool is_tagged = std::ranges::any_of(
      response.headers, [](const http::Header& header) { return header.name == kEntityTag; });
  if (is_tagged) {
    response.with("Cache-Control", "private, no-cache");
  } else {
    response.with("Cache-Control", "no-store").with("Pragma", "no-cache");
  }
}

library::Actor ApiEndpoint::actor_of(const http::Request& request, const oauth::Issued& issued) {
  return {.account = issued.account,
          .contact = issued.contact,
          .client = issued.client.value(),
          .address = request.remote_address,
          .request = request.request_id};
}

http::Response ApiEndpoint::no_such(std::string_view kind) {
  return http::api_error(404, "no such " + std::string(kind) + " in this account");
}

http::Response ApiEndpoint::overtaken() {
  return http::api_error(412, "the record has changed: read it again, and send its ETag");
}

http::Response ApiEndpoint::refusal_of(library::Refusal refusal, std::string_view kind) {
  return refusal == library::Refusal::NotFound ? no_such(kind) : overtaken();
}

http::Response ApiEndpoint::no_content(std::string_view about) {
  http::Response response;
  response.status = 204;
  response.about = about;
  return response;
}

http::Response ApiEndpoint::tagged(http::Response response, const http::Request& request) {
  return http::with_strong_entity_tag(std::move(response),
                                      request.is_get_or_head() ? request.if_none_match : "");
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
  return oauth::check_bearer(access_.grants, access_.account_tokens, access_.standings, token,
                             any_of);
}

http::Response ApiEndpoint::refusal(const oauth::BearerError& error,
                                    const oauth::ScopeSet& any_of) const {
  using enum oauth::BearerError::Code;
  // Clients ask for each scope that a challenge names.
  const std::string rest = ", resource_metadata=\"" + access_.metadata_url + "\", scope=\"" +
                           std::string(any_of.narrowest()) + "\"";
  const auto say = [&](std::string_view code) {
    return http::api_error(code, error.description)
        .with("WWW-Authenticate", "Bearer realm=\"svc\"" + rest + ", error=\"" + std::string(code) +
                                      "\", error_description=\"" + error.description + "\"");
  };
  switch (error.code) {
    case Missing:
      // RFC 6750 §3.1: without an error code in the header, a client that sent no token only learns
      // how to authenticate.
      break;
    case InvalidRequest: return say("invalid_request");
    case InvalidToken: return say("invalid_token");
    case InsufficientScope: return say("insufficient_scope");
  }
  return http::api_error("unauthorized", "an access token is needed")
      .with("WWW-Authenticate", "Bearer realm=\"svc\"" + rest);
}

}  // namespace svc::endpoints
