#include "http/api_error.h"

#include <algorithm>
#include <cstdlib>

#include "text/json.h"

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

Response api_invalid_fields(const std::vector<InvalidField>& fields) {
  std::string all;
  std::vector<std::string_view> names;
  for (const InvalidField& each : fields) {
    all.append(all.empty() ? "" : "; ").append(each.field).append(": ").append(each.words);
    if (std::ranges::find(names, each.field) == names.end()) names.push_back(each.field);
  }
  Response response;
  auto json = begin(response, code_with(&ApiCode::status, 422), all);
  text::json::ObjectWriter errors(json.raw("errors"));
  for (const std::string_view name : names) {
    std::vector<std::string_view> words;
    for (const InvalidField& each : fields) {
      if (each.field == name) words.push_back(each.words);
    }
    errors.strings(name, words);
  }
  errors.end();
  json.end();
  return response;
}

}  // namespace svc::http
