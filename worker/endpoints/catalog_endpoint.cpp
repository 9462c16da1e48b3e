#include "endpoints/catalog_endpoint.h"

namespace svc::endpoints {

loop::Task<http::Response> CatalogEndpoint::answer(const http::Request& request) {
  media::Reads reads;
  http::Response response = co_await answer_get(request, reads);
  response.made_from = reads.take();
  co_return response;
}

}  // namespace svc::endpoints
