// Router: path → Endpoint. Paths are exact, or everything below a folder; there are no patterns.
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
  // `endpoint` outlives the router. A path given twice is a bug and aborts.
  void add(std::string_view path, Endpoint& endpoint);
  // Every path that begins with `folder`, which ends with a slash; exact paths come first, then the
  // longest folder. What is behind it, or that nothing is, is the endpoint's to read.
  void add_below(std::string_view folder, Endpoint& endpoint);

  // The endpoint of that path; nullptr when there is none.
  Endpoint* find(std::string_view path) const;

  // What was added, as it was given: for whoever counts requests by their endpoint.
  std::vector<std::string> routes() const;
  // The number in routes() of what answers this path; the size of routes() when nothing does.
  std::size_t route_of(std::string_view path) const;

  // Never throws: an outage is a 503, an unknown path a 404. A HEAD's answer keeps its body, which
  // tells its length; whoever sends it leaves the body out. The request outlives the task.
  loop::Task<Response> answer(const Request& request) const;

  // The 503 of that request's endpoint.
  Response unavailable(const Request& request) const;

 private:
  struct Route {
    std::string path;
    Endpoint* endpoint;
  };
  std::vector<Route> routes_;
  std::vector<Route> folders_;  // the longest first
};

}  // namespace svc::http
