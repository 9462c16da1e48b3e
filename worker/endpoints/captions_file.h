// CaptionsFile: `/embed/medias/<id>/captions/<language>.vtt?v=<version>`, captions whose text a
// client set, for the player. An address of another version, or of none, leads to the present one.
#pragma once

#include <string>

#include "embed/site.h"
#include "embed/watch_keys.h"
#include "endpoints/catalog_endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/caption_texts.h"
#include "media/catalog.h"
#include "media/reads.h"
#include "media/site_rules.h"

namespace svc::endpoints {

class CaptionsFile : public CatalogEndpoint {
 public:
  // Maximum ages in seconds.
  CaptionsFile(const embed::Site& site, int max_age, int negative_max_age, media::Catalog& catalog,
               media::SiteRules& rules, const embed::WatchKeys& keys, media::CaptionTexts& texts);

 protected:
  loop::Task<http::Response> answer_get(const http::Request& request, media::Reads& reads) override;

 private:
  http::Response not_found() const;

  const embed::Site& site_;
  const std::string cache_control_;
  const std::string negative_cache_control_;
  media::Catalog& catalog_;
  media::SiteRules& rules_;
  const embed::WatchKeys& keys_;
  media::CaptionTexts& texts_;
};

}  // namespace svc::endpoints
