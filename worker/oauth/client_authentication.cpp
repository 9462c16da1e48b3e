#include "oauth/client_authentication.h"

#include "base/address_group.h"
#include "loop/all.h"
#include "loop/attempt.h"

namespace svc::oauth {
namespace {

base::Refusal<GrantError> refuse_client(GrantError::Code code, std::string why) {
  return base::Refusal{GrantError{code, std::move(why)}};
}

// One text for both, so that a client cannot find out which applications exist.
base::Refusal<GrantError> unknown() {
  return refuse_client(GrantError::Code::InvalidClient,
                       "the client is unknown or its secret is wrong");
}

base::Refusal<GrantError> has_no_secret() {
  return refuse_client(GrantError::Code::InvalidClient,
                       "the application is public: it has no secret, and sends client_id as a "
                       "parameter, without the Authorization header");
}

base::Refusal<GrantError> wait_a_minute() {
  return refuse_client(GrantError::Code::TooManyFailures,
                       "too many wrong secrets from this address, wait a minute");
}

}  // namespace

loop::Task<base::Result<Client, GrantError>> ClientAuthentication::run(const TokenRequest& request,
                                                                       std::string_view address) {
  using enum GrantError::Code;
  if (request.client_id.empty() && request.client_secret.empty())
    co_return refuse_client(InvalidClient, "client authentication is missing");
  const auto incomplete = [] {
    return refuse_client(InvalidClient,
                         "client authentication needs client_id and client_secret, except of a "
                         "public application, which has only client_id");
  };
  if (request.client_id.empty()) co_return incomplete();
  // Its codes and tokens say the rest. oauth-M2
  if (is_document_url(request.client_id)) {
    if (request.basic || !request.client_secret.empty()) co_return has_no_secret();
    std::optional<Client> client = client_without_document(request.client_id, documents_);
    if (!client) co_return unknown();
    co_return std::move(*client);
  }
  // No client has such an id, and it may not be allowed in a key.
  if (!is_client_id(request.client_id)) co_return unknown();

  const ClientId id{request.client_id};
  // A public client proves its code or refresh token instead, RFC 6749 §3.2.1.
  if (request.client_secret.empty() && !request.basic) {
    std::optional<Client> client = co_await clients_.find_client(id);
    if (!client || !client->is_public()) co_return incomplete();
    co_return std::move(*client);
  }
  if (request.client_secret.empty()) co_return incomplete();
  const std::string guesser = base::address_group(address);
  auto both = loop::all(clients_.find_client(id), loop::attempt(guesses_.guesses(id, guesser)));
  auto found = co_await both;
  auto& [client, guesses] = found;
  if (!client) co_return unknown();
  if (client->is_public()) co_return has_no_secret();
  if (guesses.get() >= kMaxGuesses) co_return wait_a_minute();
  if (!is_secret_of(keys_, *client, request.client_secret)) {
    // Any worker may have counted other failures since.
    const std::int64_t counted = co_await guesses_.count_guess(id, guesser);
    if (counted > kMaxGuesses) co_return wait_a_minute();
    co_return unknown();
  }
  if (client->refuse_query_credentials && request.secret_in_query)
    co_return refuse_client(InvalidRequest,
                            "this client may not send its secret in the query string");
  co_return std::move(*client);
}

}  // namespace svc::oauth
