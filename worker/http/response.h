// Response: what goes back. A value; append_head() turns its head into bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::http {

struct Header {
  std::string_view name;  // a literal
  std::string value;      // no control bytes: append_head() leaves out a header that has any
};

// How an answer came about, where there are caches to ask, in this order: the worker's own memory,
// what another request was just having made, renderings in Redis. Stale: the store is away, and
// this is what it said last.
enum class CacheUse : std::uint8_t { None, Memory, Handover, Redis, Miss, Stale };
constexpr std::size_t kCacheUses = 6;
std::string_view to_text(CacheUse use);  // "" for None

struct Response {
  int status = 200;
  std::string content_type;  // empty: no body
  std::vector<Header> headers;
  std::string body;

  // For the log and the status page; never sent. `about` is the id of the media, playlist or
  // application that it is about, once that is known to exist.
  std::string about;
  CacheUse cache = CacheUse::None;
  // The number of the account for which it counts when it is sent to a GET (M5); 0: none.
  std::int64_t counts_for = 0;

  // Keys of the records that it was made from, for a cache of answers.
  std::vector<std::string> made_from;

  Response& with(std::string_view name, std::string value) {
    headers.push_back({name, std::move(value)});
    return *this;
  }
};

// `{"error":"…"}` and nothing else.
Response json_error(int status, std::string_view message);

// 405 with Allow, RFC 9110 §15.5.6.
Response method_not_allowed(std::string_view allowed);

// 503 with Retry-After in seconds, for a store that is away.
Response service_unavailable(int retry_after);

// Adds a weak ETag made from the body, and turns the answer into a 304 without a body when
// If-None-Match names it.
Response with_entity_tag(Response response, std::string_view if_none_match);

// Whether If-None-Match names that entity tag, by weak comparison, RFC 9110 §13.1.2.
bool names_tag(std::string_view if_none_match, std::string_view tag);

// The status and the headers of an answer as a FastCGI responder writes them, RFC 3875 §6, with the
// empty line behind them. A header with a control byte in it is left out: the last guard against
// one that would become two.
void append_head(std::string& out, const Response& response);

// The phrase that belongs to a status, RFC 9110 §15; "Unknown" for one that we do not use.
std::string_view reason_phrase(int status);

}  // namespace svc::http
