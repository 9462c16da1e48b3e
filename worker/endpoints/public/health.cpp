#include "endpoints/public/health.h"

namespace svc::endpoints {

loop::Task<http::Response> Health::answer(const http::Request&) {
  co_await check_();
  http::Response response = http::in_json(R"({"status":"ok"})");
  response.with("Cache-Control", "no-store");
  co_return response;
}

}  // namespace svc::endpoints
