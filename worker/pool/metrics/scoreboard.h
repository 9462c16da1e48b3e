// Scoreboard: what every worker is doing, readable by the whole pool.
//
// One slot a worker, in memory shared across fork(), and its counters apart from it. Only its own
// worker writes a slot; a reader takes no lock and may see a slot that is one request old. What the
// parent knows of the whole pool lies beside them, and is the parent's to write.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pool/metrics/counters.h"
#include "pool/metrics/recent_counts.h"

namespace svc::pool {

enum class Phase : std::uint8_t { Free, Starting, Idle, Handling, Draining };
std::string_view to_text(Phase phase);

// Whether a worker's store answered when it was asked last.
enum class StoreState : std::uint8_t { NotAsked, Up, Away };

// A request of a worker that waits for its turn to hash a password: pool/worker/hashing_permits.
struct Place {
  enum class State : std::uint8_t { Free, Waits, Lost };
  std::atomic<State> state{State::Free};
  std::atomic<bool> known{false};      // its email has logged in from there
  std::atomic<std::uint32_t> rank{0};  // the lower goes first
  std::atomic<std::int64_t> since{0};  // monotonic ns; of the same rank the earlier goes first
  std::atomic<std::uint64_t> whom{0};  // a hash of its address
};
constexpr std::size_t kPlaces = 96;

struct alignas(64) Slot {
  std::atomic<Phase> phase{Phase::Free};
  std::atomic<StoreState> store{StoreState::NotAsked};
  std::atomic<pid_t> pid{0};
  std::atomic<std::int64_t> since{0};  // monotonic ns: when this phase, or request, began
  std::atomic<std::int64_t> beat{0};   // monotonic ns: when the worker last looked up from its work
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint32_t> connections{0};
  std::atomic<std::uint32_t> generation{0};
  std::atomic<std::uint32_t> in_flight{0};      // requests that wait for the store
  std::atomic<std::uint32_t> queued{0};         // requests that wait for those
  std::atomic<std::uint64_t> cache_entries{0};  // answers in this worker's memory
  std::atomic<std::uint64_t> cache_bytes{0};
  // Of the permits to hash a password, the one with this slot's number: 0, or who has it, and for
  // whom. Not the own worker's: whoever comes first takes it.
  //
  //   │ number of a slot, plus one: 16 bits │ of a hash of whom: 48 bits │
  std::atomic<std::uint64_t> permit{0};
  std::array<Place, kPlaces> places;
  // Path of the request in hand, without its query, cut to fit. A reader may see two mixed.
  std::array<char, 80> path{};

  void begin_request(std::string_view request_path, std::int64_t now);
  std::string path_text() const;
  void reset();  // but for the permit
};

// How a worker ended that was not to end: by a signal, by itself, or by its parent.
namespace death {
constexpr std::size_t kSignals = 65;  // 1 to 64 as they are numbered
constexpr std::size_t kExit = kSignals;
constexpr std::size_t kNoHeartbeat = kSignals + 1;
constexpr std::size_t kDrainTimeout = kSignals + 2;
constexpr std::size_t kReasons = kSignals + 3;
std::string to_text(std::size_t reason);  // "KILL", "exit", "no-heartbeat", …
}  // namespace death

enum class ReloadOutcome : std::uint8_t { None, Done, Refused, Failed };
std::string_view to_text(ReloadOutcome outcome);

// What the parent knows. The numbers of a reload: whoever wants one reads `asked`, sends the
// signal, and waits until `answered` is more than what was read; then outcome and text are those of
// a reload that began after the signal.
struct PoolSlot {
  std::atomic<pid_t> pid{0};
  std::atomic<std::int64_t> started{0};  // monotonic ns
  std::atomic<std::uint32_t> workers{0};
  std::atomic<std::uint32_t> generation{0};

  Counter asked{0};
  Counter answered{0};
  std::atomic<ReloadOutcome> outcome{ReloadOutcome::None};
  std::atomic<std::int64_t> answered_at{0};  // monotonic ns
  std::array<char, 2048> answer{};           // why it was refused, or what became of it

  std::atomic<std::int64_t> queue{-1};  // connections that wait at the socket; -1: not known
  std::atomic<std::int64_t> longest_queue{-1};
  std::atomic<std::int64_t> queue_limit{-1};
  std::atomic<std::uint32_t> most_active{0};

  Counter retired{0};  // workers that had done their share, or drained
  std::array<Counter, death::kReasons> deaths{};

  // All that were asked are answered, as far as number `up_to`.
  void answer_reload(ReloadOutcome what, std::string_view text, std::int64_t now,
                     std::uint64_t up_to);
  std::string answer_text() const;
};

class Scoreboard {
 public:
  // So many slots now, and room for more: `capacity`, which costs nothing until it is used. Throws
  // std::bad_alloc when the memory cannot be had.
  explicit Scoreboard(std::size_t slots, std::size_t capacity = 0);
  ~Scoreboard();
  Scoreboard(const Scoreboard&) = delete;
  Scoreboard& operator=(const Scoreboard&) = delete;

  Slot& slot(std::size_t index) { return slots_[index]; }
  std::span<Slot> slots() { return slots_.first(shared_->used.load(std::memory_order_acquire)); }
  std::span<const Slot> slots() const {
    return slots_.first(shared_->used.load(std::memory_order_acquire));
  }
  Counters& counters(std::size_t index) { return counters_[index]; }
  Counters& counters(const Slot& slot) { return counters_[number_of(slot)]; }
  std::size_t number_of(const Slot& slot) const {
    return static_cast<std::size_t>(&slot - slots_.data());
  }
  PoolSlot& pool() { return shared_->pool; }
  const PoolSlot& pool() const { return shared_->pool; }

  // The parent's: the number of a free slot, a new one when need be; `capacity` when there is none.
  std::size_t find_free();
  std::size_t capacity() const { return slots_.size(); }
  // The parent's, for a worker that is gone: its counters are the past's now, its slot is free.
  void give_back(std::size_t slot);

  // The number under which that endpoint is counted, the same in all workers, also in those to
  // come; the last when there is no room for it.
  std::size_t endpoint(std::string_view name);
  std::string endpoint_name(std::size_t number) const;  // "other" for the last

  // All counters together, also of those who are gone, into `all`, which begins empty.
  void sum(Counters& all) const;

  // The permits, each by its number.
  struct Permits {
    std::size_t first = 0;
    std::size_t end = 0;
  };
  // One of these permits, for the worker of that slot and a request of `whom`; false when all are
  // taken, or `most` of all permits for the same.
  bool take_permit(std::size_t slot, Permits among, std::uint64_t whom, std::size_t most);
  std::size_t free_permits(Permits among) const;
  std::size_t permits_of(std::uint64_t whom) const;
  // One that the worker of that slot has for `whom`.
  void give_back_permit(std::size_t slot, std::uint64_t whom);
  // All that the worker of that slot has, also one that died.
  void give_back_permits(std::size_t slot);

  // Attempts to log in, of addresses, networks and emails.
  RecentCounts& attempts() { return shared_->attempts; }

 private:
  struct Name {
    std::atomic<std::uint64_t> hash{0};
    std::array<char, 48> text{};
  };
  struct alignas(64) Shared {
    std::atomic<std::size_t> used{0};
    // Odd while counters move from a slot to the past: whoever sums them waits.
    std::atomic<std::uint32_t> moving{0};
    PoolSlot pool;
    std::array<Name, kEndpoints - 1> names;
    Counters past;
    RecentCounts attempts;
  };

  void grow();

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  Shared* shared_ = nullptr;
  std::span<Slot> slots_;
  std::span<Counters> counters_;
};

}  // namespace svc::pool
