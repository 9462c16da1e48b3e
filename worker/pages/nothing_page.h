// NothingPage: what people see at an address below a folder of ours where there is no page, and
// HomePage, which sends whoever comes to `/` to the settings, by way of the login.
#pragma once

#include <string_view>

#include "embed/site.h"
#include "http/endpoint.h"

namespace svc::pages {

class NothingPage : public http::Endpoint {
 public:
  static constexpr std::string_view kFolder = "/settings/";

  explicit NothingPage(const embed::Site& site) : site_(site) {}
  loop::Task<http::Response> answer(const http::Request& request) override;
  bool needs_store() const override { return false; }

 private:
  const embed::Site& site_;
};

class HomePage : public http::Endpoint {
 public:
  static constexpr std::string_view kPath = "/";

  explicit HomePage(const embed::Site& site) : site_(site) {}
  // 303 to the host that has the settings, whatever host was asked.
  loop::Task<http::Response> answer(const http::Request& request) override;
  bool needs_store() const override { return false; }

 private:
  const embed::Site& site_;
};

}  // namespace svc::pages
