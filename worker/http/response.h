// Response: one HTTP response, as a value. append_head() writes its head.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace svc::http {

struct Header {
  std::string_view name;  // a literal
  std::string value;      // append_head() omits a header whose value contains control characters
};

// How the response of a cacheable endpoint was obtained, in the order of the
// lookup: the worker's own memory, a build that another request had begun, a
// rendering in Redis. Miss: built. Stale: the store is unavailable, and this is
// the last response that was cached.
enum class CacheUse : std::uint8_t { None, Memory, Handover, Redis, Miss, Stale };
constexpr std::size_t kCacheUses = 6;
std::string_view to_text(CacheUse use);  // "" for None

// Why a film is not shown: to a page of that site; without a link, with one of somebody else's
// making or for another media, after its end; or without a pass that holds.
enum class WatchRefusal : std::uint8_t { None, Site, Private, WrongLink, EndedLink, Pass };
constexpr std::size_t kWatchRefusals = 6;
std::string_view to_text(WatchRefusal reason);  // as a label of metrics; "" for None

// What has become of a player's beacon (api-B3): counted; or dropped, because its form is none, its
// ticket is not the media's or has ended, the viewer does not want to be counted, a program sent
// it, its address sends too many or begins too many sessions, too many are open, the counts are
// locked, or nothing is counted.
enum class Viewing : std::uint8_t {
  None,
  Counted,
  Malformed,
  Ticket,
  Privacy,
  Bot,
  Rate,
  Address,
  Full,
  Busy,
  Off
};
constexpr std::size_t kViewings = 11;
std::string_view to_text(Viewing viewing);  // as a label of metrics; "" for None

struct Response {
  int status = 200;
  std::string content_type;  // empty: no body
  std::vector<Header> headers;
  std::string body;

  // For the log and the status page; never sent. `about` is the id of the
  // media, playlist or application that the response is about, once it is known
  // to exist.
  std::string about;
  CacheUse cache = CacheUse::None;
  // The account whose manifest count increases if this is sent to a GET (oembed-M5);
  // 0: none.
  std::int64_t counts_for = 0;

  // The link of the media in `about` that is opened if this is sent to a GET (pages-W160); 0: none.
  std::int64_t opened_link = 0;

  WatchRefusal refused_for = WatchRefusal::None;
  Viewing viewing = Viewing::None;

  // It is for this site only (http::Request::site).
  bool varies_by_site = false;
  bool varies_by_language = false;  // Endpoint::language_for()

  // How long it may be kept, for a response that ends by itself (oembed-W11). Zero: not at all.
  std::optional<base::Duration> fresh_for;

  // The keys of the records that the response depends on, for the response
  // cache.
  std::vector<std::string> made_from;

  Response& with(std::string_view name, std::string value) {
    if (headers.capacity() == 0) headers.reserve(8);
    headers.push_back({name, std::move(value)});
    return *this;
  }
};

// For a film that only some sites may show (oembed-W3): no cache hands it to another site, and
// each use asks again whether it may be shown.
Response& vary_by_site(Response& response);

// Browsers with another language get another response.
Response& vary_by_language(Response& response);
// The refusal for a site that may not show that media or playlist (oembed-W5). `site`: as in
// Request; "": the page does not say where it is.
Response refuse_site(std::string_view site, std::string about);
// For what opens with a link or a pass only: no cache keeps it.
Response& never_stored(Response& response);
// The refusal of a film that is private, or whose link or pass does not hold (oembed-W8).
Response refuse_watching(WatchRefusal reason, std::string about);

inline constexpr std::string_view kJson = "application/json; charset=utf-8";

// Returns a 200. `about`: Response::about.
Response in_json(std::string body, std::string_view about = {});

// Returns a response with the body `{"error":"…"}`.
Response json_error(int status, std::string_view message);

// Adds a weak ETag, a hash of the body. Turns the response into a 304 without a
// body if If-None-Match lists it.
Response with_entity_tag(Response response, std::string_view if_none_match);

// Adds a strong ETag, a hash of the body. As with_entity_tag() otherwise.
Response with_strong_entity_tag(Response response, std::string_view if_none_match);
// The same with the tag of another body, which contains all possible contents of this body.
Response with_strong_entity_tag(Response response, std::string_view if_none_match,
                                std::string_view whole);
// Returns the strong entity tag of a body, with its quotes.
std::string strong_entity_tag(std::string_view body);

// The conditions of a change, as in If-Match and If-None-Match; empty: none.
struct Conditions {
  std::string_view if_match;
  std::string_view if_none_match;

  bool any() const { return !if_match.empty() || !if_none_match.empty(); }
};
// Whether a record that exists, with the tags of these bodies, may be changed: If-Match is `*` or
// lists a tag by strong comparison, and If-None-Match is another list, which has none by weak
// comparison, RFC 9110 §13.1.1 and §13.1.2. A condition that is no list of tags is not met.
bool may_change(const Conditions& conditions, const std::vector<std::string>& bodies);
inline bool may_change(const Conditions& conditions, std::string body) {
  return !conditions.any() || may_change(conditions, std::vector{std::move(body)});
}

// Returns true if If-None-Match is `*` or lists that entity tag, by weak
// comparison, RFC 9110 §13.1.2.
bool names_tag(std::string_view if_none_match, std::string_view tag);

// Appends the status, the headers and the empty line, as a FastCGI responder
// writes them (RFC 3875 §6). Omits a header that contains a control character:
// the last defence against header injection.
void append_head(std::string& out, const Response& response);

// Returns the reason phrase of a status, RFC 9110 §15; "Unknown" for a status
// that we do not use.
std::string_view reason_phrase(int status);

}  // namespace svc::http
