// AuthorizationRequest: what an application asks a person for, read from the query of the
// authorization endpoint. RFC 6749 §4.1.1, RFC 7636 §4.3.
//
// There are two ways to be wrong. As long as client and redirect URI are not proved to belong
// together, the person is told on a page and nobody is sent anywhere; from then on the error is the
// application's to hear, at its redirect URI.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "loop/task.h"
#include "oauth/client.h"
#include "oauth/scope_set.h"
#include "oauth/stores.h"

namespace svc::oauth {

enum class ResponseMode { Query, FormPost };

// Where the answer goes, and what has to come back with it.
struct ReturnTo {
  std::string redirect_uri;          // as asked for, with its extra parameters
  std::optional<std::string> state;  // any bytes
  ResponseMode mode = ResponseMode::Query;
};

// RFC 6749 §4.1.2.1. `code` is a literal.
struct AuthorizationError {
  std::string_view code;
  std::string description;
};

struct AuthorizationRequest {
  Client client;
  ReturnTo return_to;
  ScopeSet scopes;             // asked for; without a scope parameter all of the client's
  std::string code_challenge;  // S256; empty: none
  std::optional<AuthorizationError> error;  // then scopes and challenge say nothing
};

// For a page: one line that names the parameter and what is wrong with it. Nothing of it comes from
// the request.
struct UnsafeRequest {
  std::string text;
  bool names_no_application = false;  // it does name one, but there is none of that id
};

// Asks for the client, and nothing else. What the query is a view of outlives the task.
loop::Task<base::Result<AuthorizationRequest, UnsafeRequest>> read_authorization_request(
    std::string_view query, Clients& clients);

}  // namespace svc::oauth
