// change_note: notes that a record of the catalog is written, for stores/catalog/catalog_index.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loop/task.h"
#include "media/id.h"
#include "redis/store.h"

namespace svc::stores {

enum class Indexed : std::uint8_t { Media, Project };

struct ChangedRecord {
  Indexed kind = Indexed::Media;
  std::string id;
};

// A change of records of an account.
struct NotedChange {
  media::AccountId account;
  std::vector<ChangedRecord> records;
};

// The member of keys::changed() and back; nullopt for another text.
std::string note_member(const ChangedRecord& record);
std::optional<ChangedRecord> parse_note_member(std::string_view member);

// Microseconds since 1970.
std::int64_t note_time();

enum class IfFull : std::uint8_t {
  Fail,
  Continue  // the command makes room; the index is mended by its next reader
};

// Sends a command that may be sent twice, between two notes of each of the changes, in one batch.
// Throws base::Unavailable; the command may have been executed then. `time`: note_time(). All
// arguments must outlive the task.
loop::Task<redis::Reply> write_noted(redis::Store& store, std::span<const NotedChange> changes,
                                     std::int64_t time, std::span<const std::string_view> command,
                                     redis::Durability durability, IfFull if_full = IfFull::Fail);

// One of the notes alone, for a change that is more than a command.
enum class NoteAt : std::uint8_t { Before, After };
loop::Task<> note(redis::Store& store, std::span<const NotedChange> changes, std::int64_t time,
                  NoteAt at, redis::Durability durability = redis::Durability::Primary,
                  IfFull if_full = IfFull::Fail);

// The members of the notes of an account.
loop::Task<std::vector<std::string>> noted_members(redis::Store& store, media::AccountId account);

}  // namespace svc::stores
