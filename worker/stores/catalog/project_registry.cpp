#include "stores/catalog/project_registry.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/unreadable.h"
#include "stores/catalog/commit.h"
#include "stores/catalog/unindexed.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

IndexedRecord indexed(const media::ProjectId& id) { return {Indexed::Project, id.value()}; }

}  // namespace

loop::Task<std::optional<ProjectRegistry::Stored>> ProjectRegistry::find(media::ProjectId id) {
  const std::string key = keys::project(id);
  redis::Store::Call call = store_.get(key);
  Stored stored;
  try {
    const redis::Reply reply = co_await RecordRead{call, key};
    if (!reply.text()) co_return std::nullopt;
    stored.record = *reply.text();
    stored.project = read_record(document_, key, stored.record, media::project_from_record);
  } catch (const base::Unreadable&) {
    // It is logged.
  }
  co_return stored;
}

loop::Task<std::optional<ProjectRegistry::Stored>> ProjectRegistry::find_readable(
    media::ProjectId id) {
  std::optional<Stored> stored = co_await find(id);
  if (stored && !stored->project) throw base::Unreadable("a project cannot be read");
  co_return stored;
}

loop::Task<bool> ProjectRegistry::add_project(media::Project project, std::int64_t most) {
  Commit commit(project.account);
  commit.change(keys::project(project.id), "", to_record(project));
  commit.note(indexed(project.id), std::nullopt, indexed_fields(project));
  commit.add(count_of(Indexed::Project), 0, most);
  const Commit::Outcome outcome = co_await commit.run(store_);
  co_return outcome != Commit::Outcome::Full;
}

loop::Task<std::optional<media::Project>> ProjectRegistry::edit_project(
    media::ProjectId id, std::function<bool(media::Project&)> change) {
  while (true) {
    const std::optional<Stored> stored = co_await find_readable(id);
    if (!stored) co_return std::nullopt;
    media::Project project = *stored->project;
    if (!change(project)) co_return project;
    Commit commit(project.account);
    commit.change(keys::project(id), stored->record, to_record(project, &*stored->project));
    commit.note(indexed(id), indexed_fields(*stored->project), indexed_fields(project));
    const Commit::Outcome outcome = co_await commit.run(store_);
    if (outcome == Commit::Outcome::Done) co_return project;
  }
}

loop::Task<media::ProjectRecords::Removed> ProjectRegistry::remove_project(
    media::ProjectId id, std::optional<media::AccountId> account,
    std::function<bool(const media::Project*)> condition) {
  const std::string key = keys::project(id);
  while (true) {
    const std::optional<Stored> stored = co_await find(id);
    if (!stored) co_return Removed::Missing;
    if (!condition(stored->project ? &*stored->project : nullptr)) co_return Removed::Refused;
    if (!account) {
      const std::array<std::string_view, 2> words{"DEL", key};
      redis::Store::Call call = store_.repeatable(words, redis::Durability::Replicated);
      co_await call;
      co_return Removed::Yes;
    }
    Commit commit(*account);
    std::optional<IndexedFields> was;
    if (stored->project) {
      was = indexed_fields(*stored->project);
      commit.change(key, stored->record, "");
    } else {
      was = co_await find_indexed(store_, *account, indexed(id));
      commit.erase(key);
    }
    commit.note(indexed(id), was, std::nullopt);
    commit.must_have_none(count_of_project(id.value()));
    const Commit::Outcome outcome = co_await commit.run(store_, Commit::Size::Less);
    if (outcome == Commit::Outcome::Done) co_return Removed::Yes;
    if (outcome == Commit::Outcome::InUse) co_return Removed::NotEmpty;
  }
}

// The project is a condition of each commit, by its record: it must be of the account.
loop::Task<std::optional<std::size_t>> ProjectRegistry::move_medias(
    media::AccountId account, media::ProjectId project, std::vector<media::HashedId> ids,
    std::string now) {
  std::size_t moved = 0;
  for (std::size_t i = 0; i < ids.size();) {
    const auto batch = std::span(ids).subspan(i, std::min(kMovedTogether, ids.size() - i));
    const std::optional<Stored> target = co_await find_readable(project);
    if (!target || target->project->account != account) co_return std::nullopt;
    Commit commit(account);
    commit.must_be(keys::project(project), target->record);
    redis::Store::Calls calls(store_);
    for (const media::HashedId& id : batch) calls.get(keys::media(id));
    std::size_t changes = 0;
    std::size_t read = 0;
    for (const media::HashedId& id : batch) {
      const std::string key = keys::media(id);
      redis::Store::Call& call = calls.next();
      const redis::Reply reply = co_await RecordRead{call, key};
      ++read;
      if (!reply.text()) continue;
      media::Media media =
          must_read(key, media_from_stored(document_, *reply.text(), media::Detail::All));
      if (media.account != account || media.project == project) continue;
      if (commit.is_full()) {
        --read;
        break;
      }
      const media::Media before = media;
      media.project = project;
      media.updated = now;
      commit.change(key, *reply.text(), to_record(media, &before));
      commit.note({Indexed::Media, id.value()}, indexed_fields(before), indexed_fields(media));
      ++changes;
    }
    if (changes > 0) {
      const Commit::Outcome outcome = co_await commit.run(store_);
      if (outcome == Commit::Outcome::Changed) continue;
    }
    moved += changes;
    i += read;
  }
  co_return moved;
}

}  // namespace svc::stores
