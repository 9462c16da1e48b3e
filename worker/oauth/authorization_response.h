// authorization_response: the parameters sent to an application's redirect URI.
// RFC 6749 §4.1.2, RFC 9207.
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

// A public client is not told about the contact. `issuer` identifies this server, against mix-up
// attacks on clients of several servers.
Answer answer_with_code(const Token& code, const media::Account& account,
                        const media::Contact& contact, const ReturnTo& to, ClientType type,
                        std::string_view issuer);
// Characters that RFC 6749 §4.1.2.1 forbids in a description become `?`.
Answer answer_with_error(const AuthorizationError& error, const ReturnTo& to,
                         std::string_view issuer);

// Returns the requested redirect URI, unchanged, with the parameters of the
// answer appended to its query.
std::string location_of(const Answer& answer, const ReturnTo& to);

}  // namespace svc::oauth
