// Router: finds the endpoint of a path. A route is an exact path or a whole
// folder; there are no patterns.
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
  // `endpoint` outlives the router. Adding a path twice is a bug and aborts.
  void add(std::string_view path, Endpoint& endpoint);
  // Adds every path that begins with `folder`, which ends with a slash. Exact
  // paths take precedence, then the longest folder. The endpoint reads the rest
  // of the path, which may be empty.
  void add_below(std::string_view folder, Endpoint& endpoint);

  // Returns nullptr if no endpoint has this path.
  Endpoint* find(std::string_view path) const;

  // Returns the exact paths as added, then the folders, the longest first. For
  // counting requests per endpoint.
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
    std::string path;
    Endpoint* endpoint;
  };
  std::vector<Route> routes_;
  std::vector<Route> folders_;  // longest first
};

}  // namespace svc::http
