#include "oauth/authorization_request.h"

#include <algorithm>
#include <array>

#include "oauth/lookup.h"
#include "oauth/redirect_uri.h"
#include "text/ascii.h"
#include "text/form.h"
#include "text/uri.h"
#include "text/utf8.h"
#include "text/word_list.h"

namespace svc::oauth {
namespace {

constexpr std::size_t kMinChallenge = 43;
constexpr std::size_t kMaxChallenge = 128;

// The known parameters. RFC 6749 §3.1: an empty parameter counts as absent, and
// none may occur twice.
class Parameters {
 public:
  explicit Parameters(std::string_view query) : form_(text::Form::parse(query)) {}

  bool too_many() const { return form_.fields().size() == text::Form::kMaxFields; }

  std::optional<std::string_view> find(std::string_view name) const {
    for (const auto& [its_name, value] : form_.fields()) {
      if (its_name == name && !value.empty()) return value;
    }
    return std::nullopt;
  }

  std::vector<std::string> all(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& [its_name, value] : form_.fields()) {
      if (its_name == name && !value.empty()) values.push_back(value);
    }
    return values;
  }

  bool is_repeated(std::string_view name) const {
    int count = 0;
    for (const auto& [its_name, value] : form_.fields()) {
      count += its_name == name && !value.empty() ? 1 : 0;
    }
    return count > 1;
  }

 private:
  const text::Form form_;
};

// Returns true if an HTML form sends this text back unchanged. It changes line
// ends, other control characters and bytes that are not UTF-8.
bool fits_in_a_form(std::string_view text) {
  for (const char c : text) {
    if (text::is_control(c)) return false;
  }
  return text::is_utf8(text);
}

bool is_challenge(std::string_view text) {
  if (text.size() < kMinChallenge || text.size() > kMaxChallenge) return false;
  for (const char c : text) {
    if (!text::is_unreserved(c)) return false;
  }
  return true;
}

using Error = std::optional<AuthorizationError>;

Error invalid_request(std::string description) {
  return AuthorizationError{"invalid_request", std::move(description)};
}

// Also decides whether and how the response returns the state.
Error read_return(const Parameters& parameters, ReturnTo& to) {
  const bool takes_form = redirect_target(to.redirect_uri) != RedirectTarget::PrivateScheme;
  Error error;
  const auto mode = parameters.find("response_mode");
  if (parameters.is_repeated("response_mode")) {
    error = invalid_request("response_mode is repeated");
  } else if (mode == "form_post" && !takes_form) {
    error = invalid_request("response_mode must be query: a private-use scheme takes no form");
  } else if (mode == "form_post") {
    to.mode = ResponseMode::FormPost;
  } else if (mode && mode != "query") {
    error = invalid_request("response_mode must be query or form_post");
  }
  const auto state = parameters.find("state");
  if (parameters.is_repeated("state")) return invalid_request("state is repeated");
  if (!state) return error;
  if (to.mode == ResponseMode::FormPost && !fits_in_a_form(*state)) {
    return invalid_request(
        "state must be UTF-8 without control characters to come back by form_post");
  }
  to.state = std::string(*state);
  return error;
}

Error read_scopes(const Parameters& parameters, const Client& client, ScopeSet& scopes) {
  const auto text = parameters.find("scope");
  if (!text) {
    scopes = client.scopes;
    return std::nullopt;
  }
  const std::optional<ScopeSet> asked = ScopeSet::asked_for(*text, client.scopes);
  if (!asked)
    return AuthorizationError{"invalid_scope", "scope contains an unknown scope, or none"};
  scopes = *asked;
  if (!client.scopes.covers(scopes)) {
    return AuthorizationError{"invalid_scope",
                              "scope contains a scope that the application is not registered for"};
  }
  return std::nullopt;
}

// Unknown values are ignored, `none` among them: without a login no request is redirected.
Prompt read_prompt(const Parameters& parameters) {
  Prompt prompt;
  for (const std::string_view word : text::words(parameters.find("prompt").value_or(""))) {
    prompt.login |= word == "login";
    prompt.account |= word == "select_account";
    prompt.consent |= word == "consent";
  }
  return prompt;
}

// RFC 7636 §4.3. Without a method it would be `plain`, which does not protect
// against an attacker who sees the request.
Error read_challenge(const Parameters& parameters, const Client& client, std::string& challenge) {
  const auto value = parameters.find("code_challenge");
  const auto method = parameters.find("code_challenge_method");
  if (!value) {
    if (method) return invalid_request("code_challenge_method is there without code_challenge");
    if (client.require_pkce)
      return invalid_request("code_challenge is missing, and this application must send one");
    return std::nullopt;
  }
  if (method != "S256") return invalid_request("code_challenge_method must be S256");
  if (!is_challenge(*value))
    return invalid_request("code_challenge must be 43 to 128 unreserved characters");
  challenge = std::string(*value);
  return std::nullopt;
}

Error read_rest(const Parameters& parameters, AuthorizationRequest& request) {
  if (auto error = read_return(parameters, request.return_to)) return error;
  for (const std::string_view name : {"response_type", "scope", "prompt", "code_challenge",
                                      "code_challenge_method", "ui_locales"}) {
    if (parameters.is_repeated(name)) return invalid_request(std::string(name) + " is repeated");
  }
  const auto type = parameters.find("response_type");
  if (!type) return invalid_request("response_type is missing");
  if (type != "code")
    return AuthorizationError{"unsupported_response_type", "response_type must be code"};
  if (auto error = read_scopes(parameters, request.client, request.scopes)) return error;
  return read_challenge(parameters, request.client, request.code_challenge);
}

base::Refusal<UnsafeRequest> unsafe(std::string text) { return {UnsafeRequest{std::move(text)}}; }

}  // namespace

loop::Task<base::Result<AuthorizationRequest, UnsafeRequest>> read_authorization_request(
    std::string_view query, Clients& clients, ResourceServers& servers, const OwnResources& own) {
  const Parameters parameters(query);
  // The ignored rest could contain a second client_id.
  if (parameters.too_many()) co_return unsafe("there are too many parameters");
  for (const std::string_view name : {"client_id", "redirect_uri"}) {
    if (parameters.is_repeated(name)) co_return unsafe(std::string(name) + " is repeated");
  }
  const auto id = parameters.find("client_id");
  if (!id) co_return unsafe("client_id is missing");
  std::optional<Client> client;
  if (is_client_id(*id) || is_document_url(*id)) {
    const ClientId client_id{std::string(*id)};
    client = co_await clients.find_client(client_id);
  }
  if (!client) co_return base::Refusal{UnsafeRequest{"client_id names no application", true}};
  const auto uri = parameters.find("redirect_uri");
  if (!uri) co_return unsafe("redirect_uri is missing");
  const auto extra = client->exact_redirect ? ExtraParameters::Refused : ExtraParameters::Allowed;
  if (const auto mismatch = mismatch_of(client->redirect_uris, *uri, extra))
    co_return unsafe("redirect_uri: " + mismatch->text);

  AuthorizationRequest request;
  request.client = std::move(*client);
  request.return_to.redirect_uri = std::string(*uri);
  request.prompt = read_prompt(parameters);
  request.error = read_rest(parameters, request);
  const std::vector<std::string> resources = parameters.all("resource");
  if (request.error || resources.empty()) co_return request;
  std::optional<Resources> found = co_await find_resources(resources, servers, own);
  if (found) {
    request.resources = *std::move(found);
  } else {
    request.error = AuthorizationError{"invalid_target", std::string(kUnknownResource)};
  }
  co_return request;
}

std::optional<DocumentRequest> document_request(std::string_view query) {
  const Parameters parameters(query);
  const auto id = parameters.find("client_id");
  if (parameters.too_many() || parameters.is_repeated("client_id") || !id || !is_document_url(*id))
    return std::nullopt;
  DocumentRequest request;
  request.client_id = *id;
  if (!parameters.is_repeated("redirect_uri"))
    request.redirect_uri = parameters.find("redirect_uri").value_or("");
  request.asks_login = read_prompt(parameters).login;
  return request;
}

std::string without_login_prompt(std::string_view query) {
  std::string out;
  while (true) {
    const std::string_view field = query.substr(0, query.find('&'));
    const text::Form form = text::Form::parse(field);
    if (const auto prompt = form.find("prompt")) {
      out += "prompt=";
      for (const std::string_view word : text::words(*prompt)) {
        if (word == "login") continue;
        if (!out.ends_with('=')) out += '+';
        text::append_percent_encoded(out, word);
      }
    } else {
      out += field;
    }
    if (field.size() == query.size()) return out;
    out += '&';
    query.remove_prefix(field.size() + 1);
  }
}

}  // namespace svc::oauth
