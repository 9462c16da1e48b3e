// CatalogEndpoint: an endpoint whose responses to GET and HEAD depend only on
// the request and on records of the catalog.
#pragma once

#include "embed/embeddable.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/reads.h"

namespace svc::endpoints {

// For metrics. None: it needs no link.
http::WatchRefusal refusal_for(embed::NotEmbeddable why);

class CatalogEndpoint : public http::Endpoint {
 public:
  bool shares_answers(const http::Request&) const final { return true; }
  // Calls answer_get() and adds the keys that it read to the response.
  loop::Task<http::Response> answer(const http::Request& request) final;

 protected:
  // `reads` collects the keys that the response depends on. Both outlive the
  // task.
  virtual loop::Task<http::Response> answer_get(const http::Request& request,
                                                media::Reads& reads) = 0;
};

}  // namespace svc::endpoints
