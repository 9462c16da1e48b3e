#include "endpoints/description.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

#include "base/api_paths.h"
#include "endpoints/list_query.h"
#include "http/api_error.h"
#include "media/id.h"
#include "media/media.h"
#include "oauth/bearer.h"
#include "oauth/repetitions.h"
#include "oauth/scope_set.h"
#include "text/json.h"
#include "text/shell.h"
#include "text/uri.h"

namespace svc::endpoints {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  text::json::append_string(out, text);
  return out;
}

std::string decimal_text(double number) {
  std::string out;
  text::json::append_decimal(out, number);
  return out;
}

std::string range_words(const std::string& low, const std::string& high) {
  if (high.empty()) return low.empty() ? "" : ", at least " + low;
  return low.empty() ? ", at most " + high : " from " + low + " to " + high;
}

Schema range_schema(std::string_view type, std::string_view article, const std::string& low,
                    const std::string& high) {
  Schema schema{"\"type\":" + quoted(type),
                std::string(article) + " " + std::string(type) + range_words(low, high)};
  if (!low.empty()) schema.members += ",\"minimum\":" + low;
  if (!high.empty()) schema.members += ",\"maximum\":" + high;
  return schema;
}

std::string ids_pattern(std::string_view characters, std::size_t most) {
  return "^[" + std::string(characters) + "]{1," + std::to_string(most) + "}$";
}

// The placeholders of the paths.
std::vector<DescribedField> placeholders() {
  return {
      {"media", media_id_schema(), "The id of a media of the account.", true, R"("abc123")"},
      {"project", project_id_schema(), "The id of a project of the account.", true, R"("p123")"},
      {"language", text_schema(),
       "A code of ISO 639 or a tag of BCP 47. A GET may have `.srt`, `.vtt` or `.txt` behind "
       "it, which names the format of the response and takes precedence over `Accept`.",
       true, R"("en")"},
      {"link", text_like("^[0-9]{1,16}$", "a number"), "The id of a link to the media.", true,
       R"("1780000000000")"},
      {"domain", text_schema(), "A domain of the account.", true, R"("site.example")"}};
}

// "{media}" … → "media" …
std::vector<std::string> names_in(std::string_view pattern) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = pattern.find('{', at)) != std::string_view::npos;) {
    const std::size_t end = pattern.find('}', at);
    names.emplace_back(pattern.substr(at + 1, end - at - 1));
    at = end;
  }
  return names;
}

DescribedField header(std::string_view name, Schema schema, std::string about,
                      std::string example = {}) {
  return {std::string(name), std::move(schema), std::move(about), false, std::move(example)};
}

std::string shell_word(std::string_view text) {
  return text::shell_word(text, text.find('$') == std::string_view::npos ? text::Variables::Plain
                                                                         : text::Variables::Filled);
}

// "A film" for the JSON `"A film"`, 10 for `10`.
std::string text_of_example(const DescribedField& field) {
  text::json::Document document;
  const auto value = document.parse(field.example, text::json::Origin::Ours);
  const auto string = value ? value->string() : std::nullopt;
  return string ? std::string(*string) : field.example;
}

bool takes_body(const ApiOperation& operation) { return operation.body.has_value(); }

}  // namespace

Schema text_schema(std::string_view format) {
  Schema schema{R"("type":"string")", "a string"};
  if (format.empty()) return schema;
  schema.members += ",\"format\":" + quoted(format);
  schema.words = format == "uri"         ? "a URL"
                 : format == "date-time" ? "a time of RFC 3339"
                 : format == "date"      ? "a date as yyyy-mm-dd"
                                         : "a string";
  return schema;
}

Schema text_up_to(std::size_t characters) {
  const std::string most = std::to_string(characters);
  return {R"("type":"string","maxLength":)" + most, "a string of at most " + most + " characters"};
}

Schema text_like(std::string_view pattern, std::string_view words) {
  return {R"("type":"string","pattern":)" + quoted(pattern), std::string(words)};
}

Schema number_schema(std::optional<double> low, std::optional<double> high) {
  return range_schema("number", "a", low ? decimal_text(*low) : "",
                      high ? decimal_text(*high) : "");
}

Schema integer_schema(std::optional<std::int64_t> low, std::optional<std::int64_t> high) {
  return range_schema("integer", "an", low ? std::to_string(*low) : "",
                      high ? std::to_string(*high) : "");
}

Schema boolean_schema() { return {R"("type":"boolean")", "a boolean"}; }

Schema only(bool value) {
  const std::string text = value ? "true" : "false";
  return {R"("type":"boolean","const":)" + text, text};
}

Schema only(std::int64_t value) {
  return {R"("type":"integer","const":)" + std::to_string(value), std::to_string(value)};
}

Schema only_null() { return {R"("type":"null")", "null"}; }

Schema one_of(const std::vector<std::string_view>& texts) {
  Schema schema{R"("type":"string","enum":[)", "one of "};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    schema.members += (i > 0 ? "," : "") + quoted(texts[i]);
    schema.words += (i > 0 ? ", " : "") + ("`" + std::string(texts[i]) + "`");
  }
  schema.members += ']';
  return schema;
}

Schema or_null(const Schema& schema) {
  return {R"("anyOf":[{)" + schema.members + R"(},{"type":"null"}])", schema.words + ", or null"};
}

Schema array_of(const Schema& schema, std::size_t least, std::optional<std::size_t> most) {
  Schema array{R"("type":"array","items":{)" + schema.members + "}",
               "an array: each is " + schema.words};
  if (least > 0) array.members += ",\"minItems\":" + std::to_string(least);
  if (most) {
    array.members += ",\"maxItems\":" + std::to_string(*most);
    array.words = "an array of " + std::to_string(least) + " to " + std::to_string(*most) +
                  ": each is " + schema.words;
  }
  return array;
}

Schema any_of(const std::vector<Schema>& schemas) {
  Schema all{R"("anyOf":[)", ""};
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    all.members += (i > 0 ? ",{" : "{") + schemas[i].members + "}";
    all.words += (i > 0 ? " or " : "") + schemas[i].words;
  }
  all.members += ']';
  return all;
}

Schema a_record(std::string_view name) {
  return {R"("$ref":)" + quoted("#/components/schemas/" + std::string(name)),
          "`" + std::string(name) + "`"};
}

Schema a_file() {
  return {R"("type":"string","contentMediaType":"application/octet-stream")", "a file"};
}

Schema media_id_schema() {
  const std::string most = std::to_string(media::HashedId::kMaxLength);
  return text_like(ids_pattern("A-Za-z0-9", media::HashedId::kMaxLength),
                   "1 to " + most + " letters and digits");
}

Schema project_id_schema() {
  const std::string most = std::to_string(media::ProjectId::kMaxLength);
  return text_like(ids_pattern("A-Za-z0-9_-", media::ProjectId::kMaxLength),
                   "1 to " + most + " letters, digits, hyphens and underscores");
}

Schema visibility_schema() { return one_of(media::visibility_words()); }

Schema domains_schema() { return array_of(text_schema(), 0, media::kMaxDomains); }

DescribedResponse json_response(int status, std::string about, Schema schema) {
  return {status, std::move(about), {{std::string(kJsonMediaType), std::move(schema)}}};
}

DescribedRecord refusal_record() {
  std::vector<std::string_view> codes;
  for (const http::ApiCode& row : http::kApiCodes) codes.push_back(row.name);
  return {"Refusal",
          "The body of each response that is not a success.",
          {{"error", one_of(codes), "The code, for programs. It stays."},
           {"error_description", text_schema(), "Words for developers. They may change."},
           {"errors",
            {R"("type":"object","additionalProperties":{"type":"array","items":{"type":"string"}})",
             "an object: for each field an array of strings"},
            "Of a 422: what is wrong with each field.",
            false},
           {"request_id", text_schema(),
            "Of the request, as in `X-Request-Id`: the operator finds it in the logs."},
           {"mediaCount", integer_schema(0),
            "Of a project that is not empty: how many media it has.", false}}};
}

std::vector<DescribedParameter> all_parameters(const DescribedPath& path,
                                               const ApiOperation& operation) {
  using enum ParameterLocation;
  std::vector<DescribedParameter> all;
  const std::vector<DescribedField> known = placeholders();
  for (const std::string& name : names_in(path.pattern)) {
    const auto found = std::ranges::find(known, name, &DescribedField::name);
    if (found == known.end()) std::abort();
    all.push_back({Path, *found});
  }
  if (operation.credentials == Credentials::Query) {
    std::string scopes;
    for (const std::string_view name : scopes_of(operation))
      scopes.append(scopes.empty() ? "`" : ", `").append(name).append("`");
    all.push_back({Query,
                   {std::string(oauth::kTokenParameters.front()), text_schema(),
                    "An access token with one of the scopes " + scopes + "."}});
  }
  for (const DescribedField& field : operation.query) all.push_back({Query, field});
  if (operation.has_tag && operation.method == "GET")
    all.push_back(
        {Header, header("If-None-Match", text_schema(),
                        "An entity tag. If the record still has it, the response is 304.")});
  if (operation.takes_condition)
    all.push_back(
        {Header, header("If-Match", text_schema(),
                        "An entity tag. If the record has another one, nothing changes: 412.")});
  if (operation.takes_condition)
    all.push_back({Header, header("If-None-Match", text_schema(),
                                  "An entity tag. If the record has it, nothing changes: 412. The "
                                  "record exists, so `*` never changes it.")});
  if (operation.is_repeatable)
    all.push_back(
        {Header, header("Idempotency-Key",
                        text_like("^[ -~]{1,255}$", "1 to 255 printable ASCII characters"),
                        "A name for this request, so that it may be repeated. An empty one is as "
                        "none.")});
  return all;
}

const http::Deprecation* ApiDescription::deprecation(http::Deprecation::Of of,
                                                     std::string_view pattern,
                                                     std::string_view method,
                                                     std::string_view name) const {
  const auto found = std::ranges::find_if(deprecations, [&](const http::Deprecation& each) {
    return each.of == of && each.pattern == pattern && each.method == method && each.name == name;
  });
  return found == deprecations.end() ? nullptr : &*found;
}

const http::Deprecation* ApiDescription::deprecation(const DescribedRecord& record,
                                                     const DescribedField& field) const {
  const auto found = std::ranges::find_if(deprecations, [&](const http::Deprecation& each) {
    return each.of == http::Deprecation::Of::Field && each.name == record.name + "." + field.name;
  });
  return found == deprecations.end() ? nullptr : &*found;
}

void add_rate_limit(const ApiOperation& operation, std::vector<DescribedField>& headers) {
  if (operation.credentials == Credentials::Nothing) return;
  headers.push_back(header(http::kRateLimitPolicy, text_schema(),
                           "The share of an account: `q` milliseconds of work in `w` seconds."));
  headers.push_back(header(http::kRateLimit, text_schema(),
                           "What is left: `r` milliseconds; all again after `t` seconds."));
}

std::vector<DescribedField> response_headers(const ApiOperation& operation) {
  std::vector<DescribedField> headers;
  if (operation.has_tag && operation.response.status != 204)
    headers.push_back(header("ETag", text_schema(), "The entity tag of the record."));
  if (operation.is_list)
    headers.push_back(header("Link", text_schema(),
                             "The next and the previous page (RFC 8288): `rel=\"next\"`, "
                             "`rel=\"prev\"`."));
  add_rate_limit(operation, headers);
  if (operation.response.status == 201)
    headers.push_back(header("Location", text_schema("uri"), "The address of the new record."));
  return headers;
}

std::vector<DescribedRefusal> all_refusals(const ApiOperation& operation) {
  std::vector<DescribedRefusal> all = operation.refusals;
  const auto add = [&](int status, std::string_view about) {
    if (std::ranges::find(all, status, &DescribedRefusal::status) == all.end())
      all.push_back({status, std::string(about)});
  };
  if (operation.has_tag && operation.method == "GET")
    add(304, "The record still has the entity tag of If-None-Match.");
  if (operation.credentials != Credentials::Nothing) {
    add(400, operation.method == "GET" ? "Two tokens differ, or a parameter is wrong or unknown."
             : takes_body(operation)   ? "Two tokens differ, or the request cannot be read."
                                       : "Two tokens differ.");
    add(401, "There is no token, or it is unknown, expired or revoked.");
    if (operation.needs != nullptr) add(403, "The token lacks the scope.");
  }
  if (operation.is_repeatable) add(409, "A request with this Idempotency-Key has not ended.");
  if (operation.takes_condition)
    add(412, "The record is not as If-Match or If-None-Match wants it.");
  if (takes_body(operation)) {
    add(413, operation.body->most.empty()
                 ? "The body is too large."
                 : "The body is larger than " + operation.body->most + ".");
    add(415, "The body has another media type.");
    add(422, "A field is wrong: `errors` names it.");
  }
  std::ranges::stable_sort(all, {}, &DescribedRefusal::status);
  return all;
}

std::vector<std::string_view> scopes_of(const ApiOperation& operation) {
  return (operation.needs != nullptr ? operation.needs->any_of() : oauth::ScopeSet::any()).names();
}

std::vector<Chapter> api_chapters() {
  const std::string by_pages = std::to_string(kMostByPages);
  const std::string per_page = std::to_string(ListForm().most_per_page);
  const std::string hours = std::to_string(oauth::Repetitions::kKept / 3600);
  const std::string seconds = std::to_string(oauth::Repetitions::kRunning);
  return {
      {"tokens",
       "Access tokens",
       {"Each request has an access token of OAuth 2: in the header `Authorization: Bearer …`, or "
        "as "
        "`access_token` in the query. An upload has it in the query. Two that differ are refused. "
        "A token "
        "opens the records of one account. Records of others do not exist for it: 404."}},
      {"bodies",
       "Requests and responses",
       {"A body is a JSON object or a form (`application/x-www-form-urlencoded` or "
        "`multipart/form-data`). In a form, an array is the field `NAME[]`, once for each element. "
        "Unknown fields are ignored, and unknown parameters of a GET refused. Responses are JSON "
        "in UTF-8.",
        "HEAD is answered as GET, and each path also with `.json` behind it. OPTIONS returns the "
        "methods of a path in `Allow`. A page of any origin may send GET and HEAD with its token "
        "in "
        "`Authorization`, and read the response. It cannot send other methods: a program on a "
        "server does."}},
      {kErrorsChapter,
       "Errors",
       {"A response that is not a success has `error`, a code for programs, and "
        "`error_description`, words for developers. A 422 also has `errors`: for each field what "
        "is "
        "wrong with it, and each has `request_id`, which is also in the header `X-Request-Id` of "
        "every response: tell it the operator, who finds the request by it. Besides the statuses "
        "of an operation there are 405 with `Allow`, 414, 429 "
        "if there are too many requests, and 500, 502, 503 and 504. Repeat a 429 or 503 after "
        "`Retry-After` seconds."}},
      {"pages",
       "Pages",
       {"A list is an array. `page` counts from 1, and `per_page` is at most " + per_page +
        " if its operation names no other number. `Link` has the addresses of the next and the "
        "previous page. Pages reach the first " +
        by_pages +
        " records; behind them, and behind the last record, there is no `rel=\"next\"`."}},
      {"cursors",
       "Cursors",
       {"Cursors list any number of media. A media that exists throughout is listed exactly once, "
        "whatever is added or deleted meanwhile. Ask for `cursor[enabled]=1`: each media then has "
        "a "
        "`cursor`. `cursor[after]` with the last of them returns the media behind it; `Link` has "
        "that address."}},
      {"entity-tags",
       "Entity tags",
       {"Records have an `ETag`. A GET with `If-None-Match` and that tag gets 304 without a body "
        "as "
        "long as the record is the same. A change with `If-Match` is made only if the record still "
        "has that tag, otherwise 412: read it again, and decide anew. `If-None-Match` of a change "
        "names tags that the record must not have; `*` is never met, because it exists."}},
      {"repetitions",
       "Repetitions",
       {"If the response to a POST is lost, send it again with the same `Idempotency-Key`, a name "
        "that you choose for each request. For " +
        hours +
        " hours a repetition gets the first response, of a refusal its status and code, and "
        "changes nothing. While the first "
        "request runs it gets 409; with another body 422. A request that never ended leaves its "
        "key free after " +
        seconds + " seconds. PUT and DELETE may be repeated without a key."}},
      {"private-media",
       "Private media",
       {"A media with the `visibility` `private` opens only with a link: `POST " +
            std::string(base::paths::kMediaLinks.pattern) +
            "` makes one. Its `token` is the parameter `watch` of the media's "
            "page, frame and data, and of the address that oEmbed gets. A link ends at its time, "
            "or by `DELETE`, alone or with all others. What browsers or a CDN kept while the media "
            "was public "
            "stays there.",
        "The addresses of files of a private media, and of one that only some sites may show, end: "
        "after an hour and twice the length of the media. Read the media again to get others."}},
  };
}

std::vector<CommandPiece> curl_line(const embed::Site& site, const DescribedPath& path,
                                    const ApiOperation& operation) {
  std::string url = site.base_of(base::paths::kMediaList.hosts);
  for (const char c : path.pattern) {
    if (c == '{') url += '$';
    if (c != '{' && c != '}') url += c;
  }
  char before = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    url += before;
    url.append(name).append("=").append(value);
    before = '&';
  };
  if (operation.credentials == Credentials::Query) add(oauth::kTokenParameters.front(), "$token");
  for (const DescribedField& field : operation.query) {
    if (!field.example.empty())
      add(text::percent_encode(field.name), text::percent_encode(text_of_example(field)));
  }
  const bool is_default = operation.method == (takes_body(operation) ? "POST" : "GET");
  std::vector<CommandPiece> pieces;
  const auto add_word = [&](const std::string& between, std::string word) {
    pieces.push_back({between, false});
    pieces.push_back({std::move(word), true});
  };
  add_word("curl -fsS" + (is_default ? "" : " -X " + std::string(operation.method)) + " ",
           "\"" + url + "\"");
  if (operation.credentials == Credentials::Token)
    add_word(" \\\n  -H ", "\"Authorization: Bearer $token\"");
  if (!takes_body(operation)) return pieces;
  const auto is_file = [](const DescribedField& field) {
    return field.schema.members == a_file().members;
  };
  const bool is_form = std::ranges::any_of(operation.body->fields, is_file);
  std::string json;
  for (const DescribedField& field : operation.body->fields) {
    if (field.example.empty()) continue;
    if (is_form) {
      add_word(" \\\n  -F ",
               shell_word(field.name + "=" + (is_file(field) ? "@" : "") + text_of_example(field)));
    } else {
      json += (json.empty() ? "{" : ", ") + quoted(field.name) + ": " + field.example;
    }
  }
  if (is_form) return pieces;
  add_word(" \\\n  -H ", "'Content-Type: " + std::string(kJsonMediaType) + "'");
  add_word(" \\\n  -d ", shell_word(json + "}"));
  return pieces;
}

}  // namespace svc::endpoints
