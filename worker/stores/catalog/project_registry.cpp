#include "stores/catalog/project_registry.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "base/unreadable.h"
#include "stores/catalog/change_note.h"
#include "stores/catalog/project_registry.lua.h"
#include "stores/keys.h"
#include "stores/record.h"
#include "stores/replace.h"

namespace svc::stores {
namespace {

// All uses are later. A use's score is the time of its begin (note_time()).
constexpr std::int64_t kDeletionScore = 0;
constexpr std::string_view kSetLifetime = "120";  // s, longer than any use counts

std::int64_t oldest_use() {
  using namespace std::chrono;
  return note_time() - duration_cast<microseconds>(media::ProjectUses::kForgotten).count();
}

NotedChange change_of(media::AccountId account, const media::ProjectId& id) {
  return {account, {{Indexed::Project, id.value()}}};
}

}  // namespace

std::string ProjectRegistry::new_name() {
  std::array<unsigned char, 16> bytes{};
  entropy_.fill(bytes);
  return base::to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

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

loop::Task<> ProjectRegistry::add_member(media::ProjectId id, std::string name,
                                         std::int64_t score) {
  const std::string key = keys::project_uses(id);
  const std::string text = std::to_string(score);
  const std::array<std::string_view, 4> addition{"ZADD", key, text, name};
  const std::array<std::string_view, 3> expiry{"EXPIRE", key, kSetLifetime};
  redis::Store::Call adding = store_.repeatable(addition, redis::Durability::Replicated);
  redis::Store::Call expiring = store_.repeatable(expiry, redis::Durability::Primary);
  co_await adding;
  co_await expiring;
}

loop::Task<> ProjectRegistry::remove_member(media::ProjectId id, std::string name) {
  const std::string key = keys::project_uses(id);
  const std::array<std::string_view, 3> removal{"ZREM", key, name};
  redis::Store::Call removing = store_.repeatable(removal, redis::Durability::Primary);
  co_await removing;
}

// Each step waits for the one before.
loop::Task<std::optional<media::ProjectUses::Use>> ProjectRegistry::begin_use(
    media::ProjectId id, std::optional<media::AccountId> account) {
  const base::Clock& clock = store_.clock();
  Use use{.project = {}, .name = new_name(), .clock = &clock, .since = clock.now()};
  co_await add_member(id, use.name, note_time());
  // Also uses of processes that died.
  const std::string key = keys::project_uses(id);
  const std::string last = std::to_string(oldest_use());
  const std::array<std::string_view, 4> removal{"ZREMRANGEBYSCORE", key, "-inf", last};
  redis::Store::Call removing = store_.repeatable(removal, redis::Durability::Replicated);
  co_await removing;
  std::optional<Stored> stored = co_await find_readable(id);
  if (stored && (!account || stored->project->account == *account)) {
    use.project = *std::move(stored->project);
    co_return use;
  }
  co_await remove_member(id, use.name);
  co_return std::nullopt;
}

loop::Task<> ProjectRegistry::end_use(Use use) {
  return remove_member(use.project.id, std::move(use.name));
}

loop::Task<> ProjectRegistry::add_project(media::Project project) {
  const std::string key = keys::project(project.id);
  const std::string record = to_record(project);
  const std::array<std::string_view, 4> setting{"SET", key, record, "NX"};
  const std::array<NotedChange, 1> noted{change_of(project.account, project.id)};
  co_await write_noted(store_, noted, note_time(), setting, redis::Durability::Replicated);
}

loop::Task<std::optional<media::Project>> ProjectRegistry::edit_project(
    media::ProjectId id, std::function<bool(media::Project&)> change) {
  const std::string key = keys::project(id);
  while (true) {
    const std::optional<Stored> stored = co_await find_readable(id);
    if (!stored) co_return std::nullopt;
    media::Project project = *stored->project;
    if (!change(project)) co_return project;
    const std::string after = to_record(project, &*stored->project);
    const std::array<NotedChange, 1> noted{change_of(project.account, id)};
    const std::int64_t time = note_time();
    co_await note(store_, noted, time, NoteAt::Before, redis::Durability::Replicated);
    const bool written =
        co_await replace(store_, key, stored->record, after, redis::Durability::Replicated);
    if (!written) continue;
    co_await note(store_, noted, time, NoteAt::After, redis::Durability::Replicated);
    co_return project;
  }
}

loop::Task<std::optional<media::ProjectRecords::Deletion>> ProjectRegistry::begin_deletion(
    media::ProjectId id) {
  Deletion deletion{.id = id, .record = {}, .name = new_name()};
  co_await add_member(id, deletion.name, kDeletionScore);
  const std::string key = keys::project_uses(id);
  const std::string first = std::to_string(oldest_use());
  redis::Store::Call looking =
      store_.read({"ZRANGE", key, first, "+inf", "BYSCORE", "LIMIT", "0", "1"});
  const redis::Reply uses = co_await looking;
  deletion.is_used = uses.size() > 0;
  std::optional<Stored> stored = co_await find(id);
  if (stored) {
    deletion.project = std::move(stored->project);
    if (deletion.project) deletion.account = deletion.project->account;
    deletion.record = std::move(stored->record);
    co_return deletion;
  }
  co_await remove_member(id, deletion.name);
  co_return std::nullopt;
}

loop::Task<bool> ProjectRegistry::finish_deletion(Deletion deletion) {
  const media::ProjectId id = deletion.id;
  std::vector<NotedChange> noted;
  if (deletion.account) noted.push_back(change_of(*deletion.account, id));
  const std::int64_t time = note_time();
  co_await note(store_, noted, time, NoteAt::Before, redis::Durability::Replicated);
  functions::DeleteProject run{.project = keys::project(id),
                               .uses = keys::project_uses(id),
                               .before = deletion.record,
                               .deletion = deletion.name};
  const redis::Reply reply = co_await store_.call(std::move(run), redis::Durability::Replicated);
  co_await note(store_, noted, time, NoteAt::After, redis::Durability::Replicated);
  co_return reply.integer() == 1;
}

loop::Task<> ProjectRegistry::end_deletion(Deletion deletion) {
  return remove_member(deletion.id, std::move(deletion.name));
}

}  // namespace svc::stores
