// media_response: a media as JSON, as the API returns it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embed/site.h"
#include "endpoints/description.h"
#include "http/response.h"
#include "loop/task.h"
#include "media/account.h"
#include "media/catalog.h"
#include "media/media.h"
#include "media/uploads.h"

namespace svc::endpoints {

// The members of a response about media that are not in their records.
struct MediaDetails {
  std::vector<std::optional<media::Project>> projects;  // one per media; nullopt: none exists
  std::vector<double> progress;                         // one per media, from 0 to 1
};
// Reads them, in one round trip. Throws base::Unavailable. All must outlive the task.
loop::Task<MediaDetails> find_details(media::Catalog& catalog, media::Uploads& uploads,
                                      const std::vector<media::Media>& medias);

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
