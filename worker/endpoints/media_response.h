// media_response: a media as JSON, as the API returns it.
#pragma once

#include <optional>

#include "embed/site.h"
#include "http/response.h"
#include "media/account.h"
#include "media/media.h"

namespace svc::endpoints {

// `progress`: from 0 to 1. `project`: the media's, if it has one that exists.
http::Response media_response(const embed::Site& site, const media::Media& media,
                              const std::optional<media::Project>& project, double progress);

}  // namespace svc::endpoints
