// CachedResponse: a complete response, as bytes ready to be sent, and the keys
// that it depends on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "http/request.h"
#include "http/response.h"

namespace svc::cache {

struct CachedResponse {
  std::uint64_t hash = 0;  // the request's
  std::string path;
  std::string query;  // also the site and the language, if it varies by these
  // For another site or language there is another response. Without a status: only that is known,
  // and the responses are elsewhere.
  bool varies_by_site = false;
  bool varies_by_language = false;
  bool varies() const { return varies_by_site || varies_by_language; }
  int status = 0;
  std::string head;  // head of the 200 or the refusal
  std::string bare;  // head of a 304; empty: the response is never a 304
  std::string body;
  std::string tag;    // entity tag; empty: none
  std::string about;  // see http::Response
  std::int64_t counts_for = 0;
  std::int64_t opened_link = 0;
  http::WatchRefusal refused_for = http::WatchRefusal::None;
  base::TimePoint began{};                         // start of the build, before its first read
  base::TimePoint until = base::TimePoint::max();  // it is not served from then on
  std::vector<std::uint64_t> made_from;            // hashes of the keys that it depends on
  bool is_refusal() const { return status >= 400; }
  bool answers(std::string_view asked_path, std::string_view asked_query) const {
    return query == asked_query && path == asked_path;
  }
  std::size_t bytes() const;
};

// What is kept at the place of a response that varies.
CachedResponse without_response(const CachedResponse& cached);

// `response` is the whole response to a GET without If-None-Match.
CachedResponse to_cached_response(std::uint64_t hash, const http::Request& request,
                                  const http::Response& response);

// Sets Cache-Control: no-cache in both heads, so that another cache does not
// serve the stale response again without asking.
void mark_stale(CachedResponse& cached);

}  // namespace svc::cache
