// Fixed, Redirect: responses that do not change while the service runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "embed/site.h"
#include "http/endpoint.h"

namespace svc::endpoints {

class Fixed : public http::Endpoint {
 public:
  Fixed(std::string content_type, std::string body);

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  const std::string content_type_;
  const std::string body_;
};

class Redirect : public http::Endpoint {
 public:
  explicit Redirect(std::string url) : url_(std::move(url)) {}

  // 302 (RFC 9110 §15.4.3).
  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  const std::string url_;
};

// An entry in the format of oembed.com's registry of providers: schemes, url,
// example_urls, discovery.
std::string providers_json(const embed::Site& site);

// RFC 9728 §2, for a `resource` whose tokens `issuer` issues.
std::string protected_resource_json(const embed::Site& site, std::string_view issuer,
                                    std::string_view resource);

// Allows crawlers to fetch everything that an embed code or a discovery link
// refers to.
std::string robots_txt();

}  // namespace svc::endpoints
