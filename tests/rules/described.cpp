#include "rules/described.h"

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>

#include "rules/site.h"
#include "text/ascii.h"

// In a namespace of its own, because text/json.cpp uses the library with other settings.
#define RAPIDJSON_NAMESPACE schemas
#define RAPIDJSON_NAMESPACE_BEGIN namespace schemas {
#define RAPIDJSON_NAMESPACE_END }
#include <rapidjson/document.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace svc::rules {
namespace {

using Value = schemas::Value;
using Allocator = schemas::Document::AllocatorType;

constexpr std::string_view kComponents = "#/components/schemas/";
constexpr std::string_view kMethods[] = {"get", "put", "post", "delete", "patch"};

std::string_view text_of(const Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

std::string json_of(const Value& value) {
  schemas::StringBuffer out;
  schemas::Writer<schemas::StringBuffer> writer(out);
  value.Accept(writer);
  return {out.GetString(), out.GetSize()};
}

const Value* member(const Value& object, std::string_view name) {
  const auto found =
      object.FindMember(Value(name.data(), static_cast<schemas::SizeType>(name.size())));
  return found == object.MemberEnd() ? nullptr : &found->value;
}

// RapidJSON's iterators are ambiguous to compare in C++20.
std::span<const Value::Member> members_of(const Value& object) {
  if (object.ObjectEmpty()) return {};
  return {&*object.MemberBegin(), object.MemberCount()};
}

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    std::size_t end = path.find('/');
    // An origin is one segment, as in worker/http/router.cpp.
    if (end != 0 && end != std::string_view::npos && path[end - 1] == ':')
      end = path.find('/', end + (path.substr(end).starts_with("//") ? 2 : 1));
    const std::string_view each = path.substr(0, end);
    segments.push_back(each);
    path.remove_prefix(each.size());
  }
  return segments;
}

bool fits(std::string_view pattern, std::string_view path) {
  const auto own = segments_of(pattern);
  const auto other = segments_of(path);
  return std::equal(own.begin(), own.end(), other.begin(), other.end(),
                    [](std::string_view one, std::string_view two) {
                      return one == two || (one.starts_with('{') && !two.empty());
                    });
}

// 405, 414, 429 and 5xx, which each operation may have.
bool is_common(int status) {
  return status == 405 || status == 414 || status == 429 || status >= 500;
}

}  // namespace

struct Described::Document {
  schemas::Document json;
  struct Compiled {
    schemas::Document json;
    std::unique_ptr<schemas::SchemaDocument> schema;
  };
  mutable std::map<const Value*, std::unique_ptr<Compiled>> compiled{};  // by the schema

  const Value& component(std::string_view reference) const {
    if (!reference.starts_with(kComponents)) throw std::runtime_error(std::string(reference));
    const Value* const found =
        member(json["components"]["schemas"], reference.substr(kComponents.size()));
    if (found == nullptr) throw std::runtime_error("no schema " + std::string(reference));
    return *found;
  }

  // Returns a schema of OpenAPI 3.1 as a schema of draft 4, in which a record has only the
  // described members.
  Value draft_4(const Value& schema, Allocator& memory) const {
    if (const Value* const reference = member(schema, "$ref"))
      return draft_4(component(text_of(*reference)), memory);
    Value out(schemas::kObjectType);
    bool is_record = false;
    bool is_open = false;
    for (const auto& [name, value] : members_of(schema)) {
      const std::string_view key = text_of(name);
      Value copy;
      if (key == "const") {
        copy.SetArray().PushBack(Value(value, memory), memory);
        out.AddMember("enum", copy, memory);
        continue;
      }
      if (key == "description" || key == "examples" || key == "format") continue;
      is_record |= key == "properties";
      is_open |= key == "additionalProperties";
      if (key == "properties") {
        copy.SetObject();
        for (const auto& [each, inner] : members_of(value))
          copy.AddMember(Value(each, memory), draft_4(inner, memory), memory);
      } else if (key == "items" || (key == "additionalProperties" && value.IsObject())) {
        copy = draft_4(value, memory);
      } else if (key == "anyOf") {
        copy.SetArray();
        for (const Value& each : value.GetArray()) copy.PushBack(draft_4(each, memory), memory);
      } else {
        copy.CopyFrom(value, memory);
      }
      out.AddMember(Value(name, memory), copy, memory);
    }
    if (is_record && !is_open) out.AddMember("additionalProperties", false, memory);
    return out;
  }

  // Returns the place of the first error, or "" if the value is valid.
  std::string why_invalid(const Value& schema, const Value& value) const {
    std::unique_ptr<Compiled>& one = compiled[&schema];
    if (!one) {
      one = std::make_unique<Compiled>();
      Allocator& memory = one->json.GetAllocator();
      one->json.CopyFrom(draft_4(schema, memory), memory);
      one->schema = std::make_unique<schemas::SchemaDocument>(one->json);
    }
    schemas::SchemaValidator validator(*one->schema);
    if (value.Accept(validator)) return "";
    schemas::StringBuffer where;
    validator.GetInvalidDocumentPointer().StringifyUriFragment(where);
    schemas::StringBuffer rule;
    validator.GetInvalidSchemaPointer().StringifyUriFragment(rule);
    return std::string(where.GetString()) + " is not valid by `" +
           validator.GetInvalidSchemaKeyword() + "` of " + rule.GetString();
  }

  const Value* operation(std::string_view method, const std::string& pattern) const {
    const Value* const path = member(json["paths"], pattern);
    return member(*path, text::to_lower(method == "HEAD" ? "GET" : method));
  }

  void add_fields(const Value& schema, const Value& value, std::string_view record,
                  std::set<std::string>& seen) const {
    if (const Value* const reference = member(schema, "$ref")) {
      const std::string_view name = text_of(*reference);
      return add_fields(component(name), value, name.substr(kComponents.size()), seen);
    }
    if (const Value* const choices = member(schema, "anyOf")) {
      for (const Value& each : choices->GetArray()) {
        if (why_invalid(each, value).empty()) add_fields(each, value, record, seen);
      }
    }
    if (value.IsArray() && member(schema, "items") != nullptr) {
      for (const Value& each : value.GetArray()) add_fields(schema["items"], each, record, seen);
    }
    const Value* const properties = member(schema, "properties");
    if (!value.IsObject() || properties == nullptr) return;
    for (const auto& [name, inner] : members_of(value)) {
      const Value* const property = member(*properties, text_of(name));
      if (property == nullptr) continue;
      seen.insert(std::string(record) + "." + std::string(text_of(name)));
      add_fields(*property, inner, record, seen);
    }
  }

  void add_vacuous(const Value& schema, const std::string& place,
                   std::vector<std::string>& found) const {
    const auto has = [&](const char* key) { return member(schema, key) != nullptr; };
    if (!has("type") && !has("$ref") && !has("anyOf")) found.push_back(place);
    if (has("$ref")) component(text_of(schema["$ref"]));
    if (has("type") && schema["type"] == "object" && !has("properties") &&
        !has("additionalProperties"))
      found.push_back(place);
    if (has("type") && schema["type"] == "array" && !has("items")) found.push_back(place);
    if (has("items")) add_vacuous(schema["items"], place + "/items", found);
    if (has("anyOf")) {
      for (const Value& each : schema["anyOf"].GetArray())
        add_vacuous(each, place + "/anyOf", found);
    }
    if (!has("properties") || has("additionalProperties")) return;
    for (const auto& [name, inner] : members_of(schema["properties"]))
      add_vacuous(inner, place + "/" + std::string(text_of(name)), found);
  }
};

Described::~Described() = default;

Described::Described(const std::string& document) : document_(std::make_unique<Document>()) {
  document_->json.Parse(document.data(), document.size());
  if (document_->json.HasParseError()) throw std::runtime_error("no OpenAPI document: " + document);
  const auto field = [](const Value& name, const Value& has, const char* example) {
    Field one{std::string(text_of(name)), "", false};
    if (const Value* const found = member(has, example))
      one.example =
          json_of(found->IsArray() && !found->Empty() && std::string_view(example) == "examples"
                      ? (*found)[0]
                      : *found);
    return one;
  };
  for (const auto& [pattern, item] : members_of(document_->json["paths"])) {
    for (const std::string_view method : kMethods) {
      const Value* const of = member(item, method);
      if (of == nullptr) continue;
      Operation operation;
      operation.method = method;
      for (char& c : operation.method) c = static_cast<char>(c - 'a' + 'A');
      operation.path = text_of(pattern);
      operation.id = text_of((*of)["operationId"]);
      for (const auto& [status, response] : members_of((*of)["responses"])) {
        if (text_of(status) != "default") operation.statuses.insert(std::atoi(status.GetString()));
      }
      for (const Value& each : (*of)["security"].GetArray()) {
        for (const auto& [scheme, scopes] : members_of(each)) {
          operation.schemes.insert(scheme.GetString());
          for (const Value& scope : scopes.GetArray()) operation.scopes.insert(scope.GetString());
        }
      }
      operation.takes_token_in_header = !operation.schemes.empty();
      if (const Value* const scopes = member(*of, "x-token-scopes")) {
        for (const Value& scope : scopes->GetArray()) operation.scopes.insert(scope.GetString());
      }
      const Value* const parameters = member(*of, "parameters");
      for (std::size_t i = 0; parameters != nullptr && i < parameters->Size(); ++i) {
        const Value& each = (*parameters)[static_cast<schemas::SizeType>(i)];
        Field one = field(each["name"], each, "example");
        if (each["in"] == "query") operation.query.push_back(one);
        if (each["in"] == "header") operation.headers.push_back(one);
      }
      if (const Value* const body = member(*of, "requestBody")) {
        const Value& content = (*body)["content"];
        const Value* json = member(content, "application/json");
        if (json == nullptr) json = &content["multipart/form-data"];
        const Value& schema = (*json)["schema"];
        for (const auto& [name, property] : members_of(schema["properties"])) {
          Field one = field(name, property, "examples");
          if (const Value* const required = member(schema, "required")) {
            for (const Value& each : required->GetArray()) one.is_required |= each == name;
          }
          operation.body.push_back(one);
        }
      }
      operations_.push_back(std::move(operation));
    }
  }
}

const std::string* Described::pattern_of(std::string_view path) const {
  const auto find = [&](std::string_view each) -> const std::string* {
    const std::string* found = nullptr;
    for (const Operation& operation : operations_) {
      if (operation.path == each) return &operation.path;
      if (fits(operation.path, each)) found = &operation.path;
    }
    return found;
  };
  const std::string* const exact = find(path);
  if (!path.ends_with(".json") || (exact != nullptr && *exact == path)) return exact;
  return find(path.substr(0, path.size() - 5));
}

std::string Described::why_not(std::string_view method, std::string_view path,
                               const Answer& answer) const {
  const std::string* const pattern = pattern_of(path);
  const std::string status = std::to_string(answer.status);
  const Value* response = nullptr;
  if (pattern != nullptr && method == "OPTIONS")
    return answer.status == 204 && answer.body.empty() ? "" : "OPTIONS is not 204";
  const Value* const operation =
      pattern == nullptr ? nullptr : document_->operation(method, *pattern);
  const Value& refusal = document_->json["components"]["schemas"]["Refusal"];
  const Value* content = nullptr;
  if (operation != nullptr) {
    response = member((*operation)["responses"], status);
    if (response == nullptr && is_common(answer.status))
      response = &(*operation)["responses"]["default"];
    if (response == nullptr) return "the status " + status + " is not described";
    content = member(*response, "content");
  } else if (answer.status != 404 && !is_common(answer.status)) {
    return "the method is not described, but its status is " + status;
  }
  const bool has_body = operation == nullptr || content != nullptr;
  if (!has_body)
    return answer.body.empty() && answer.type == "none" ? "" : "a body is not described";
  const std::string type = answer.type.substr(0, answer.type.find(';'));
  const Value* of_type = nullptr;
  if (content != nullptr) {
    of_type = member(*content, type);
    if (of_type == nullptr) return "the media type " + type + " is not described";
  } else if (type != "application/json") {
    return "the media type of a refusal is " + type;
  }
  for (const char* name : {"ETag", "Link", "Location", "Allow", "Retry-After", "WWW-Authenticate",
                           "X-Request-Id", "RateLimit-Policy", "RateLimit"}) {
    if (response == nullptr || answer.header(name) == "none") continue;
    const Value* const headers = member(*response, "headers");
    if (headers == nullptr || member(*headers, name) == nullptr)
      return "the header " + std::string(name) + " is not described";
  }
  if (type != "application/json" || (method == "HEAD" && answer.body.empty())) return "";
  schemas::Document body;
  body.Parse(answer.body.data(), answer.body.size());
  if (body.HasParseError()) return "the body is not JSON";
  return document_->why_invalid(of_type != nullptr ? (*of_type)["schema"] : refusal, body);
}

std::set<std::string> Described::fields() const {
  std::set<std::string> names;
  for (const auto& [record, schema] : members_of(document_->json["components"]["schemas"])) {
    for (const auto& [name, property] : members_of(schema["properties"]))
      names.insert(std::string(text_of(record)) + "." + std::string(text_of(name)));
  }
  return names;
}

void Described::add_fields_in(std::string_view method, std::string_view path, const Answer& answer,
                              std::set<std::string>& seen) const {
  const std::string* const pattern = pattern_of(path);
  const Value* const operation =
      pattern == nullptr ? nullptr : document_->operation(method, *pattern);
  if (operation == nullptr) throw std::runtime_error("not described: " + std::string(path));
  const Value& response = (*operation)["responses"][std::to_string(answer.status).c_str()];
  schemas::Document body;
  body.Parse(answer.body.data(), answer.body.size());
  document_->add_fields(response["content"]["application/json"]["schema"], body, "", seen);
}

std::vector<std::string> Described::vacuous() const {
  std::vector<std::string> found;
  for (const auto& [record, schema] : members_of(document_->json["components"]["schemas"]))
    document_->add_vacuous(schema, std::string(text_of(record)), found);
  for (const auto& [pattern, item] : members_of(document_->json["paths"])) {
    for (const auto& [method, operation] : members_of(item)) {
      for (const auto& [status, response] : members_of(operation["responses"])) {
        const Value* const content = member(response, "content");
        if (content == nullptr) continue;
        for (const auto& [type, each] : members_of(*content))
          document_->add_vacuous(each["schema"],
                                 std::string(text_of(method)) + " " +
                                     std::string(text_of(pattern)) + " " +
                                     std::string(text_of(status)),
                                 found);
      }
    }
  }
  return found;
}

}  // namespace svc::rules
