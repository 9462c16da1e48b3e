// BodyPermission: decides whether an application may send a long text before its body is read
// (nginx's auth_request), for the role grant. api-N7.
//
// nginx asks at kBodyPermission (base/paths.h), with the method and the token. The response is 204
// with the account of the token, or 403. After any other response than 204 nginx sends the request
// itself, without its body, and its response states the reason.
#pragma once

#include "endpoints/api_endpoint.h"

namespace svc::endpoints {

class BodyPermission : public ApiEndpoint {
 public:
  explicit BodyPermission(const ApiAccess& access) : ApiEndpoint(access) {}

  loop::Task<http::Response> answer(const http::Request& request) override;
};

}  // namespace svc::endpoints
