// SecurityText: the contact for reports of vulnerabilities, RFC 9116.
#pragma once

#include <string>

#include "base/clock.h"
#include "http/endpoint.h"

namespace svc::endpoints {

class SecurityText : public http::Endpoint {
 public:
  // `contacts` are URIs, separated by spaces; without one the response is 404. `clock` must outlive
  // this object.
  SecurityText(const std::string& contacts, const base::WallClock& clock);

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  std::string contacts_;  // lines
  const base::WallClock& clock_;
};

}  // namespace svc::endpoints
