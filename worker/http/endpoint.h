// Endpoint: what answers at one URL. It translates between HTTP and the domain, it decides nothing.
#pragma once

#include "http/request.h"
#include "http/response.h"

namespace svc::http {

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  // Told of a request some moments before it is to be answered, with others in between: a chance to
  // ask a store for what it will need, so that one trip serves them all. Must not wait.
  virtual void prepare(const Request&) {}

  // Told once more when what prepare() asked for may have come, again with others in between: a
  // chance to send what will change the store, so that one trip serves them all here too. Never
  // throws: what fails is left to answer(). Only behind a prepare(), and always before answer().
  virtual void send_ahead(const Request&) {}

  // Answers any method. May throw base::Unavailable, which the worker turns into a 503 with the
  // headers that every answer of this endpoint has.
  virtual Response answer(const Request& request) = 0;

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
