// AuditTrail: reads the entries that stores/audit wrote. It merges the streams
// of all kinds, and those of earlier versions, by time. Memory is bounded: it
// reads in batches.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redis/store.h"

namespace svc::stores {

struct AuditEntry {
  std::string id;         // from Redis: <ms since 1970>-<number>
  std::int64_t time = 0;  // seconds since 1970
  std::vector<std::pair<std::string, std::string>> fields;
  std::size_t stream = 0;  // index of the stream it was read from

  // Returns "" if there is no such field.
  std::string_view field(std::string_view name) const;
};

class AuditTrail {
 public:
  // Returns false to end the reading. It may ask the store, too.
  using See = std::function<loop::Task<bool>(const AuditEntry&)>;

  explicit AuditTrail(redis::Store& store);
  // Reads the events of one kind only, by its name; not those from before there were kinds.
  AuditTrail(redis::Store& store, std::string_view kind);

  // Calls `see` for the newest `count` entries, the oldest of them first, until
  // it returns false. Skips entries older than `since` (seconds since 1970).
  loop::Task<> newest(std::int64_t count, std::optional<std::int64_t> since, const See& see);
  // Calls `see` for all entries since `since`, the oldest first, until it
  // returns false.
  loop::Task<> from(std::int64_t since, const See& see);

  // From here on, wait_after() returns new entries, except those that newest()
  // or from() has passed to `see`.
  loop::Task<> mark();
  // Returns the entries since mark() or the last call, the oldest first, at
  // most 200 per stream. Waits up to 3 s for the first. Returns an empty list
  // if none came.
  loop::Task<std::vector<AuditEntry>> wait_after();

 private:
  // One stream, read in batches in one direction.
  struct Cursor {
    std::size_t stream = 0;
    std::string next;  // id at which the next batch begins
    std::deque<AuditEntry> batch{};
    bool ended = false;

    // The next batch must be read.
    bool is_empty() const { return batch.empty() && !ended; }
  };
  enum class Direction : std::uint8_t { OldestFirst, NewestFirst };

  // Reads the next batch of each cursor that is empty. `end` is the id at which
  // to stop.
  loop::Task<> fill(std::vector<Cursor>& cursors, Direction direction, const std::string& end);
  // Removes and returns the next entry of all cursors, none of which may be
  // empty; nullopt if all have ended.
  static std::optional<AuditEntry> take(std::vector<Cursor>& cursors, Direction direction);
  void saw(const AuditEntry& entry) { last_[entry.stream] = entry.id; }

  redis::Store& store_;
  const std::vector<std::string> streams_;
  std::vector<std::string> last_;  // the id of the last entry seen of each stream
};

}  // namespace svc::stores
