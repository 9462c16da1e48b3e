// Router: finds the endpoint of a path by a pattern (http/path_pattern.h).
//
// A path without placeholders takes precedence, then the pattern with more literal characters.
//
// Each path of the data API also has a name with `.json` appended (api-N1). The endpoint gets the
// path without it, and JSON as the accepted type.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unwritable.h"
#include "http/deprecation.h"
#include "http/endpoint.h"
#include "http/refusal.h"

namespace svc::http {

// The parameters that a GET of the data API reads.
struct ReadParameters {
  std::vector<std::string> described;  // in its document
  std::vector<std::string> token;      // accepted everywhere, and never described: the header is
};

struct Rule {
  std::string_view pattern;
  // As in Allow; "": the endpoint takes any. With OPTIONS, pages of any origin may read responses,
  // and the router answers the preflight; but if the form is Oauth, the endpoint decides.
  std::string_view methods;
  ErrorForm errors = ErrorForm::Json;
  // Only requests for an endpoint that needs the store count towards the limit of requests that
  // wait for it.
  bool needs_store = true;
  // A GET of the data API refuses others. nullptr: takes any. Outlives the router.
  const ReadParameters* parameters = nullptr;
};

class Router {
 public:
  // Writes the pages among the refusals, without Allow and Retry-After.
  using RefusalPage = std::function<Response(ErrorForm form, const Request& request, int status)>;

  Router() = default;
  explicit Router(RefusalPage page) : page_(std::move(page)) {}

  // `endpoint` and the texts of the rule outlive the router. Adding a pattern twice is a bug and
  // aborts.
  void add(const Rule& rule, Endpoint& endpoint);
  void add(std::string_view pattern, Endpoint& endpoint) { add(Rule{pattern, ""}, endpoint); }

  // From now on, responses of these parts announce it. Call it after add(). The rows outlive the
  // router. `page`: see http::announce().
  void announce(std::span<const Deprecation> deprecations, std::string page);

  // Returns nullptr if no endpoint has this path.
  Endpoint* find(std::string_view path) const;
  // The same, and gives the request its match.
  Endpoint* match(Request& request) const;
  // Returns false also if no endpoint has this path.
  bool needs_store(std::string_view path) const;

  // Returns the patterns, in the order of precedence. For counting requests per endpoint.
  std::vector<std::string> routes() const;
  // Returns the index in routes() of the route for this path, or the size of
  // routes() if it does not exist.
  std::size_t route_of(std::string_view path) const;

  // Turns base::Unavailable into a 503, base::Unwritable into a 422. Responds 404 to an unknown
  // path, in the form of the data API where a path with the same first segment has that form, and
  // 405 to a method that the route does not have. On a path of the data API, answers OPTIONS, and
  // lets pages of any origin read the responses to GET and HEAD, and names the request in refusals.
  // The response to a HEAD keeps its body, for Content-Length; the caller must not send it. The
  // request outlives the task.
  loop::Task<Response> answer(const Request& request) const;

  // Returns the 503 for this request.
  Response unavailable(const Request& request) const;

 private:
  struct Route {
    Rule rule;
    std::size_t literal;  // characters before the first placeholder
    char last;            // the last of them
    char end;             // the last character of each path that matches; '\0': any
    bool is_exact;        // without placeholders
    Endpoint* endpoint;
    bool is_shared;  // by pages of any origin
    std::vector<const Deprecation*> deprecations{};
  };
  const Route* route(std::string_view path) const;  // nullptr: no such path
  Response refuse(const Route& route, const Request& request, int status) const;
  // A 422 in the form of the data API, else the 503.
  Response unwritable(const Route& route, const Request& request,
                      const base::Unwritable& refused) const;
  void finish(const Route& route, const Request& request, Response& response) const;

  // Json, or Api or Oauth if a route with that form has the same first segment.
  ErrorForm form_of_unknown(std::string_view path) const;
  // Returns the path of the data API without `.json`, unless it is a route's whole path; another
  // path as it is.
  std::string_view plain(std::string_view path) const;
  std::size_t exact_route_of(std::string_view path) const;

  std::vector<Route> routes_;  // in the order of precedence
  // The first segments of routes for programs whose errors have codes.
  std::map<std::string_view, ErrorForm> programs_;
  RefusalPage page_;
  std::string deprecation_page_;
};

}  // namespace svc::http
