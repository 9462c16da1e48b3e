#include "endpoints/status.h"

namespace svc::endpoints {

http::Response Status::answer(const http::Request& request) {
  if (!request.is_get_or_head()) return http::method_not_allowed("GET, HEAD");
  http::Response response;
  response.content_type = content_type_;
  response.body = text_();
  response.with("Cache-Control", "no-store");
  return response;
}

}  // namespace svc::endpoints
