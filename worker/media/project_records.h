// ProjectRecords: changes of projects, and how media get into them.
//
// A project is deleted only while it is empty, and a media is put only into a project that exists:
// also if both run simultaneously, and if a process dies between any two steps. No step changes
// two keys atomically.
//
//   a writer                         a deletion
//   1. note the use                  1. note the deletion
//   2. end the noted deletions       2. refuse if there is a use
//   3. refuse without a project      3. refuse if the project has media
//   4. write the media               4. delete the project, if the deletion is still noted and the
//   5. end the use                      record is the same
//
// If the writer's 2 comes after the deletion's 1, the deletion's 4 refuses, or the writer's 3 does.
// Otherwise the deletion's 2 sees the use, or the media has been written, and 3 sees it.
//
// All throw base::Unavailable.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/unavailable.h"
#include "loop/task.h"
#include "media/account.h"
#include "media/id.h"

namespace svc::media {

// The steps of a writer.
class ProjectUses {
 public:
  // A use that is not ended is ignored after this time: its process has died.
  static constexpr std::chrono::seconds kForgotten{60};

  // A writer puts media into the project.
  struct Use {
    // A media is written at most this long after the use began. A process that was
    // suspended for longer gives up.
    static constexpr std::chrono::seconds kLongest{30};

    Project project;  // as it was then
    std::string name;
    const base::Clock* clock = nullptr;
    base::TimePoint since{};

    // Called before step 4.
    void must_be_recent() const {
      if (clock->now() - since > kLongest)
        throw base::Unavailable("putting media into a project took too long");
    }
  };

  virtual ~ProjectUses() = default;

  // Steps 1 to 3. Returns nullopt if the account has no such project. Without an account: of any.
  virtual loop::Task<std::optional<Use>> begin_use(ProjectId id,
                                                   std::optional<AccountId> account) = 0;
  // A use that is not ended delays the deletion of the project by kForgotten.
  virtual loop::Task<> end_use(Use use) = 0;
};

class ProjectRecords : public ProjectUses {
 public:
  // The id is not in use.
  virtual loop::Task<> add_project(Project project) = 0;
  // As Records::edit_media().
  virtual loop::Task<std::optional<Project>> edit_project(ProjectId id,
                                                          std::function<bool(Project&)> change) = 0;

  struct Deletion {
    ProjectId id;
    // Of the project. For a record that cannot be read, the caller sets it; nullopt: no account has
    // it in its lists.
    std::optional<AccountId> account{};
    std::optional<Project> project{};  // as it was after step 1; nullopt: it cannot be read
    std::string record;
    std::string name;
    bool is_used = false;  // a media is being put into it
  };
  // Steps 1 and 2. Returns nullopt if there is no such project. Its record need not be readable.
  virtual loop::Task<std::optional<Deletion>> begin_deletion(ProjectId id) = 0;
  // Step 4. Returns false if the project was changed or used since step 1.
  virtual loop::Task<bool> finish_deletion(Deletion deletion) = 0;
  // Instead of step 4. A deletion that is not ended is harmless.
  virtual loop::Task<> end_deletion(Deletion deletion) = 0;
};

}  // namespace svc::media
