#include "endpoints/introspect.h"

#include <optional>
#include <string>
#include <utility>

#include "loop/all.h"
#include "oauth/lookup.h"
#include "text/json.h"

namespace svc::endpoints {

// §2.2
loop::Task<http::Response> Introspect::answer_client(Authentication authentication,
                                                     const oauth::TokenRequest& parameters,
                                                     const http::Request&) {
  const auto token = oauth::Token::parse_any(parameters.token);
  auto all = loop::all(std::move(authentication), loop::attempt(oauth::find_token(grants_, token)),
                       loop::attempt(oauth::find_standing(standings_, token)));
  auto found = co_await all;
  auto& [client, of_token, early] = found;
  if (!client) co_return oauth_refusal(client.error());
  // §2.1: a caller that anyone could be learns nothing.
  if (client->is_public()) {
    co_return oauth_refusal({oauth::GrantError::Code::InvalidClient,
                             "a public application cannot introspect: it cannot authenticate"});
  }
  if (parameters.token.empty()) {
    co_return oauth_refusal(
        {oauth::GrantError::Code::InvalidRequest, "the parameter token is missing"});
  }
  http::Response response;
  response.content_type = "application/json";
  response.body = R"({"active":false})";
  const std::optional<oauth::Issued>& issued = of_token.get();
  if (!issued || issued->client != client->id) co_return response;
  const oauth::Standing standing = co_await oauth::standing_of(standings_, issued->holder(), early);
  if (oauth::barrier_of(standing)) co_return response;
  response.body.clear();
  text::json::ObjectWriter writer(response.body);
  writer.boolean("active", true)
      .string("scope", issued->scopes.to_text())
      .string("client_id", issued->client.value())
      .string("token_type", token->kind == oauth::TokenKind::Access ? "bearer" : "refresh_token")
      .integer("iat", issued->issued);
  if (issued->expires != 0) writer.integer("exp", issued->expires);
  writer.string("sub", std::to_string(issued->contact.value()))
      .integer("account_id", issued->account.value())
      .string("iss", issuer_)
      .end();
  co_return response;
}

}  // namespace svc::endpoints
