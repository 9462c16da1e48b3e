// Parameters and Basic credentials of the token, revocation and introspection
// endpoints. Three lines: the query, the Authorization header, the body.
#include <algorithm>
#include <string>

#include "base/base64.h"
#include "fuzz/target.h"
#include "oauth/token_request.h"
#include "text/uri.h"

namespace svc::fuzz {
namespace {

// RFC 4648 §4, from the form without padding of §5.
std::string base64(std::string_view bytes) {
  std::string text = base::base64url_encode(bytes);
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

void run(std::string_view input) {
  const std::string_view query = take_line(input);
  const std::string_view authorization = take_line(input);
  const std::string_view body = input;
  const auto request = oauth::TokenRequest::parse(query, body, authorization);
  if (!request) return;
  require(request->basic == !authorization.empty(),
          "a header with other credentials than Basic is refused");
  if (request->basic) {
    require(!request->secret_in_query, "there is only one method of authentication");
    const std::string pair = text::percent_encode(request->client_id) + ":" +
                             text::percent_encode(request->client_secret);
    const auto again = oauth::TokenRequest::parse("", "", "bAsIc  " + base64(pair));
    require(again && again->client_id == request->client_id &&
                again->client_secret == request->client_secret,
            "printed credentials are parsed to the same");
  }
  std::string form;
  for (const auto& [name, value] :
       {std::pair("grant_type", &request->grant_type), std::pair("code", &request->code),
        std::pair("redirect_uri", &request->redirect_uri),
        std::pair("code_verifier", &request->code_verifier),
        std::pair("refresh_token", &request->refresh_token), std::pair("scope", &request->scope),
        std::pair("token", &request->token),
        std::pair("token_type_hint", &request->token_type_hint)}) {
    form += std::string(name) + "=" + text::percent_encode(*value) + "&";
  }
  const auto again = oauth::TokenRequest::parse("", form, "");
  require(again && again->grant_type == request->grant_type && again->code == request->code &&
              again->redirect_uri == request->redirect_uri &&
              again->code_verifier == request->code_verifier &&
              again->refresh_token == request->refresh_token && again->scope == request->scope &&
              again->token == request->token && again->token_type_hint == request->token_type_hint,
          "printed parameters are parsed to the same");
  // RFC 6749 §3.2: a parameter must not occur twice.
  if (!request->grant_type.empty())
    require(!oauth::TokenRequest::parse("grant_type=again", form, ""), "a parameter occurs once");
}

const Registered registered("token_request", run);

}  // namespace
}  // namespace svc::fuzz
