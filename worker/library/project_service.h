// ProjectService: creates, edits and deletes projects, and moves media between them, for the API,
// the pages and svcctl. It has the rules and the audit events of these changes, as MediaService has
// those of media.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/result.h"
#include "library/actor.h"
#include "loop/task.h"
#include "media/account.h"
#include "media/catalog.h"
#include "media/listings.h"
#include "media/project_records.h"
#include "media/records.h"
#include "media/uploads.h"
#include "oauth/stores.h"

namespace svc::library {

// Absent fields stay.
struct ProjectEdit {
  std::optional<std::string> name{};
  std::optional<std::string> description{};
};

// As library::Condition, of a project.
using ProjectCondition = std::function<bool(const media::Project&)>;

// Why a project is not deleted.
struct NotRemoved {
  std::optional<Refusal> refusal{};  // nullopt: it is not empty
  std::int64_t medias = 0;           // in the project
};

// The ids in a move that the account does not have. Nothing was moved.
struct Missing {
  std::vector<std::string> medias;  // as they were named
  bool project = false;
};

class ProjectService {
 public:
  // All references outlive it, and arguments outlive the tasks. All functions throw
  // base::Unavailable.
  ProjectService(media::Catalog& catalog, media::ProjectRecords& projects,
                 media::Listings& listings, oauth::Audit& audit, base::Entropy& entropy,
                 const base::WallClock& clock)
      : catalog_(catalog),
        projects_(projects),
        listings_(listings),
        audit_(audit),
        entropy_(entropy),
        clock_(clock) {}

  // Lists of projects have no cursors, and pages reach this many.
  static constexpr std::int64_t kMostProjects = 10'000;

  // Returns the project, whose id is random unless the caller made it; nullopt if the account has
  // kMostProjects. A project of the account that has the caller's id already is returned as it is.
  loop::Task<std::optional<media::Project>> create(const std::string& name,
                                                   const std::string& description,
                                                   const Actor& actor, std::string id = "");
  // Returns the project as stored.
  loop::Task<base::Result<media::Project, Refusal>> edit(const media::ProjectId& id,
                                                         const ProjectEdit& edit,
                                                         const ProjectCondition& condition,
                                                         const Actor& actor);
  // Deletes an empty project, without a condition also one that cannot be read. A media that is put
  // into it at the same time either is in it, and the project stays, or its writer is refused
  // (media/project_records.h).
  loop::Task<std::optional<NotRemoved>> remove(const media::ProjectId& id,
                                               const ProjectCondition& condition,
                                               const Actor& actor);
  // Moves all of these media, or none if any is missing; duplicates count once. If it throws, some
  // may have been moved: a repetition moves the others. Returns the number of media that it moved.
  loop::Task<base::Result<std::size_t, Missing>> move(const std::vector<std::string>& hashed_ids,
                                                      const std::string& project_id,
                                                      const Actor& actor);

 private:
  loop::Task<base::Result<media::Project, Refusal>> find(const media::ProjectId& id,
                                                         const ProjectCondition& condition,
                                                         const Actor& actor);
  loop::Task<std::optional<media::Project>> find_project(std::optional<media::ProjectId> id);
  media::Catalog& catalog_;
  media::ProjectRecords& projects_;
  media::Listings& listings_;
  oauth::Audit& audit_;
  base::Entropy& entropy_;
  const base::WallClock& clock_;
};

}  // namespace svc::library
