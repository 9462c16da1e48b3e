// CaptionsFile: `/embed/medias/<id>/captions/<language>.vtt?v=<version>`, captions whose text a
// client set, for the player. An address of another version, or of none, leads to the present one.
#pragma once

#include <string_view>

#include "endpoints/catalog_endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/caption_texts.h"
#include "media/reads.h"

namespace svc::endpoints {

class CaptionsFile : public FilmEndpoint {
 public:
  CaptionsFile(const FilmAccess& access, int max_age, media::CaptionTexts& texts)
      : FilmEndpoint(access, max_age), texts_(texts) {}

  // Each version has an address.
  std::string_view query_used(const http::Request& request) const override { return request.query; }

 protected:
  loop::Task<http::Response> answer_get(const http::Request& request, media::Reads& reads) override;

 private:
  media::CaptionTexts& texts_;
};

}  // namespace svc::endpoints
