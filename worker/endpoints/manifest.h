// Manifest: `/embed/medias/<id>.m3u8`, a media's HLS multivariant playlist (RFC 8216).
#pragma once

#include "embed/renderings.h"
#include "embed/site.h"
#include "http/endpoint.h"
#include "media/catalog.h"

namespace svc::endpoints {

class Manifest : public http::Endpoint {
 public:
  static constexpr std::string_view kPrefix = "/embed/medias/";
  static constexpr std::string_view kSuffix = ".m3u8";

  // max_age and negative_max_age in seconds.
  Manifest(const embed::Site& site, int max_age, int negative_max_age, media::Catalog& catalog,
           embed::Renderings* renderings = nullptr);

  bool shares_answers(const http::Request&) const override { return true; }
  bool ignores_query(const http::Request&) const override { return true; }
  loop::Task<http::Response> answer(const http::Request& request) override;
  void add_common_headers(http::Response& response) const override;

 private:
  http::Response refusal(int status, std::string_view message) const;
  loop::Task<http::Response> answer_get(const http::Request& request, media::Reads& reads);

  const embed::Site& site_;
  const std::string cache_control_;
  const std::string negative_cache_control_;
  media::Catalog& catalog_;
  embed::Renderings* const renderings_;
};

}  // namespace svc::endpoints
