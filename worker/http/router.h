// Router: finds the endpoint of a path by a pattern.
//
//   /oembed.json                       this path
//   /v1/medias/{media}                 one segment, not empty, in place of {media}
//   /embed/medias/{media}.json         every path that begins and ends so
//   /medias/*                          every path that begins with /medias/
//   /settings/accounts/{account}/**    that path, and every path below it
//
// A path without placeholders takes precedence, then the pattern with more literal characters.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/endpoint.h"

namespace svc::http {

class Router {
 public:
  // `endpoint` outlives the router. Adding a pattern twice is a bug and aborts. Requests for an
  // endpoint that needs no store do not count towards the limit of requests that wait for one.
  void add(std::string_view pattern, Endpoint& endpoint, bool needs_store = true);

  // Returns nullptr if no endpoint has this path.
  Endpoint* find(std::string_view path) const;
  // Returns false also if no endpoint has this path.
  bool needs_store(std::string_view path) const;

  // Returns the patterns, in the order of precedence. For counting requests per endpoint.
  std::vector<std::string> routes() const;
  // Returns the index in routes() of the route for this path, or the size of
  // routes() if there is none.
  std::size_t route_of(std::string_view path) const;

  // Turns base::Unavailable into a 503. Responds 404 to an unknown path. The
  // response to a HEAD keeps its body, for Content-Length; the caller must not
  // send it. The request outlives the task.
  loop::Task<Response> answer(const Request& request) const;

  // Returns the 503 of the endpoint for this request.
  Response unavailable(const Request& request) const;

 private:
  struct Route {
    std::string pattern;
    std::size_t literal;  // characters before the first placeholder
    Endpoint* endpoint;
    bool needs_store;
  };
  std::vector<Route> routes_;  // in the order of precedence
};

}  // namespace svc::http
