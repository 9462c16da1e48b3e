#include "library/project_service.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/unavailable.h"
#include "base/unreadable.h"
#include "library/field_edit.h"
#include "loop/all.h"
#include "media/upload_form.h"
#include "text/rfc3339.h"

namespace svc::library {
namespace {

// Returns the names of the fields that the edit changes, each after a space.
std::string apply_to_project(const ProjectEdit& edit, media::Project& project) {
  std::string changed;
  set_field(changed, "name", edit.name, project.name);
  set_field(changed, "description", edit.description, project.description);
  return changed;
}

std::optional<Refusal> why_not_this(const media::Project& project,
                                    const ProjectCondition& condition, const Actor& actor) {
  if (project.account != actor.account) return Refusal::NotFound;
  if (condition && !condition(project)) return Refusal::Overtaken;
  return std::nullopt;
}

}  // namespace

loop::Task<base::Result<media::Project, Refusal>> ProjectService::find(
    const media::ProjectId& id, const ProjectCondition& condition, const Actor& actor) {
  std::optional<media::Project> project = co_await catalog_.find_project(id);
  if (!project) co_return base::Refusal{Refusal::NotFound};
  if (const auto refused = why_not_this(*project, condition, actor))
    co_return base::Refusal{*refused};
  co_return *std::move(project);
}

loop::Task<std::optional<media::Project>> ProjectService::create(const std::string& name,
                                                                 const std::string& description,
                                                                 const Actor& actor,
                                                                 std::string id) {
  if (!id.empty()) {
    std::optional<media::ProjectId> project_id{media::ProjectId{id}};
    std::optional<media::Project> project = co_await find_project(std::move(project_id));
    if (project && project->account == actor.account) co_return project;
  }
  std::optional<media::ProjectId> all_projects;
  const media::CatalogCounts counts =
      co_await listings_.counts(actor.account, std::move(all_projects));
  if (counts.projects >= kMostProjects) co_return std::nullopt;
  if (id.empty()) id = media::new_id(entropy_).value();
  const std::string now = text::to_rfc3339(clock_.now());
  const media::Project project{.id = {id},
                               .account = actor.account,
                               .name = name,
                               .description = description,
                               .created = now,
                               .updated = now};
  static_cast<void>(to_record(project));  // refused before the event, not after it
  const std::string detail = actor.about("project " + id);
  const oauth::AuditEvent event = actor.event(oauth::event_named<"project.created">(), detail);
  co_await audit_.record(event);
  const bool is_added = co_await projects_.add_project(project, kMostProjects);
  if (!is_added) co_return std::nullopt;
  co_return project;
}

loop::Task<base::Result<media::Project, Refusal>> ProjectService::edit(
    const media::ProjectId& id, const ProjectEdit& edit, const ProjectCondition& condition,
    const Actor& actor) {
  base::Result<media::Project, Refusal> found = co_await find(id, condition, actor);
  if (!found) co_return found;
  media::Project after = *found;
  const std::string changed = apply_to_project(edit, after);
  if (changed.empty()) co_return found;
  static_cast<void>(to_record(after, &*found));  // refused before the event, not after it
  const std::string detail = actor.about("project " + id.value() + changed);
  const oauth::AuditEvent event = actor.event(oauth::event_named<"project.changed">(), detail);
  co_await audit_.record(event);
  std::optional<Refusal> refused;
  const std::string now = text::to_rfc3339(clock_.now());
  std::function<bool(media::Project&)> change = [&](media::Project& project) {
    refused = why_not_this(project, condition, actor);
    if (refused || apply_to_project(edit, project).empty()) return false;
    project.updated = now;
    return true;
  };
  std::optional<media::Project> stored = co_await projects_.edit_project(id, std::move(change));
  if (!stored) refused = Refusal::NotFound;
  if (refused) co_return base::Refusal{*refused};
  co_return *std::move(stored);
}

loop::Task<std::optional<NotRemoved>> ProjectService::remove(const media::ProjectId& id,
                                                             const ProjectCondition& condition,
                                                             const Actor& actor) {
  // A request for a project of another account leaves no trace in it.
  bool is_unreadable = false;
  try {
    const base::Result<media::Project, Refusal> found = co_await find(id, condition, actor);
    if (!found) co_return NotRemoved{.refusal = found.error()};
  } catch (const base::Unreadable&) {
    if (condition) throw;
    is_unreadable = true;
  }
  if (is_unreadable) {
    const bool is_here = co_await catalog_.has_project(actor.account, id);
    if (!is_here) co_return NotRemoved{.refusal = Refusal::NotFound};
  }
  const std::string detail = actor.about("project " + id.value());
  const media::CatalogCounts counts = co_await listings_.counts(actor.account, id);
  if (counts.medias > 0) co_return NotRemoved{.medias = counts.medias};
  const oauth::AuditEvent event = actor.event(oauth::event_named<"project.deleted">(), detail);
  co_await audit_.record(event);
  NotRemoved why;
  std::function<bool(const media::Project*)> may_go = [&](const media::Project* project) {
    why.refusal.reset();
    if (project != nullptr) {
      why.refusal = why_not_this(*project, condition, actor);
    } else if (!is_unreadable) {
      throw base::Unreadable("the project was damaged since it was read");
    }
    return !why.refusal;
  };
  using Removed = media::ProjectRecords::Removed;
  const Removed removed = co_await projects_.remove_project(id, actor.account, std::move(may_go));
  if (removed == Removed::Yes) co_return std::nullopt;
  if (removed == Removed::Missing) why.refusal = Refusal::NotFound;
  if (removed == Removed::NotEmpty) {
    const media::CatalogCounts now = co_await listings_.counts(actor.account, id);
    why.medias = std::max<std::int64_t>(now.medias, 1);
  }
  co_return why;
}

loop::Task<std::optional<media::Project>> ProjectService::find_project(
    std::optional<media::ProjectId> id) {
  if (!id) co_return std::nullopt;
  co_return co_await catalog_.find_project(*id);
}

loop::Task<base::Result<std::size_t, Missing>> ProjectService::move(
    const std::vector<std::string>& hashed_ids, const std::string& project_id, const Actor& actor) {
  std::vector<media::HashedId> ids;
  for (const std::string& text : hashed_ids) {
    if (const auto id = media::HashedId::parse(text)) ids.push_back(*id);
  }
  const auto project = media::ProjectId::parse(project_id);
  media::Reads reads;
  auto both =
      loop::all(catalog_.find_medias(ids, media::Detail::All, reads), find_project(project));
  const auto found = co_await both;
  const auto& [medias, target] = found;
  Missing missing;
  missing.project = !target || target->account != actor.account;
  std::vector<media::HashedId> elsewhere;
  for (const std::string& text : hashed_ids) {
    const auto media = std::ranges::find_if(medias, [&](const media::Media& each) {
      return each.id.value() == text && each.account == actor.account;
    });
    if (media == medias.end()) {
      if (std::ranges::find(missing.medias, text) == missing.medias.end())
        missing.medias.push_back(text);
    } else if (media->project != project &&
               std::ranges::find(elsewhere, media->id) == elsewhere.end()) {
      elsewhere.push_back(media->id);
    }
  }
  if (missing.project || !missing.medias.empty()) co_return base::Refusal{std::move(missing)};
  if (elsewhere.empty()) co_return std::size_t{0};
  std::string what = "project " + project->value() + ", media";
  for (const media::HashedId& id : elsewhere) what.append(" ").append(id.value());
  const std::string detail = actor.about(what);
  const oauth::AuditEvent event = actor.event(oauth::event_named<"media.moved">(), detail);
  co_await audit_.record(event);
  // A media that is deleted in between counts as moved before its deletion.
  const std::string now = text::to_rfc3339(clock_.now());
  const std::optional<std::size_t> moved =
      co_await projects_.move_medias(actor.account, *project, std::move(elsewhere), now);
  if (!moved) co_return base::Refusal{Missing{.medias = {}, .project = true}};
  co_return *moved;
}

}  // namespace svc::library
