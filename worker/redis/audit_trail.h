// AuditTrail: reads what redis/audit wrote: the streams of all kinds as one, in order of time, and
// the one stream of earlier versions with them. Memory is bounded, however much is read.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "redis/channel.h"

namespace svc::redis {

struct AuditEntry {
  std::string id;         // as Redis made it, <ms since 1970>-<number>
  std::int64_t time = 0;  // seconds since 1970
  std::vector<std::pair<std::string, std::string>> fields;
  std::size_t stream = 0;  // from which it was read

  // "" for one that is not there.
  std::string_view field(std::string_view name) const;
};

class AuditTrail {
 public:
  // Returns false to end the reading. It may ask the store, too.
  using See = std::function<loop::Task<bool>(const AuditEntry&)>;

  explicit AuditTrail(Channel& channel);

  // The newest `count`, the oldest of them first, none older than `since` (seconds since 1970),
  // until `see` returns false.
  loop::Task<> newest(std::int64_t count, std::optional<std::int64_t> since, const See& see);
  // All from `since` on, the oldest first, until `see` returns false.
  loop::Task<> from(std::int64_t since, const See& see);

  // From here on wait_after() returns what is new, except for what was seen in between.
  loop::Task<> mark();
  // What came since mark() or the last call, the oldest first. Waits for some seconds; empty if
  // nothing came.
  loop::Task<std::vector<AuditEntry>> wait_after();

 private:
  // One stream, read in batches in one direction.
  struct Cursor {
    std::size_t stream = 0;
    std::string next;  // where the next batch begins
    std::deque<AuditEntry> batch{};
    bool ended = false;

    // It has to be read on.
    bool is_empty() const { return batch.empty() && !ended; }
  };
  enum class Direction : std::uint8_t { OldestFirst, NewestFirst };

  // So that none of them is empty. `end` is where each stream ends.
  loop::Task<> fill(std::vector<Cursor>& cursors, Direction direction, const std::string& end);
  // The next entry of all streams, none of which is empty; nothing if all have ended.
  static std::optional<AuditEntry> take(std::vector<Cursor>& cursors, Direction direction);
  void saw(const AuditEntry& entry) { last_[entry.stream] = entry.id; }

  Channel& channel_;
  const std::vector<std::string> streams_;
  std::vector<std::string> last_;  // the id of the last entry seen of each stream
};

}  // namespace svc::redis
