#include "rules/oauth/application.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "text/form.h"
#include "text/uri.h"

namespace svc::rules {
namespace {

// Returns `fields` with those of `other` added or replaced, and without those whose new value is
// "-".
Ask::Fields changed(Ask::Fields fields, const Ask::Fields& other) {
  for (const auto& [name, value] : other) {
    // clang 14 captures no structured binding.
    std::erase_if(fields,
                  [&other_name = name](const auto& field) { return field.first == other_name; });
    if (value != "-") fields.emplace_back(name, value);
  }
  return fields;
}

}  // namespace

std::string WithApplication::authorize(const Ask::Fields& other) {
  std::string target = "/oauth/authorize";
  char before = '?';
  for (const auto& [name, value] :
       changed({{"response_type", "code"}, {"client_id", kClient}, {"redirect_uri", kRedirectUri}},
               other)) {
    target += before + text::percent_encode(name) + "=" + text::percent_encode(value);
    before = '&';
  }
  return target;
}

std::string WithApplication::new_code(const Ask::Fields& other) {
  Answer answer = browser_.ask(authorize(other));
  if (answer.status == 200)
    answer = browser_.submit(answer, "/oauth/authorize", {{"answer", "allow"}});
  const std::string code = parameter_of(answer.header("Location"), "code");
  if (code.empty())
    throw std::runtime_error("no code: " + std::to_string(answer.status) +
                             answer.header("Location") + answer.body);
  return code;
}

Answer WithApplication::post(const std::string& path, const Ask::Fields& fields) {
  return ask(Ask("POST " + path)
                 .with_form(changed({{"client_id", kClient}, {"client_secret", kSecret}}, fields)));
}

Answer WithApplication::exchange(const std::string& code, const Ask::Fields& other) {
  return post("/oauth/token", changed({{"grant_type", "authorization_code"},
                                       {"redirect_uri", kRedirectUri},
                                       {"code", code}},
                                      other));
}

Answer WithApplication::refresh(const std::string& token, const Ask::Fields& other) {
  return post("/oauth/token",
              changed({{"grant_type", "refresh_token"}, {"refresh_token", token}}, other));
}

WithApplication::Tokens WithApplication::tokens_of(const Answer& answer) {
  if (answer.status != 200) throw std::runtime_error("no tokens: " + answer.body);
  return {member_of(answer, "access_token"), member_of(answer, "refresh_token")};
}

WithApplication::Tokens WithApplication::new_tokens(const Ask::Fields& authorize,
                                                    const Ask::Fields& other) {
  return tokens_of(exchange(new_code(authorize), other));
}

void WithApplication::import_other(const std::string& members, const std::string& uri,
                                   const std::string& scopes) {
  stores().import(std::string(R"({"kind": "application", "client_id": ")") + kOther +
                  R"(", "client_secret": ")" + kOtherSecret + R"(", "redirect_uri": ")" + uri +
                  R"(", "account_id": 1001, "name": "Every scope", "scopes": [)" + scopes + "], " +
                  members + (members.empty() ? "" : ", ") +
                  R"("created": "2026-04-01T10:00:00Z"})");
}

void WithApplication::import_olivia(const std::string& memberships) {
  stores().import(R"({"kind": "user", "id": 501, "name": "Olivia Owner", )"
                  R"("email": "olivia@acme.example", "memberships": [)" +
                  memberships + "]}");
}

void WithApplication::import_acme(bool oauth_enabled) {
  stores().import(R"({"kind": "account", "id": 1001, "name": "Acme Films", )"
                  R"("host": "acme.svc.localhost", "url": "https://acme.svc.localhost", )"
                  R"("oauth_enabled": )" +
                  std::string(oauth_enabled ? "true}" : "false}"));
}

std::size_t WithApplication::events(std::string_view what) { return stores().events(what); }

std::vector<std::string> WithApplication::keys(const std::string& pattern) {
  const redis::Reply all = stores().command({"KEYS", pattern});
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) names.emplace_back(*all.at(i).text());
  return names;
}

std::string outcome(const Answer& answer) {
  const std::string error = member_of(answer, "error");
  return std::to_string(answer.status) + (error.empty() ? "" : " " + error);
}

std::string parameter_of(const std::string& url, std::string_view name) {
  const std::size_t mark = url.find('?');
  if (mark == std::string::npos) return "";
  const text::Form form = text::Form::parse(std::string_view(url).substr(mark + 1));
  return std::string(form.find(name).value_or(""));
}

std::string member_of(const Answer& answer, std::string_view name) {
  const std::string before = "\"" + std::string(name) + "\":";
  const std::size_t at = answer.body.find(before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  if (answer.body[begin] == '"')
    return answer.body.substr(begin + 1, answer.body.find('"', begin + 1) - begin - 1);
  return answer.body.substr(begin, answer.body.find_first_of(",}", begin) - begin);
}

}  // namespace svc::rules
