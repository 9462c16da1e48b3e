// Endpoint: responds to the requests for one URL. It translates between HTTP
// and the domain; the domain decides.
#pragma once

#include <optional>
#include <string_view>

#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"

namespace svc::http {

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  // Responds to a method of the route. The request outlives the task. May throw
  // base::Unavailable: the router then responds with a 503 in the form of the
  // route and with the common headers.
  virtual loop::Task<Response> answer(const Request& request) = 0;

  // Returns true if all GET and HEAD requests for this path and query may share
  // one response until a record that it depends on changes. It then depends on
  // If-None-Match as the only other part of the request, and has no side effects.
  virtual bool shares_answers(const Request&) const { return false; }

  // Returns the part of the query that the response depends on: a view of it, or "".
  virtual std::string_view query_used(const Request& request) const { return request.query; }

  // Returns the language in which it responds, of a small number of tags, if a shared response
  // depends on it (Response::varies_by_language). The view outlives the request.
  virtual std::string_view language_for(const Request&) const { return {}; }

  // Adds the headers of every response, including responses that the router makes
  // instead of the endpoint.
  virtual void add_common_headers(Response&) const {}

  // Lets a page of another origin read a refusal that the router makes instead of the endpoint.
  virtual void share_refusal(const Request&, Response&) const {}

  // The 503 if the store is unavailable; nullopt: the one of the route.
  virtual std::optional<Response> unavailable(const Request&) const { return std::nullopt; }
};

}  // namespace svc::http
