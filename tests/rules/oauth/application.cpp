#include "rules/oauth/application.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "text/form.h"
#include "text/uri.h"

namespace svc::rules {
namespace {

// `fields` with these in place of or beside its own; without those whose new value is "-".
Ask::Fields changed(Ask::Fields fields, const Ask::Fields& other) {
  for (const auto& [name, value] : other) {
    std::erase_if(fields, [&](const auto& field) { return field.first == name; });
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
