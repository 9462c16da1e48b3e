// TokenRequest: the parameters of a POST to the token, revocation or introspection endpoint, from
// wherever they may stand: query string, form body, Basic credentials.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "oauth/grant_error.h"

namespace svc::oauth {

struct TokenRequest {
  // Of the form or the query string; empty where there is none, RFC 6749 §3.2.
  std::string grant_type;
  std::string client_id;
  std::string client_secret;
  std::string code;
  std::string redirect_uri;
  std::string code_verifier;
  std::string refresh_token;
  std::string scope;
  std::string token;            // RFC 7009, RFC 7662
  std::string token_type_hint;  // the same

  bool secret_in_query = false;
  // The way of authentication is Basic, RFC 6749 §2.3.1; client_id and client_secret are from
  // there.
  bool basic = false;

  // Refuses a parameter that comes twice, here and there too; two ways of authentication; Basic
  // that is not strict base64 of two form-encoded halves.
  static base::Result<TokenRequest, GrantError> parse(std::string_view query, std::string_view body,
                                                      std::string_view authorization);
};

}  // namespace svc::oauth
