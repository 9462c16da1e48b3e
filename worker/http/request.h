// Request: one HTTP request, parsed once by fastcgi/request_decoder, then
// read-only.
//
// All views are valid until the request has been answered.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/path_pattern.h"
#include "loop/shares.h"

namespace svc::http {

// The sender of a request.
class Peer {
 public:
  virtual ~Peer() = default;
  // Returns true if the peer will not read a response any more.
  virtual bool has_left() const = 0;
  // Extends the deadline of the request: it waits for something that is slow by
  // design, and no longer for the store.
  virtual void takes_longer(base::Duration by) = 0;
};

struct Request {
  std::string_view method;  // as sent, e.g. GET
  std::string_view path;    // decoded and normalised by nginx, no query
  std::string_view query;   // as sent, without the question mark
  std::string_view scheme;  // http or https, as nginx saw it
  std::string_view host;
  std::string_view remote_address;
  std::string_view request_id;  // nginx's $request_id; the same in nginx's retries
  std::string_view content_type;
  std::string_view if_none_match;
  std::string_view if_match;
  std::string_view accept;
  std::string_view accept_language;  // only the web pool and the embed pool get it
  // Only for responses that requests share: the one that Endpoint::language_for() chose.
  std::string_view language;
  std::string_view idempotency_key;
  std::string_view authorization;
  std::string_view cookie;
  std::string_view origin;
  // Only for films in pages: the origin of the page around them, by Origin or Referer. Empty:
  // unknown.
  std::string_view site;
  std::string_view user_agent;  // only the web pool gets it, and the embed pool with beacons
  // Only for beacons: why nginx does not want it counted: "privacy" or "rate"; empty: it does.
  std::string_view uncounted;
  std::string_view body;
  // Only for the first half of an upload: the file that has the body, which is empty then.
  std::string_view body_file;
  // Only for its second half: the permit of this pool, and what the upload pool has read.
  std::string_view upload_permit;
  std::string_view upload_form;
  // Only for the question whether it may be uploaded: the length of that body, if it is known.
  std::string_view upload_length;
  // Only for uploads by a form of the settings: "html" for a browser, "json" for
  // the page's script. Empty for the API.
  std::string_view upload_answer;
  Peer* peer = nullptr;              // nullptr: unknown
  loop::Shares::Use* use = nullptr;  // of its account's share; nullptr: not counted
  Match match;                       // of the path with its route, which the router sets

  bool is_get_or_head() const { return method == "GET" || method == "HEAD"; }

  // As Match::part(). The second returns nullopt also for a text that is not of that form.
  std::string_view part(PartName name) const { return match.part(name); }
  template <class T>
  std::optional<T> part(PartName name) const {
    return T::parse(part(name));
  }
  std::string_view rest() const { return match.rest(); }
};

}  // namespace svc::http
