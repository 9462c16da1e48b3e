// authorization_response: what goes back to an application's redirect URI. RFC 6749 §4.1.2, RFC
// 9207.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "media/account.h"
#include "media/contact.h"
#include "oauth/authorization_request.h"
#include "oauth/token.h"

namespace svc::oauth {

struct AnswerField {
  std::string_view name;  // a literal
  std::string value;
};
using Answer = std::vector<AnswerField>;

// `issuer` says which server answers, so that a client of several is not mixed up.
Answer answer_with_code(const Token& code, const media::Account& account,
                        const media::Contact& contact, const ReturnTo& to, std::string_view issuer);
// What RFC 6749 §4.1.2.1 does not allow in a description becomes `?`.
Answer answer_with_error(const AuthorizationError& error, const ReturnTo& to,
                         std::string_view issuer);

// The redirect URI as it was asked for, its bytes kept, and the answer behind it.
std::string location_of(const Answer& answer, const ReturnTo& to);

}  // namespace svc::oauth
