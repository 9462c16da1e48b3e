#include "endpoints/oauth/revoke.h"

#include <optional>
#include <utility>

#include "loop/all.h"
#include "oauth/lookup.h"

namespace svc::endpoints {

// §2.1
loop::Task<http::Response> Revoke::answer_client(Authentication authentication,
                                                 const oauth::TokenRequest& parameters,
                                                 const http::Request& request) {
  const auto token = oauth::Token::parse_any(parameters.token);
  auto both =
      loop::all(std::move(authentication), loop::attempt(oauth::find_token(grants_, token)));
  auto found = co_await both;
  auto& [client, of_token] = found;
  if (!client) co_return oauth_refusal(client.error());
  if (parameters.token.empty()) {
    co_return oauth_refusal(
        {oauth::GrantError::Code::InvalidRequest, "the parameter token is missing"});
  }
  const std::optional<oauth::Issued>& issued = of_token.get();
  if (issued && issued->client == client->id) {
    co_await grants_.revoke_tokens(*token);
    const oauth::AuditEvent event{.what = oauth::event_named<"tokens.revoked">(),
                                  .contact = issued->person(),
                                  .account = issued->account,
                                  .client = client->id.value(),
                                  .address = request.remote_address,
                                  .detail = "by the application"};
    co_await audit_.record(event);
  } else if (token && !issued) {
    // Perhaps by a request that got 503 because too few replicas had the revocation.
    co_await grants_.confirm(*token);
  }
  http::Response response;
  response.content_type = "application/json";
  response.body = "{}";
  co_return response;
}

}  // namespace svc::endpoints
