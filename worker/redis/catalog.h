// Catalog in Redis: one GET a media, and an MGET for many.
//
// A record that cannot be read, or a key of another type, is an outage of whatever asks for it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cache/reads.h"
#include "media/catalog.h"
#include "redis/connection.h"
#include "text/json.h"

namespace svc::redis {

class Catalog : public media::Catalog {
 public:
  // Notes in `reads` what it reads, where there is one.
  explicit Catalog(Connection& connection, cache::Reads* reads = nullptr)
      : connection_(connection), reads_(reads) {}

  void expect_media(const media::HashedId& id) override;
  void expect_playlist(const media::HashedId& id) override;
  std::optional<media::Media> find_media(const media::HashedId& id, media::Detail detail) override;
  std::optional<media::Playlist> find_playlist(const media::HashedId& id) override;
  std::optional<media::Project> find_project(const media::ProjectId& id) override;
  std::vector<media::Media> find_medias(const std::vector<media::HashedId>& ids,
                                        media::Detail detail) override;

 private:
  using MediaByKey = std::unordered_map<std::string, std::optional<media::Media>>;
  void find_batch(std::span<const std::string_view> keys, media::Detail detail, MediaByKey& by_key);

  void note(std::string_view key) const {
    if (reads_ != nullptr) reads_->note(key);
  }

  // Notes it, and asks again where that is wanted.
  ReplyView get(const std::string& key);

  Connection& connection_;
  cache::Reads* const reads_;
  text::json::Document document_;
};

}  // namespace svc::redis
