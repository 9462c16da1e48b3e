// Request: one HTTP request, parsed once by fastcgi/request_decoder, then read-only.
//
// All views live as long as the request is in hand.
#pragma once

#include <string>
#include <string_view>

namespace svc::http {

// Who sent a request.
class Peer {
 public:
  virtual ~Peer() = default;
  // Whether nobody would read an answer any more.
  virtual bool has_left() const = 0;
  // The request waits for a password hash, which gives way to all else: its deadline is 10 s later.
  virtual void takes_longer() = 0;
};

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
  Peer* peer = nullptr;  // nullptr: not known

  bool is_get_or_head() const { return method == "GET" || method == "HEAD"; }
};

}  // namespace svc::http
