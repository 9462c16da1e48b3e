// AuthorizationRequest: an application's request for a user's consent, read
// from the query of the authorization endpoint. RFC 6749 §4.1.1, RFC 7636 §4.3.
//
// There are two kinds of error. Until the redirect URI is known to belong to
// the client, errors are shown to the user on a page, without a redirect. After
// that, errors are sent to the application's redirect URI.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "loop/task.h"
#include "oauth/client.h"
#include "oauth/document_client.h"
#include "oauth/resource.h"
#include "oauth/scope_set.h"
#include "oauth/stores.h"

namespace svc::oauth {

enum class ResponseMode { Query, FormPost };

// The destination of the response, and the values that it must return.
struct ReturnTo {
  std::string redirect_uri;          // as requested, with its extra parameters
  std::optional<std::string> state;  // may contain any byte
  ResponseMode mode = ResponseMode::Query;
};

// RFC 6749 §4.1.2.1. `code` is a literal.
struct AuthorizationError {
  std::string_view code;
  std::string description;
};

// Pages that the application wants its user to see even if they are not needed: the values of
// `prompt` in OpenID Connect Core §3.1.2.1.
struct Prompt {
  bool login = false;
  bool account = false;  // select_account
  bool consent = false;
};

struct AuthorizationRequest {
  Client client;
  ReturnTo return_to;
  ScopeSet scopes;  // as requested; without a scope parameter, all of the client's
  Resources resources{};
  Prompt prompt{};
  std::string code_challenge;                // S256; empty: none
  std::optional<DocumentClient> document{};  // if that describes the client; set by the caller
  std::optional<AuthorizationError> error;   // if set, ignore scopes and challenge
};

// For a page: one line with the parameter and the error. Contains no text from
// the request.
struct UnsafeRequest {
  std::string text;
  bool names_no_application = false;  // client_id is given, but unknown
};

// Reads the client from the store, and the servers of resources that are not the service's own. The
// query outlives the task.
loop::Task<base::Result<AuthorizationRequest, UnsafeRequest>> read_authorization_request(
    std::string_view query, Clients& clients, ResourceServers& servers, const OwnResources& own);

// What such a request says before its client is known, if its client_id is the URL of a document.
struct DocumentRequest {
  std::string client_id;
  std::string redirect_uri;  // empty: missing or repeated
  bool asks_login = false;
};
// Returns nullopt if the client_id names no document, or is repeated.
std::optional<DocumentRequest> document_request(std::string_view query);

// The query of such a request, whose `prompt` does not ask for a login.
std::string without_login_prompt(std::string_view query);

}  // namespace svc::oauth
