// Catalog in Redis: one GET per record. For many media, MGETs that are sent
// together.
//
// find_…() throw base::Unavailable if a record cannot be parsed or its key has
// another type.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "media/catalog.h"
#include "redis/store.h"
#include "text/json.h"

namespace svc::stores {

class Catalog : public media::Catalog {
 public:
  explicit Catalog(redis::Store& store) : store_(store) {}

  loop::Task<std::optional<media::Media>> find_media(const media::HashedId& id,
                                                     media::Detail detail,
                                                     media::Reads& reads) override;
  loop::Task<std::optional<media::Playlist>> find_playlist(const media::HashedId& id,
                                                           media::Reads& reads) override;
  loop::Task<std::optional<media::Project>> find_project(const media::ProjectId& id) override;
  loop::Task<std::vector<media::Media>> find_medias(const std::vector<media::HashedId>& ids,
                                                    media::Detail detail,
                                                    media::Reads& reads) override;

 private:
  // Throws base::Unavailable if one of these keys has another type.
  loop::Task<> check_missing(const std::vector<std::string_view>& keys);

  redis::Store& store_;
  text::json::Document document_;  // scratch space, not in use across a co_await
};

}  // namespace svc::stores
