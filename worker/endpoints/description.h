// description: the data API as data (api-N9): operations with their parameters, bodies and
// responses, and the records in them. Each endpoint describes its own; the document
// `/v1/openapi.json` and the page for developers are made from all of them (app/api_description.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "embed/site.h"
#include "http/api_error.h"
#include "http/deprecation.h"
#include "oauth/operation.h"

namespace svc::endpoints {

struct Schema {
  std::string members;  // of the JSON Schema, without braces
  std::string words;    // for readers: "an integer from 1 to 100"
};
Schema text_schema(std::string_view format = {});  // of JSON Schema, such as date-time
Schema text_up_to(std::size_t characters);
Schema text_like(std::string_view pattern, std::string_view words);
Schema number_schema(std::optional<double> low = {}, std::optional<double> high = {});
Schema integer_schema(std::optional<std::int64_t> low = {}, std::optional<std::int64_t> high = {});
Schema boolean_schema();
Schema only(bool value);
Schema only(std::int64_t value);
Schema only_null();
Schema one_of(const std::vector<std::string_view>& texts);
Schema or_null(const Schema& schema);
Schema array_of(const Schema& schema, std::size_t least = 0, std::optional<std::size_t> most = {});
Schema any_of(const std::vector<Schema>& schemas);
Schema a_record(std::string_view name);  // DescribedRecord::name
Schema a_file();
Schema media_id_schema();
Schema project_id_schema();
Schema visibility_schema();
Schema domains_schema();

// A member of a record or body, or a parameter of the query.
struct DescribedField {
  std::string name;
  Schema schema;
  std::string about;  // sentences
  bool is_required = true;
  std::string example{};  // JSON; "": none
};

struct DescribedRecord {
  std::string name;
  std::string about;
  std::vector<DescribedField> fields;
};

// The credentials that a request must have. Query: a token in the query, and nowhere else.
enum class Credentials : std::uint8_t { Token, Query, Nothing };

struct DescribedBody {
  std::vector<DescribedField> fields;
  std::string most{};         // "64 KiB"
  bool is_only_form = false;  // multipart/form-data
};

struct DescribedResponse {
  int status = 200;
  std::string about{};
  std::vector<std::pair<std::string, Schema>> types{};  // by media type; empty: no body
};

inline constexpr std::string_view kJsonMediaType = "application/json";
DescribedResponse json_response(int status, std::string about, Schema schema);

struct DescribedRefusal {
  int status;
  std::string about;
};

// Parameters, headers and refusals that all operations with a member share are in
// all_parameters() and so on, and are not repeated.
struct ApiOperation {
  std::string_view method;
  std::string_view id;  // in the document, and of its place on the page
  std::string_view summary;
  std::string about{};                      // sentences
  const oauth::Operation* needs = nullptr;  // the scopes; nullptr: any token
  Credentials credentials = Credentials::Token;
  bool is_list = false;          // the response has Link
  bool has_tag = false;          // the response has ETag; a GET takes If-None-Match
  bool takes_condition = false;  // If-Match, If-None-Match
  bool is_repeatable = false;    // Idempotency-Key
  std::vector<DescribedField> query{};
  std::optional<DescribedBody> body{};
  DescribedResponse response{};
  std::vector<DescribedRefusal> refusals{};  // in the order of their status
};

inline constexpr std::string_view kNoMedia = "There is no such media in the account.";
inline constexpr std::string_view kNoProject = "There is no such project in the account.";

// The operations and records of one endpoint.
struct Described {
  std::vector<ApiOperation> operations;
  std::vector<DescribedRecord> records{};
};

struct DescribedPath {
  std::string_view pattern;
  std::string_view about;
  std::string_view group;  // the group of paths, in lower case
  std::vector<ApiOperation> operations;
};

struct DescribedScope {
  std::string name;
  std::string title;
  std::string text;
};

struct ApiDescription {
  std::vector<DescribedPath> paths;
  std::vector<DescribedRecord> records;
  std::vector<DescribedScope> scopes;
  std::vector<http::Deprecation> deprecations{};

  // The row of this part, or nullptr. `name`: as in the row.
  const http::Deprecation* deprecation(http::Deprecation::Of of, std::string_view pattern,
                                       std::string_view method, std::string_view name = {}) const;
  // That of the field of a record, of whatever operation.
  const http::Deprecation* deprecation(const DescribedRecord& record,
                                       const DescribedField& field) const;
};

// The fields of a refusal.
DescribedRecord refusal_record();

enum class ParameterLocation : std::uint8_t { Path, Query, Header };
struct DescribedParameter {
  ParameterLocation location;
  DescribedField field;
};
// Those of the path, of the query, and the headers. Aborts if a placeholder of the pattern is not
// described: a bug.
std::vector<DescribedParameter> all_parameters(const DescribedPath& path,
                                               const ApiOperation& operation);
// The headers of the response that clients need.
std::vector<DescribedField> response_headers(const ApiOperation& operation);
// Adds those of the account's share, if the operation is for an account.
void add_rate_limit(const ApiOperation& operation, std::vector<DescribedField>& headers);
// Includes the refusals that follow from the operation's members, in the order of their status, and
// 304.
std::vector<DescribedRefusal> all_refusals(const ApiOperation& operation);
// The names of the scopes of which a token needs one.
std::vector<std::string_view> scopes_of(const ApiOperation& operation);

// A chapter for developers. Words between backticks are code.
struct Chapter {
  std::string_view id;
  std::string_view title;
  std::vector<std::string> paragraphs;
};
inline constexpr std::string_view kErrorsChapter = "errors";
std::vector<Chapter> api_chapters();

struct CommandPiece {
  std::string text;
  bool is_quoted;  // a word with its quotation marks; otherwise what is between two
};
// A command that works after `token=…` and what its path needs: `media=…`, `project=…`,
// `language=…`; a file that it sends is in the current folder.
std::vector<CommandPiece> curl_line(const embed::Site& site, const DescribedPath& path,
                                    const ApiOperation& operation);

}  // namespace svc::endpoints
