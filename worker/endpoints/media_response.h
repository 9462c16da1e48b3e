// media_response: a media as JSON, as the API returns it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embed/site.h"
#include "endpoints/description.h"
#include "http/response.h"
#include "media/account.h"
#include "media/media.h"

namespace svc::endpoints {

// Appends the record. `progress`: from 0 to 1. `project`: the media's, if it exists.
// `cursor`: of a list; empty: without a cursor.
void append_media(std::string& out, const embed::Site& site, const media::Media& media,
                  const std::optional<media::Project>& project, double progress,
                  std::string_view cursor = {});

// As append_media().
std::string media_json(const embed::Site& site, const media::Media& media,
                       const std::optional<media::Project>& project, double progress);

// That record, and those in it.
std::vector<DescribedRecord> describe_media();
inline constexpr std::string_view kMediaRecord = "Media";
// `id`, of a media or project.
DescribedField described_number();

http::Response media_response(const media::Media& media, std::string json);

}  // namespace svc::endpoints
