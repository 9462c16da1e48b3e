// ProjectRecords: changes of projects, and how media get into them.
//
// A project is deleted only while it is empty, and a media is put only into a project that exists:
// each is one commit, which has the number of the project's media or its record as a condition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "loop/task.h"
#include "media/account.h"
#include "media/media.h"

namespace svc::media {

class ProjectRecords {
 public:
  virtual ~ProjectRecords() = default;

  // All throw base::Unavailable.

  // The id is not in use. Returns false, and adds nothing, if the account has `most` projects.
  virtual loop::Task<bool> add_project(Project project, std::int64_t most) = 0;
  // As Records::edit_media().
  virtual loop::Task<std::optional<Project>> edit_project(ProjectId id,
                                                          std::function<bool(Project&)> change) = 0;

  enum class Removed : std::uint8_t { Yes, Missing, NotEmpty, Refused };
  // Deletes an empty project, if `condition` is true of it; nullptr: it cannot be read. `account`:
  // of the project; nullopt: no account has it in its lists.
  virtual loop::Task<Removed> remove_project(ProjectId id, std::optional<AccountId> account,
                                             std::function<bool(const Project*)> condition) = 0;

  // Puts media of the account into the project. Up to kMovedTogether are moved at once, all or none
  // of them. Those that are in it, or do not exist any more, are left out. Returns how many were
  // moved; nullopt if the account has no such project.
  static constexpr std::size_t kMovedTogether = 64;
  virtual loop::Task<std::optional<std::size_t>> move_medias(AccountId account, ProjectId project,
                                                             std::vector<HashedId> ids,
                                                             std::string now) = 0;
};

}  // namespace svc::media
