// CatalogEndpoint: an endpoint whose responses to GET and HEAD are made from records of the catalog
// and are the same for every client until one of those records changes.
#pragma once

#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/reads.h"

namespace svc::endpoints {

class CatalogEndpoint : public http::Endpoint {
 public:
  bool shares_answers(const http::Request&) const final { return true; }
  // Calls answer_get() and notes in the response what that read.
  loop::Task<http::Response> answer(const http::Request& request) final;

 protected:
  // `reads` notes what the response is made from. Both outlive the task.
  virtual loop::Task<http::Response> answer_get(const http::Request& request,
                                                media::Reads& reads) = 0;
  // The response to any other method.
  virtual http::Response answer_other_method(const http::Request& request) const = 0;
};

}  // namespace svc::endpoints
