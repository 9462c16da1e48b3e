// Manifest: `/embed/medias/<id>.m3u8`, the HLS multivariant playlist of a media
// (RFC 8216).
#pragma once

#include "embed/embeddable.h"
#include "embed/renderings.h"
#include "endpoints/catalog_endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/reads.h"

namespace svc::endpoints {

class Manifest : public FilmEndpoint {
 public:
  // `renderings`, if given, outlive it.
  Manifest(const FilmAccess& access, int max_age, embed::Renderings* renderings = nullptr)
      : FilmEndpoint(access, max_age), renderings_(renderings) {}

 protected:
  loop::Task<http::Response> answer_get(const http::Request& request, media::Reads& reads) override;

 private:
  http::Response refused(embed::NotEmbeddable why, const media::HashedId& id) const;

  embed::Renderings* const renderings_;
};

}  // namespace svc::endpoints
