#include "oauth/client_authentication.h"

#include "base/address_group.h"

namespace svc::oauth {
namespace {

base::Refusal<GrantError> refuse(GrantError::Code code, std::string why) {
  return base::Refusal{GrantError{code, std::move(why)}};
}

}  // namespace

void ClientAuthentication::expect(const TokenRequest& request, std::string_view address) {
  if (request.client_secret.empty() || !is_client_id(request.client_id)) return;
  clients_.expect_client({request.client_id});
  guesses_.expect_guesses({request.client_id}, base::address_group(address));
}

base::Result<Client, GrantError> ClientAuthentication::run(const TokenRequest& request,
                                                           std::string_view address) {
  using enum GrantError::Code;
  // One wording for all of them: nobody learns which applications there are.
  const auto unknown = [] {
    return refuse(InvalidClient, "the client is unknown or its secret is wrong");
  };
  if (request.client_id.empty() && request.client_secret.empty())
    return refuse(InvalidClient, "client authentication is missing");
  if (request.client_id.empty() || request.client_secret.empty())
    return refuse(InvalidClient, "client authentication needs client_id and client_secret");
  // Not a name that any client has, and perhaps not one that a key may have.
  if (!is_client_id(request.client_id)) return unknown();

  const ClientId id{request.client_id};
  auto client = clients_.find_client(id);
  if (!client) return unknown();
  const std::string guesser = base::address_group(address);
  if (guesses_.guesses(id, guesser) >= kMaxGuesses)
    return refuse(TooManyFailures, "too many wrong secrets from this address, wait a minute");
  if (!is_secret_of(keys_, *client, request.client_secret)) {
    guesses_.count_guess(id, guesser);
    return unknown();
  }
  if (client->refuse_query_credentials && request.secret_in_query)
    return refuse(InvalidRequest, "this client may not send its secret in the query string");
  return std::move(*client);
}

}  // namespace svc::oauth
