// TokenRequest: the parameters of a POST to the token, revocation or
// introspection endpoint, from its query string, form body and Basic
// credentials.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "oauth/grant_error.h"

namespace svc::oauth {

struct TokenRequest {
  // From the form or the query string; empty if absent, RFC 6749 §3.2.
  std::string grant_type;
  std::string client_id;
  std::string client_secret;
  std::string code;
  std::string redirect_uri;
  std::string code_verifier;
  std::string refresh_token;
  std::string scope;
  std::string token;                   // RFC 7009, RFC 7662
  std::string token_type_hint;         // the same
  std::vector<std::string> resources;  // RFC 8707: the only parameter that may occur several times

  bool secret_in_query = false;
  // The client authenticates by Basic, RFC 6749 §2.3.1: client_id and
  // client_secret are from the header.
  bool basic = false;

  // Refuses another parameter that occurs twice, even once in each place; two methods
  // of authentication; another scheme than Basic; and Basic credentials that
  // are not strict base64 of two form-encoded halves.
  static base::Result<TokenRequest, GrantError> parse(std::string_view query, std::string_view body,
                                                      std::string_view authorization);
};

}  // namespace svc::oauth
