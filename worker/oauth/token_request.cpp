#include "oauth/token_request.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/base64.h"
#include "oauth/resource.h"
#include "text/ascii.h"
#include "text/form.h"

namespace svc::oauth {
namespace {

using base::Refusal;

constexpr std::array<std::pair<std::string_view, std::string TokenRequest::*>, 10> kParameters{{
    {"grant_type", &TokenRequest::grant_type},
    {"client_id", &TokenRequest::client_id},
    {"client_secret", &TokenRequest::client_secret},
    {"code", &TokenRequest::code},
    {"redirect_uri", &TokenRequest::redirect_uri},
    {"code_verifier", &TokenRequest::code_verifier},
    {"refresh_token", &TokenRequest::refresh_token},
    {"scope", &TokenRequest::scope},
    {"token", &TokenRequest::token},
    {"token_type_hint", &TokenRequest::token_type_hint},
}};

Refusal<GrantError> invalid_token_request(std::string why) {
  return Refusal{GrantError{GrantError::Code::InvalidRequest, std::move(why)}};
}
Refusal<GrantError> invalid_client(std::string why) {
  return Refusal{GrantError{GrantError::Code::InvalidClient, std::move(why)}};
}

// An empty parameter counts as absent. Returns the error, or nullopt.
std::optional<std::string> read(std::string_view text, TokenRequest& request) {
  const text::Form form = text::Form::parse(text);
  if (form.fields().size() == text::Form::kMaxFields) return "there are too many parameters";
  for (const text::FormField& field : form.fields()) {
    if (field.value.empty()) continue;
    if (field.name == "resource") {
      request.resources.push_back(field.value);
      if (request.resources.size() > kMostResources) return "there are too many resources";
    }
    for (const auto& [name, member] : kParameters) {
      if (field.name != name) continue;
      if (!(request.*member).empty()) return "the parameter " + std::string(name) + " is repeated";
      request.*member = field.value;
      break;
    }
  }
  return std::nullopt;
}

bool is_basic(std::string_view authorization) {
  constexpr std::string_view kScheme = "basic ";
  return authorization.size() >= kScheme.size() &&
         text::to_lower(authorization.substr(0, kScheme.size())) == kScheme;
}

}  // namespace

base::Result<TokenRequest, GrantError> TokenRequest::parse(std::string_view query,
                                                           std::string_view body,
                                                           std::string_view authorization) {
  TokenRequest request;
  if (const auto wrong = read(query, request)) return invalid_token_request(*wrong);
  request.secret_in_query = !request.client_secret.empty();
  if (const auto wrong = read(body, request)) return invalid_token_request(*wrong);
  if (authorization.empty()) return request;

  if (!is_basic(authorization))
    return invalid_client("the Authorization header must be of the scheme Basic");
  // RFC 9110 §11.4: one or more spaces.
  authorization.remove_prefix(
      std::min(authorization.find_first_not_of(' ', 6), authorization.size()));
  const auto pair = base::base64_decode(authorization);
  const std::size_t colon = pair ? pair->find(':') : std::string::npos;
  if (colon == std::string::npos)
    return invalid_client("the Basic credentials are not base64 of client_id:client_secret");
  if (!request.client_secret.empty())
    return invalid_token_request(
        "there are two ways of client authentication, Basic and client_secret");
  const std::string id = text::form_decode(std::string_view(*pair).substr(0, colon));
  if (!request.client_id.empty() && request.client_id != id)
    return invalid_token_request("the parameter client_id differs from the Basic credentials");
  request.client_id = id;
  request.client_secret = text::form_decode(std::string_view(*pair).substr(colon + 1));
  request.basic = true;
  return request;
}

}  // namespace svc::oauth
