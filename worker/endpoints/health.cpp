#include "endpoints/health.h"

namespace svc::endpoints {

http::Response Health::answer(const http::Request& request) {
  if (!request.is_get_or_head()) return http::method_not_allowed("GET, HEAD");
  check_();
  http::Response response;
  response.content_type = "application/json; charset=utf-8";
  response.body = R"({"status":"ok"})";
  response.with("Cache-Control", "no-store");
  return response;
}

}  // namespace svc::endpoints
