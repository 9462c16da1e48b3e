#include "endpoints/api/openapi.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/api_paths.h"
#include "base/public_paths.h"
#include "http/api_error.h"
#include "text/ascii.h"
#include "text/json.h"

namespace svc::endpoints {
namespace {

using text::json::ArrayWriter;
using text::json::ObjectWriter;

constexpr std::string_view kOauthScheme = "oauth2";
// Of an operation whose token is a parameter.
constexpr std::string_view kTokenScopes = "x-token-scopes";
constexpr std::string_view kRequestIdHeader = "RequestId";
constexpr std::array<std::string_view, 2> kFormTypes{"application/x-www-form-urlencoded",
                                                     "multipart/form-data"};

// The schema with its description and example.
void append_schema(std::string& out, const Schema& schema, std::string_view about = {},
                   std::string_view example = {}, bool is_deprecated = false) {
  out += '{' + schema.members;
  if (is_deprecated) out += ",\"deprecated\":true";
  if (!about.empty()) {
    out += ",\"description\":";
    text::json::append_string(out, about);
  }
  if (!example.empty()) out.append(",\"examples\":[").append(example).append("]");
  out += '}';
}

// `is_form`: an array is NAME[].
// `is_deprecated`: of each field, or nothing.
void append_object(std::string& out, const std::vector<DescribedField>& fields,
                   std::string_view about, bool is_form,
                   const std::function<bool(const DescribedField&)>& is_deprecated = {}) {
  ObjectWriter object(out);
  object.string("type", "object");
  if (!about.empty()) object.string("description", about);
  const auto name_of = [&](const DescribedField& field) {
    return field.name +
           (is_form && field.schema.members.starts_with(R"("type":"array")") ? "[]" : "");
  };
  std::vector<std::string> required;
  for (const DescribedField& field : fields) {
    if (field.is_required) required.push_back(name_of(field));
  }
  if (!required.empty()) object.strings("required", required);
  ObjectWriter properties(object.raw("properties"));
  for (const DescribedField& field : fields)
    append_schema(properties.raw(name_of(field)), field.schema, field.about, field.example,
                  is_deprecated && is_deprecated(field));
  properties.end();
  object.end();
}

void append_parameters(ObjectWriter& json, const ApiDescription& api, const DescribedPath& path,
                       const ApiOperation& operation) {
  constexpr std::array<std::string_view, 3> kLocations{"path", "query", "header"};
  const std::vector<DescribedParameter> all = all_parameters(path, operation);
  if (all.empty()) return;
  ArrayWriter parameters(json.raw("parameters"));
  for (const auto& [location, field] : all) {
    ObjectWriter parameter(parameters.next());
    parameter.string("name", field.name)
        .string("in", kLocations.at(static_cast<std::size_t>(location)))
        .string("description", field.about)
        .boolean("required", location == ParameterLocation::Path || field.is_required);
    if (location == ParameterLocation::Query &&
        api.deprecation(http::Deprecation::Of::Parameter, path.pattern, operation.method,
                        field.name) != nullptr)
      parameter.boolean("deprecated", true);
    append_schema(parameter.raw("schema"), field.schema);
    if (!field.example.empty()) parameter.raw("example") += field.example;
    parameter.end();
  }
  parameters.end();
}

void append_body(ObjectWriter& json, const DescribedBody& body) {
  ObjectWriter request(json.raw("requestBody"));
  request.boolean("required", std::ranges::any_of(body.fields, &DescribedField::is_required));
  ObjectWriter content(request.raw("content"));
  const auto add = [&](std::string_view type) {
    ObjectWriter media_type(content.raw(type));
    append_object(media_type.raw("schema"), body.fields, "", type != kJsonMediaType);
    media_type.end();
  };
  if (!body.is_only_form) add(kJsonMediaType);
  for (const std::string_view type : kFormTypes) {
    if (!body.is_only_form || type == kFormTypes.back()) add(type);
  }
  content.end();
  request.end();
}

// nginx names the request in each response.
void append_headers(ObjectWriter& json, const std::vector<DescribedField>& all) {
  ObjectWriter headers(json.raw("headers"));
  ObjectWriter(headers.raw(http::kRequestId))
      .string("$ref", "#/components/headers/" + std::string(kRequestIdHeader))
      .end();
  for (const DescribedField& field : all) {
    ObjectWriter header(headers.raw(field.name));
    header.string("description", field.about);
    append_schema(header.raw("schema"), field.schema);
    header.end();
  }
  headers.end();
}

DescribedField allow() {
  return {"Allow", text_schema(), "Of a 405: the methods of the path.", false};
}

void append_refusal(ObjectWriter& responses, std::string_view status, std::string_view about,
                    const std::vector<DescribedField>& headers) {
  ObjectWriter response(responses.raw(status));
  response.string("description", about);
  append_headers(response, headers);
  if (status != "304") {
    ObjectWriter content(response.raw("content"));
    ObjectWriter media_type(content.raw(kJsonMediaType));
    append_schema(media_type.raw("schema"), a_record(refusal_record().name));
    media_type.end();
    content.end();
  }
  response.end();
}

// The headers of http::announce(), of the operations that a row is about.
void add_deprecation_headers(const ApiDescription& api, const DescribedPath& path,
                             const ApiOperation& operation, std::vector<DescribedField>& headers) {
  if (std::ranges::none_of(api.deprecations, [&](const http::Deprecation& each) {
        return each.pattern == path.pattern && each.method == operation.method;
      }))
    return;
  headers.push_back({"Deprecation", text_schema(),
                     "RFC 9745: when this operation, or a part of it, was deprecated.", false});
  headers.push_back({"Sunset", text_schema(), "RFC 8594: when it ends at the earliest.", false});
  if (!operation.is_list)
    headers.push_back({"Link", text_schema(), "The page about it: `rel=\"deprecation\"`.", false});
}

void append_responses(ObjectWriter& json, const ApiDescription& api, const DescribedPath& path,
                      const ApiOperation& operation) {
  ObjectWriter responses(json.raw("responses"));
  const DescribedResponse& success = operation.response;
  ObjectWriter response(responses.raw(std::to_string(success.status)));
  response.string("description", success.about);
  std::vector<DescribedField> all_headers = response_headers(operation);
  add_deprecation_headers(api, path, operation, all_headers);
  append_headers(response, all_headers);
  if (!success.types.empty()) {
    ObjectWriter content(response.raw("content"));
    for (const auto& [type, schema] : success.types) {
      ObjectWriter media_type(content.raw(type));
      append_schema(media_type.raw("schema"), schema);
      media_type.end();
    }
    content.end();
  }
  response.end();
  for (const DescribedRefusal& refusal : all_refusals(operation)) {
    std::vector<DescribedField> headers;
    if (refusal.status == 304) headers = response_headers(operation);
    if (refusal.status == 400 || refusal.status == 401 || refusal.status == 403)
      headers.push_back(
          {"WWW-Authenticate", text_schema(), "What is wrong with the token.", false});
    if (refusal.status == 405) headers.push_back(allow());
    add_deprecation_headers(api, path, operation, headers);
    append_refusal(responses, std::to_string(refusal.status), refusal.about, headers);
  }
  std::vector<DescribedField> of_any{
      allow(), {"Retry-After", integer_schema(0), "Of a 429 or 503: seconds.", false}};
  add_rate_limit(operation, of_any);
  append_refusal(responses, "default", "A refusal that every operation may have.", of_any);
  responses.end();
}

// One way only: generated clients and consoles send a token in each place that is named. Each
// scope is enough.
void append_security(ObjectWriter& json, const ApiOperation& operation) {
  ArrayWriter all(json.raw("security"));
  for (const std::string_view scope : scopes_of(operation)) {
    if (operation.credentials != Credentials::Token) break;
    ObjectWriter requirement(all.next());
    requirement.strings(kOauthScheme, std::array{scope});
    requirement.end();
  }
  all.end();
  if (operation.credentials == Credentials::Query) json.strings(kTokenScopes, scopes_of(operation));
}

void append_operation(ObjectWriter& json, const ApiDescription& api, const DescribedPath& path,
                      const ApiOperation& operation) {
  ObjectWriter object(json.raw(text::to_lower(operation.method)));
  object.strings("tags", std::array{path.group})
      .string("operationId", operation.id)
      .string("summary", operation.summary);
  if (!operation.about.empty()) object.string("description", operation.about);
  if (api.deprecation(http::Deprecation::Of::Operation, path.pattern, operation.method) != nullptr)
    object.boolean("deprecated", true);
  append_security(object, operation);
  append_parameters(object, api, path, operation);
  if (operation.body) append_body(object, *operation.body);
  append_responses(object, api, path, operation);
  object.end();
}

void append_schemes(ObjectWriter& json, const ApiDescription& api, const embed::Site& site) {
  ObjectWriter schemes(json.raw("securitySchemes"));
  ObjectWriter oauth(schemes.raw(kOauthScheme));
  oauth.string("type", "oauth2")
      .string("description",
              "Authorization code with PKCE. Any access token does, an account token too, as "
              "`Authorization: Bearer …`.");
  ObjectWriter flows(oauth.raw("flows"));
  ObjectWriter code(flows.raw("authorizationCode"));
  code.string("authorizationUrl", site.url(base::paths::kAuthorize))
      .string("tokenUrl", site.url(base::paths::kToken))
      .string("refreshUrl", site.url(base::paths::kToken));
  ObjectWriter scopes(code.raw("scopes"));
  for (const DescribedScope& scope : api.scopes) scopes.string(scope.name, scope.text);
  scopes.end();
  code.end();
  flows.end();
  oauth.end();
  schemes.end();
}

std::string description_text() {
  std::string text;
  for (const Chapter& chapter : api_chapters()) {
    text.append(text.empty() ? "## " : "\n\n## ").append(chapter.title);
    for (const std::string& paragraph : chapter.paragraphs) text.append("\n\n").append(paragraph);
  }
  return text;
}

}  // namespace

std::string openapi_json(const ApiDescription& api, const embed::Site& site,
                         std::string_view version) {
  std::string out;
  ObjectWriter document(out);
  document.string("openapi", "3.1.0");
  ObjectWriter info(document.raw("info"));
  info.string("title", site.provider_name + ": data API")
      .string("version", version)
      .string("description", description_text());
  ObjectWriter(info.raw("license"))
      .string("name", "All rights reserved")
      .string("url", site.provider_url)
      .end();
  info.end();
  ArrayWriter servers(document.raw("servers"));
  ObjectWriter(servers.next()).string("url", site.base_of(base::paths::kOpenApi.hosts)).end();
  servers.end();
  std::vector<std::string_view> groups;
  for (const DescribedPath& path : api.paths) {
    if (std::ranges::find(groups, path.group) == groups.end()) groups.push_back(path.group);
  }
  ArrayWriter tags(document.raw("tags"));
  for (const std::string_view group : groups) {
    std::string about;
    for (const DescribedPath& path : api.paths) {
      if (path.group == group)
        about.append(about.empty() ? "" : "\n")
            .append("- `")
            .append(path.pattern)
            .append("`: ")
            .append(path.about);
    }
    ObjectWriter(tags.next()).string("name", group).string("description", about).end();
  }
  tags.end();
  ObjectWriter paths(document.raw("paths"));
  for (const DescribedPath& path : api.paths) {
    ObjectWriter item(paths.raw(path.pattern));
    for (const ApiOperation& operation : path.operations)
      append_operation(item, api, path, operation);
    item.end();
  }
  paths.end();
  ObjectWriter components(document.raw("components"));
  append_schemes(components, api, site);
  ObjectWriter headers(components.raw("headers"));
  ObjectWriter request_id(headers.raw(kRequestIdHeader));
  request_id.string("description",
                    "The id of the request, which the service logs: the operator finds it there.");
  append_schema(request_id.raw("schema"), text_schema());
  request_id.end();
  headers.end();
  ObjectWriter schemas(components.raw("schemas"));
  for (const DescribedRecord& record : api.records)
    append_object(
        schemas.raw(record.name), record.fields, record.about, false,
        [&](const DescribedField& field) { return api.deprecation(record, field) != nullptr; });
  schemas.end();
  components.end();
  document.end();
  return out;
}

Described describe_openapi() {
  ApiOperation get{.method = "GET",
                   .id = "getDescription",
                   .summary = "This description",
                   .about = "OpenAPI 3.1. Pages of any origin may read it.",
                   .credentials = Credentials::Nothing};
  get.has_tag = true;
  get.response =
      json_response(200, "The document.",
                    {R"("type":"object","required":["openapi","info","paths"],)"
                     R"("properties":{"openapi":{"type":"string"},"info":{"type":"object"},)"
                     R"("paths":{"type":"object"}},"additionalProperties":true)",
                     "an OpenAPI document"});
  get.refusals = {{400, "A parameter is unknown: there are none."},
                  {405, "Another method than GET, HEAD or OPTIONS."}};
  return {{get}, {refusal_record()}};
}

}  // namespace svc::endpoints
