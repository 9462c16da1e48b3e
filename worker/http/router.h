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

  // Forgets the answers that were shared in the round that ends.
  void end_round() { shared_.clear(); }

  // The endpoint of that path; nullptr when there is none.
  Endpoint* find(std::string_view path) const;

  // What was added, as it was given: for whoever counts requests by their endpoint.
  std::vector<std::string> routes() const;
  // The number in routes() of what answers this path; the size of routes() when nothing does.
  std::size_t route_of(std::string_view path) const;

  // Hands the request to its endpoint's prepare(). Never throws: an outage is left to answer().
  void prepare(const Request& request) const;

  // The same for its send_ahead().
  void send_ahead(const Request& request) const;

  // Never throws: an outage is a 503, an unknown path a 404. A HEAD's answer keeps its body, which
  // tells its length; whoever sends it leaves the body out.
  Response answer(const Request& request);

 private:
  struct Route {
    std::string path;
    Endpoint* endpoint;
  };
  // What was answered in this round, by what it depends on. Copies: a request is gone once it is
  // answered.
  struct Shared {
    std::string path;
    std::string query;
    std::string if_none_match;
    Response response;
  };
  std::vector<Shared> shared_;
  std::vector<Route> routes_;
  std::vector<Route> folders_;  // the longest first
};

}  // namespace svc::http
