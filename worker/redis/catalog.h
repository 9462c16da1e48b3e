// Catalog in Redis: one GET a media.
#pragma once

#include "media/catalog.h"
#include "redis/connection.h"
#include "text/json.h"

namespace svc::redis {

class Catalog : public media::Catalog {
 public:
  explicit Catalog(Connection& connection) : connection_(connection) {}

  void expect_media(const media::HashedId& id) override;
  void expect_playlist(const media::HashedId& id) override;
  std::optional<media::Media> find_media(const media::HashedId& id, media::Detail detail) override;
  std::optional<media::Playlist> find_playlist(const media::HashedId& id) override;
  std::optional<media::Project> find_project(const media::ProjectId& id) override;
  std::vector<media::Media> find_medias(const std::vector<media::HashedId>& ids,
                                        media::Detail detail) override;

 private:
  Connection& connection_;
  text::json::Document document_;
};

}  // namespace svc::redis
