#include "endpoints/public/status.h"

namespace svc::endpoints {

loop::Task<http::Response> Status::answer(const http::Request&) {
  http::Response response;
  response.content_type = content_type_;
  response.body = text_();
  response.with("Cache-Control", "no-store");
  co_return response;
}

}  // namespace svc::endpoints
