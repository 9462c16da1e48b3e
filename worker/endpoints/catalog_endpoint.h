// CatalogEndpoint: an endpoint whose responses to GET and HEAD depend only on
// the request and on records of the catalog.
#pragma once

#include <string>
#include <string_view>

#include "embed/embeddable.h"
#include "embed/site.h"
#include "embed/watch_keys.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/catalog.h"
#include "media/reads.h"
#include "media/site_rules.h"

namespace svc::endpoints {

// For metrics. None: it needs no link.
http::WatchRefusal refusal_for(embed::NotEmbeddable why);

class CatalogEndpoint : public http::Endpoint {
 public:
  bool shares_answers(const http::Request&) const final { return true; }
  // Calls answer_get() and adds the keys that it read to the response.
  loop::Task<http::Response> answer(const http::Request& request) final;

 protected:
  // `reads` collects the keys that the response depends on. Both outlive the
  // task.
  virtual loop::Task<http::Response> answer_get(const http::Request& request,
                                                media::Reads& reads) = 0;
};

// What the files that players load need. The references outlive their endpoints.
struct FilmAccess {
  const embed::Site& site;
  media::Catalog& catalog;
  media::SiteRules& rules;
  const embed::WatchKeys& keys;
  int negative_max_age;  // seconds
};

// FilmEndpoint: a file that players load.
class FilmEndpoint : public CatalogEndpoint {
 public:
  // Returns the link or pass in the query.
  std::string_view query_used(const http::Request& request) const override;

 protected:
  FilmEndpoint(const FilmAccess& access, int max_age)
      : site_(access.site),
        cache_control_("public, max-age=" + std::to_string(max_age)),
        negative_cache_control_("public, max-age=" + std::to_string(access.negative_max_age)),
        catalog_(access.catalog),
        rules_(access.rules),
        keys_(access.keys) {}

  http::Response refusal(int status, std::string_view message) const;

  const embed::Site& site_;
  const std::string cache_control_;
  const std::string negative_cache_control_;
  media::Catalog& catalog_;
  media::SiteRules& rules_;
  const embed::WatchKeys& keys_;
};

}  // namespace svc::endpoints
