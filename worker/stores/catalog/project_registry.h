// ProjectRegistry: media::ProjectRecords in Redis.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "media/project_records.h"
#include "redis/store.h"
#include "text/json.h"

namespace svc::stores {

class ProjectRegistry : public media::ProjectRecords {
 public:
  explicit ProjectRegistry(redis::Store& store) : store_(store) {}

  loop::Task<bool> add_project(media::Project project, std::int64_t most) override;
  loop::Task<std::optional<media::Project>> edit_project(
      media::ProjectId id, std::function<bool(media::Project&)> change) override;
  loop::Task<Removed> remove_project(media::ProjectId id, std::optional<media::AccountId> account,
                                     std::function<bool(const media::Project*)> condition) override;
  loop::Task<std::optional<std::size_t>> move_medias(media::AccountId account,
                                                     media::ProjectId project,
                                                     std::vector<media::HashedId> ids,
                                                     std::string now) override;

 private:
  // A record as it is stored, and its parsed form.
  struct Stored {
    std::string record;
    std::optional<media::Project> project;  // nullopt: it cannot be read
  };
  loop::Task<std::optional<Stored>> find(media::ProjectId id);
  // As find(). Throws base::Unreadable.
  loop::Task<std::optional<Stored>> find_readable(media::ProjectId id);

  redis::Store& store_;
  text::json::Document document_;  // scratch space, not in use across a co_await
};

}  // namespace svc::stores
