// ProjectRegistry: media::ProjectRecords in Redis. Uses and deletions of a project are members of a
// sorted set in the slot of its record (keys::project_uses()).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/entropy.h"
#include "media/project_records.h"
#include "redis/store.h"
#include "text/json.h"

namespace svc::stores {

class ProjectRegistry : public media::ProjectRecords {
 public:
  explicit ProjectRegistry(redis::Store& store) : store_(store) {}

  // These need no script.
  loop::Task<std::optional<Use>> begin_use(media::ProjectId id,
                                           std::optional<media::AccountId> account) override;
  loop::Task<> end_use(Use use) override;

  loop::Task<> add_project(media::Project project) override;
  loop::Task<std::optional<media::Project>> edit_project(
      media::ProjectId id, std::function<bool(media::Project&)> change) override;
  loop::Task<std::optional<Deletion>> begin_deletion(media::ProjectId id) override;
  loop::Task<bool> finish_deletion(Deletion deletion) override;
  loop::Task<> end_deletion(Deletion deletion) override;

 private:
  // A record as it is stored, and its parsed form.
  struct Stored {
    std::string record;
    std::optional<media::Project> project;  // nullopt: it cannot be read
  };
  loop::Task<std::optional<Stored>> find(media::ProjectId id);
  // As find(). Throws base::Unreadable.
  loop::Task<std::optional<Stored>> find_readable(media::ProjectId id);
  loop::Task<> add_member(media::ProjectId id, std::string name, std::int64_t score);
  loop::Task<> remove_member(media::ProjectId id, std::string name);
  std::string new_name();

  redis::Store& store_;
  base::SystemEntropy entropy_;
  text::json::Document document_;  // scratch space, not in use across a co_await
};

}  // namespace svc::stores
