// Status: the pool's report on itself, for monitoring on the same machine.
// Never public: nginx does not forward requests of other clients.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "http/endpoint.h"

namespace svc::endpoints {

class Status : public http::Endpoint {
 public:
  // `text` builds the body of each response.
  Status(std::string content_type, std::function<std::string()> text)
      : content_type_(std::move(content_type)), text_(std::move(text)) {}

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  const std::string content_type_;
  const std::function<std::string()> text_;
};

}  // namespace svc::endpoints
