#include "oauth/authorization_response.h"

#include "text/uri.h"

namespace svc::oauth {
namespace {

void add_state_and_issuer(Answer& answer, const ReturnTo& to, std::string_view issuer) {
  if (to.state) answer.push_back({"state", *to.state});
  answer.push_back({"iss", std::string(issuer)});
}

// %x20-21 / %x23-5B / %x5D-7E.
std::string as_description(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c >= 0x20 && c <= 0x7e && c != '"' && c != '\\' ? c : '?';
  }
  return out;
}

}  // namespace

Answer answer_with_code(const Token& code, const media::Account& account,
                        const media::Contact& contact, const ReturnTo& to, ClientType type,
                        std::string_view issuer) {
  Answer answer{{"code", code.text}};
  add_state_and_issuer(answer, to, issuer);
  answer.push_back({"account_id", std::to_string(account.id.value())});
  if (type == ClientType::Confidential) answer.push_back({"account_url", account.url});
  answer.push_back({"account_name", account.name});
  if (type == ClientType::Public) return answer;
  answer.push_back({"contact_id", std::to_string(contact.id.value())});
  answer.push_back({"contact_name", contact.name});
  answer.push_back({"contact_email", contact.email});
  return answer;
}

Answer answer_with_error(const AuthorizationError& error, const ReturnTo& to,
                         std::string_view issuer) {
  Answer answer{{"error", std::string(error.code)},
                {"error_description", as_description(error.description)}};
  add_state_and_issuer(answer, to, issuer);
  return answer;
}

std::string location_of(const Answer& answer, const ReturnTo& to) {
  std::string location = to.redirect_uri;
  char separator = location.find('?') == std::string::npos ? '?' : '&';
  for (const auto& [name, value] : answer) {
    location += separator;
    location += name;
    location += '=';
    text::append_percent_encoded(location, value);
    separator = '&';
  }
  return location;
}

}  // namespace svc::oauth
