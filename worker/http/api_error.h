// api_error: refusals of the data API (api-N3): JSON with a code for programs, and words for their
// developers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/response.h"

namespace svc::http {

struct ApiCode {
  std::string_view name;
  int status;
};

// nginx's files and the documents follow from it (scripts/derive-routes). api_error() and
// nginx use the first code of a status.
inline constexpr auto kApiCodes = std::to_array<ApiCode>({
    {"invalid_request", 400},
    {"unauthorized", 401},  // no token
    {"invalid_token", 401},
    {"insufficient_scope", 403},
    {"not_permitted", 403},  // to this account, whatever the token
    {"not_found", 404},
    {"method_not_allowed", 405},
    {"conflict", 409},
    {"precondition_failed", 412},
    {"too_large", 413},
    {"unsupported_media_type", 415},
    {"invalid_fields", 422},
    {"slow_down", 429},
    {"insufficient_storage", 507},
    {"temporarily_unavailable", 503},
});

// The header with which nginx names the request in each response; the logs have its id, too.
inline constexpr std::string_view kRequestId = "X-Request-Id";
// Adds the same as `request_id` to the object of a refusal, unless the id is unknown.
void name_request(Response& response, std::string_view id);

// The headers with what the account may use of the pool, and may still use (operations-P82).
inline constexpr std::string_view kRateLimitPolicy = "RateLimit-Policy";
inline constexpr std::string_view kRateLimit = "RateLimit";

// Returns the response with the code of this status. A status without a code is a bug and aborts.
Response api_error(int status, std::string_view description);

// Returns the response with this code and its status. An unknown code is a bug and aborts.
Response api_error(std::string_view code, std::string_view description);

// The same, with a number that the client can act on, after the words.
Response api_error(int status, std::string_view description, std::string_view name,
                   std::int64_t number);

// What a response shows of a name or an id that a client chose: at most kMostShown bytes of it, of
// which "…" is the end if it is longer, with "?" for bytes that are not UTF-8 and for control
// characters. Otherwise a response is as long as a client likes.
inline constexpr std::size_t kMostShown = 64;
std::string shown(std::string_view of_client);

// Why a field was refused: "must be …". `field` is shown() to clients.
struct InvalidField {
  std::string field;
  std::string words;
};

// Returns the 422 that names each field with all of its words.
Response api_invalid_fields(const std::vector<InvalidField>& fields);

}  // namespace svc::http
