// Endpoint: what answers at one URL. It translates between HTTP and the domain, it decides nothing.
#pragma once

#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"

namespace svc::http {

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  // Answers any method. The request outlives the task. May throw base::Unavailable, which the
  // worker turns into a 503 with the headers that every answer of this endpoint has.
  virtual loop::Task<Response> answer(const Request& request) = 0;

  // Whether it needs a store. If not, a request is answered however many wait for one.
  virtual bool needs_store() const { return true; }

  // Whether all GETs and HEADs of that path and query may have one answer, as long as what it was
  // made from does not change: nothing else of a request but If-None-Match changes it, and
  // answering has no other effect.
  virtual bool shares_answers(const Request&) const { return false; }

  // Whether the query of such a request changes nothing either.
  virtual bool ignores_query(const Request&) const { return false; }

  // Headers of every answer, also of one that the worker makes in its place.
  virtual void add_common_headers(Response&) const {}

  // What the answer of an endpoint looks like when its store is away. JSON unless it says
  // otherwise.
  virtual Response unavailable(const Request& request) const;
};

}  // namespace svc::http
