// Request: one HTTP request, parsed once by fastcgi/exchange, then read-only.
//
// All views live as long as the request is in hand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::http {

struct Request {
  std::string_view method;  // as sent, e.g. GET
  std::string_view path;    // decoded and normalised by nginx, no query
  std::string_view query;   // as sent, without the question mark
  std::string_view scheme;  // http or https, as nginx saw it
  std::string_view host;
  std::string_view remote_address;
  std::string_view request_id;  // nginx's $request_id, the same when nginx retries
  std::string_view content_type;
  std::string_view if_none_match;
  std::string_view authorization;
  std::string_view cookie;
  std::string_view origin;
  std::string_view body;
  // Where it waits: the Response::place of its last answer; 0: it is asked for the first time.
  std::uint32_t place = 0;

  bool is_get_or_head() const { return method == "GET" || method == "HEAD"; }
};

}  // namespace svc::http
