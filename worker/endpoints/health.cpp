#include "endpoints/health.h"

namespace svc::endpoints {

loop::Task<http::Response> Health::answer(const http::Request& request) {
  if (!request.is_get_or_head()) co_return http::method_not_allowed("GET, HEAD");
  co_await check_();
  http::Response response;
  response.content_type = "application/json; charset=utf-8";
  response.body = R"({"status":"ok"})";
  response.with("Cache-Control", "no-store");
  co_return response;
}

}  // namespace svc::endpoints
