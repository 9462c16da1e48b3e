#include "endpoints/oauth/introspect.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loop/all.h"
#include "oauth/lookup.h"
#include "text/json.h"

namespace svc::endpoints {
namespace {

// Returns true if the client may see the state of that token: its own tokens, and as a resource
// server the access tokens for its account or its resources. oauth-R3
bool may_see(const oauth::Client& client, oauth::TokenKind kind, const oauth::Issued& issued) {
  if (issued.client == client.id) return true;
  if (!client.resource_server || kind != oauth::TokenKind::Access) return false;
  return issued.account == client.account ||
         std::ranges::any_of(issued.resources, [&](const std::string& resource) {
           return std::ranges::find(client.resources, resource) != client.resources.end();
         });
}

}  // namespace

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
  if (!issued || !may_see(*client, token->kind, *issued)) co_return response;
  const oauth::Standing standing = co_await oauth::standing_of(standings_, *issued, early);
  if (oauth::barrier_of(standing)) co_return response;
  response.body.clear();
  text::json::ObjectWriter writer(response.body);
  writer.boolean("active", true)
      .string("scope", issued->scopes.to_text())
      .string("client_id", issued->client.value())
      .string("token_type", token->kind == oauth::TokenKind::Access ? "bearer" : "refresh_token")
      .integer("iat", issued->issued);
  if (issued->expires != 0) writer.integer("exp", issued->expires);
  const auto person = issued->person();
  writer.string("sub", person ? std::to_string(person->value()) : issued->client.value())
      .integer("account_id", issued->account.value());
  const oauth::Resources resources = own_.named(issued->resources);
  if (resources.size() == 1) {
    writer.string("aud", resources.front());
  } else {
    writer.strings("aud", std::vector<std::string_view>(resources.begin(), resources.end()));
  }
  writer.string("iss", issuer_).end();
  co_return response;
}

}  // namespace svc::endpoints
