#include "endpoints/catalog_endpoint.h"

namespace svc::endpoints {

loop::Task<http::Response> CatalogEndpoint::answer(const http::Request& request) {
  if (!request.is_get_or_head()) co_return answer_other_method(request);
  media::Reads reads;
  http::Response response = co_await answer_get(request, reads);
  response.made_from = reads.take();
  co_return response;
}

}  // namespace svc::endpoints
