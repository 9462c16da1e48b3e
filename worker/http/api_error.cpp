#include "http/api_error.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "text/ascii.h"
#include "text/json.h"
#include "text/utf8.h"
#include "text/word_list.h"

namespace svc::http {
namespace {

template <class Value>
const ApiCode& code_with(Value ApiCode::*member, const Value& value) {
  const auto* const found = std::ranges::find(kApiCodes, value, member);
  if (found == kApiCodes.end()) std::abort();
  return *found;
}

text::json::ObjectWriter begin(Response& response, const ApiCode& code,
                               std::string_view description) {
  response.status = code.status;
  response.content_type = kJson;
  text::json::ObjectWriter json(response.body);
  json.string("error", code.name).string("error_description", description);
  return json;
}

}  // namespace

Response api_error(int status, std::string_view description) {
  Response response;
  begin(response, code_with(&ApiCode::status, status), description).end();
  return response;
}

Response api_error(std::string_view code, std::string_view description) {
  Response response;
  begin(response, code_with(&ApiCode::name, code), description).end();
  return response;
}

Response api_error(int status, std::string_view description, std::string_view name,
                   std::int64_t number) {
  Response response;
  begin(response, code_with(&ApiCode::status, status), description).integer(name, number).end();
  return response;
}

void name_request(Response& response, std::string_view id) {
  if (id.empty() || response.status < 400 ||
      !response.content_type.starts_with("application/json") || !response.body.ends_with('}'))
    return;
  response.body.pop_back();
  response.body += response.body.ends_with('{') ? "\"request_id\":" : ",\"request_id\":";
  text::json::append_string(response.body, id);
  response.body += '}';
}

std::string shown(std::string_view of_client) {
  constexpr std::string_view kEllipsis = "…";
  std::string out;
  std::size_t fits = 0;  // the end of what fits before the ellipsis
  while (!of_client.empty()) {
    const std::size_t length = text::utf8_length(of_client);
    const bool is_shown = length > 0 && !text::is_control(of_client.front());
    const std::string_view next = is_shown ? of_client.substr(0, length) : "?";
    if (out.size() + next.size() > kMostShown) return out.substr(0, fits) + std::string(kEllipsis);
    out += next;
    if (out.size() + kEllipsis.size() <= kMostShown) fits = out.size();
    of_client.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

Response api_invalid_fields(const std::vector<InvalidField>& fields) {
  std::string all;
  std::vector<std::pair<std::string, std::vector<std::string_view>>> by_name;
  for (const InvalidField& each : fields) {
    const std::string name = shown(each.field);
    text::add_word(all, name + ": " + std::string(each.words), "; ");
    auto of_name = std::ranges::find(by_name, name, &decltype(by_name)::value_type::first);
    if (of_name == by_name.end()) of_name = by_name.insert(by_name.end(), {name, {}});
    of_name->second.push_back(each.words);
  }
  Response response;
  auto json = begin(response, code_with(&ApiCode::status, 422), all);
  text::json::ObjectWriter errors(json.raw("errors"));
  for (const auto& [name, words] : by_name) errors.strings(name, words);
  errors.end();
  json.end();
  return response;
}

}  // namespace svc::http
