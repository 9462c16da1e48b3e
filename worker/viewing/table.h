// Table: today's counts from the beacons that reach a pool, in memory that its workers share
// (api-B3, api-B4).
//
// A beacon finds its session by a hash of media and session: its place has the events and parts of
// that page view so far. New ones are added to the entry of the media and day, which is then due.
// Each second one worker takes the due entries (Batch), looks up the accounts of their media, adds
// the new counts to the entries of these accounts, and writes each entry as a piece of the store.
//
// It is bounded: by the sessions that are open in all, per media and per address, and by the media
// that are watched on a day. A worker that is killed loses nothing; another worker writes the
// counts that are not in the store yet. Only one worker writes at a time.
//
// It writes sums since the beginning of an entry, under a name of the entry's own: so a write can
// be repeated.
#pragma once

#include <pthread.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "media/id.h"
#include "viewing/beacon.h"
#include "viewing/counts.h"

namespace svc::viewing {

struct Limits {
  std::size_t sessions = 200'000;           // open at the same time; a media may have half of them
  std::size_t sessions_of_address = 1'000;  // new ones in ten minutes
};

// The client that sends a beacon.
struct Sender {
  std::string_view address;
  std::string_view user_agent;
};

class Table {
 public:
  static constexpr std::size_t kMedias = 16'381;    // entries: media and accounts of a day
  static constexpr std::int64_t kIdle = 120;        // seconds: then a session's place may be taken
  static constexpr std::size_t kVisitors = 65'536;  // that are not written yet

  // Throws std::bad_alloc if mmap(2) fails, std::system_error if the kernel lacks robust mutexes.
  explicit Table(Limits limits);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // Full: as many sessions are open as may be, or no entry is free. Busy: the memory is locked for
  // too long.
  enum class Taken : std::uint8_t { Yes, Full, TooManyOfAddress, Busy };
  // Counts each event, and each part of the media, once per session. `now`: seconds since 1970.
  Taken count(const media::HashedId& media, const Beacon& beacon, const Sender& sender,
              std::int64_t now);

  // The day's salt of visitors' digests. Pools that share a store share it, so that a visitor of
  // two of them is one.
  struct Salt {
    std::chrono::sys_days day;
    std::string bytes;
  };
  // Returns the salt that this table made for that day, unless it has the shared one.
  std::optional<Salt> salt_to_share(std::int64_t now);
  void use_salt(const Salt& salt);

  // The data of an entry that is not written yet.
  struct Entry {
    std::size_t place = 0;
    std::uint64_t name = 0;
    std::uint64_t version = 0;  // the counts' version
    std::chrono::sys_days day;
    media::HashedId media;       // empty: an account
    media::AccountId account{};  // a media's: 0 until it is known
    Counts counts;
    std::uint64_t new_plays = 0;
    std::vector<std::string> visitors{};  // 8 bytes each
  };
  enum class Had : std::uint8_t { Nothing, Former };
  class Batch;
  // Returns up to `most` media to write; none while another worker writes. `today` (UTC): entries
  // of other days go once they are written.
  Batch take(std::size_t most, std::chrono::sys_days today);

  // How many media and accounts are to be written, without those that a worker writes.
  std::size_t due() const;
  // For tests: sessions that are open.
  std::size_t sessions() const;

 private:
  struct Session;
  struct Slot;
  struct Shared;
  class Lock;

  Slot* find_slot(std::string_view subject, std::int64_t day);
  Session* open_session(std::uint64_t key, Slot& slot, std::int64_t now);
  void end_session(Session& session);
  void end_idle_sessions(std::int64_t now);
  static bool is_idle(const Session& session, std::int64_t now);
  enum class IsOpened : std::uint8_t { No, Yes };
  // Yes: counts one more.
  bool address_may_open(std::string_view address, std::int64_t now, IsOpened is_opened);
  void renew_salt(std::int64_t day);
  void take_stored(Slot& slot);
  void rename(Slot& slot);
  void see_visitor(const Slot& slot, const media::HashedId& media, const Sender& sender,
                   std::int64_t day);
  Entry entry_of(const Slot& slot) const;
  std::uint64_t secret_hash(std::string_view text) const;

  const Limits limits_;
  std::size_t bytes_ = 0;
  Shared* shared_ = nullptr;
  Session* sessions_ = nullptr;  // in the same memory, after shared_
};

// Entries that are being written. The table outlives it.
class Table::Batch {
 public:
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch();

  const std::vector<Entry>& entries() const { return entries_; }

  // The media's account and duration in seconds: its counts are added to those of the account.
  // Returns false if that is for the next time; then it is not to be written.
  bool is_of(std::size_t index, media::AccountId account, std::optional<double> duration);
  // There is no such media any more: its counts go.
  void drop(std::size_t index);
  // Adds the accounts that are to be written to entries().
  void add_accounts();
  // The store has it. `had`: whether it had counts by that name before. If it had none although it
  // once had some, the media was deleted and exists again: the earlier counts are dropped.
  void written(std::size_t index, Had had);

 private:
  friend class Table;
  Batch(Table* table, std::size_t most, std::chrono::sys_days today);
  bool give_back();
  Slot* slot_of(const Entry& entry) const;  // nullptr: it is another's now

  Table* const table_;  // nullptr: another worker writes
  const std::chrono::sys_days today_;
  std::vector<Entry> entries_;
  std::set<std::uint32_t> accounts_;  // places
  std::set<std::uint32_t> written_;   // the lower halves of names
  std::uint64_t visitors_ = 0;        // those before are in the entries
};

}  // namespace svc::viewing
