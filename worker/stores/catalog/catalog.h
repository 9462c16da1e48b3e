// Catalog in Redis: one GET per record. For many media, MGETs that are sent
// together.
//
// find_…() throw base::Unavailable if a record cannot be parsed or its key has
// another type.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loop/pieces.h"
#include "media/catalog.h"
#include "redis/store.h"
#include "stores/catalog/unindexed.h"
#include "text/json.h"

namespace svc::stores {

class Catalog : public media::Catalog {
 public:
  // Without `pieces`, many records take what time they need: svcctl.
  explicit Catalog(redis::Store& store, loop::Pieces* pieces = nullptr)
      : store_(store), pieces_(pieces) {}

  loop::Task<std::optional<media::Media>> find_media(const media::HashedId& id,
                                                     media::Detail detail,
                                                     media::Reads& reads) override;
  loop::Task<std::optional<media::Playlist>> find_playlist(const media::HashedId& id,
                                                           media::Reads& reads) override;
  loop::Task<std::optional<media::Project>> find_project(const media::ProjectId& id) override;
  loop::Task<std::shared_ptr<media::MediaWithProject>> find_with_project(
      const media::HashedId& id) override;
  loop::Task<std::vector<media::Media>> find_medias(const std::vector<media::HashedId>& ids,
                                                    media::Detail detail,
                                                    media::Reads& reads) override;
  loop::Task<bool> has_media(media::AccountId account, media::HashedId id) override;
  loop::Task<bool> has_project(media::AccountId account, media::ProjectId id) override;
  // As find_medias(). Adds the ids of those that cannot be read to `unreadable`.
  loop::Task<std::vector<media::Media>> read_medias(const std::vector<media::HashedId>& ids,
                                                    media::Detail detail, media::Reads& reads,
                                                    std::vector<media::HashedId>& unreadable);

 private:
  // Returns those of these keys that have another type, and logs them.
  loop::Task<std::vector<std::string_view>> foreign_of(const std::vector<std::string_view>& keys);

  // A media with the texts of the records that it was parsed from.
  struct Parsed {
    std::string record;
    std::string project_key;  // empty: it has none
    std::string project;      // empty: it does not exist
    media::MediaWithProject found;
  };
  // Whether `owner_in` finds the account in the stored text, or, if that has none, its index does.
  loop::Task<bool> has(media::AccountId account, std::string key, IndexedRecord record,
                       std::optional<media::AccountId> (*owner_in)(text::json::Document&,
                                                                   std::string_view));
  std::optional<media::Project> project_in(const std::string& key, std::string_view text);
  void keep(const std::string& key, const std::shared_ptr<Parsed>& parsed);

  redis::Store& store_;
  loop::Pieces* const pieces_;
  text::json::Document document_;  // scratch space, not in use across a co_await
  std::unordered_map<std::string, std::shared_ptr<Parsed>> parsed_;  // by the media's key
  std::size_t parsed_bytes_ = 0;  // size of the records in parsed_, and of some former ones
};

}  // namespace svc::stores
