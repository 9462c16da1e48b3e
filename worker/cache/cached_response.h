// CachedResponse: a finished response, as bytes ready to be sent, and the keys that it depends on.
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
  std::uint64_t hash = 0;  // of the request
  std::string path;
  std::string query;
  int status = 0;
  std::string head;  // of a 200, or of the refusal
  std::string bare;  // the head of a 304; empty for a refusal
  std::string body;
  std::string tag;    // the entity tag; empty: none
  std::string about;  // as in http::Response
  std::int64_t counts_for = 0;
  base::TimePoint began{};               // before anything of it was read from the store
  base::TimePoint until{};               // the end of a refusal's life; none for others
  std::vector<std::uint64_t> made_from;  // hashes of the keys that were read for it
  bool is_refusal() const { return status >= 400; }
  bool answers(std::string_view asked_path, std::string_view asked_query) const {
    return query == asked_query && path == asked_path;
  }
  std::size_t bytes() const;
};

// Of the whole answer to a GET without If-None-Match.
CachedResponse to_cached_response(std::uint64_t hash, const http::Request& request,
                                  const http::Response& response);

// The head of a stale response, which no other cache may store.
std::string stale_head(const CachedResponse& cached);

}  // namespace svc::cache
