// Scoreboard: the state of every worker, readable by the whole pool.
//
// One slot and one set of counters per worker, in memory shared across fork().
// Only its worker writes a slot; readers take no lock and may see values of the
// previous request. Data about the whole pool is next to the slots; only the
// parent writes it.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/shared_semaphore.h"
#include "pool/metrics/counters.h"

namespace svc::pool {

enum class Phase : std::uint8_t { Free, Starting, Idle, Handling, Draining };
std::string_view to_text(Phase phase);

// The result of a worker's last request to a store.
enum class StoreState : std::uint8_t { NotAsked, Up, Away };

struct alignas(64) Slot {
  std::atomic<Phase> phase{Phase::Free};
  std::array<std::atomic<StoreState>, kStores> stores{};  // by StoreName
  std::atomic<pid_t> pid{0};
  std::atomic<std::int64_t> since{0};  // monotonic ns: when this phase, or request, began
  std::atomic<std::int64_t> beat{0};   // monotonic ns: the worker's last heartbeat
  // The worker has finished its work and only its process has to end. It needs
  // no heartbeat any more.
  std::atomic<bool> finished{false};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint32_t> connections{0};
  std::atomic<std::uint32_t> generation{0};
  std::atomic<std::uint32_t> in_flight{0};      // requests in progress that need the store
  std::atomic<std::uint32_t> queued{0};         // requests that wait for those to end
  std::atomic<std::uint64_t> cache_entries{0};  // responses in this worker's memory
  std::atomic<std::uint64_t> cache_bytes{0};
  // Path of the current request, without its query, cut to fit. A reader may
  // see a mix of two paths.
  std::array<char, 80> path{};

  void begin_request(std::string_view request_path, std::int64_t now);
  std::string path_text() const;
  void reset();
};

// Reasons of unwanted exits: a signal, an exit status, or killed by the parent.
namespace death {
constexpr std::size_t kSignals = 65;  // 1 to 64: the signal's number
constexpr std::size_t kExit = kSignals;
constexpr std::size_t kNoHeartbeat = kSignals + 1;
constexpr std::size_t kDrainTimeout = kSignals + 2;
constexpr std::size_t kReasons = kSignals + 3;
std::string to_text(std::size_t reason);  // "KILL", "exit", "no-heartbeat", …
}  // namespace death

enum class ReloadOutcome : std::uint8_t { None, Done, Refused, Failed };
std::string_view to_text(ReloadOutcome outcome);

// The parent's state. To request a reload, read `asked`, send the signal, and
// wait until `answered` is greater than the value read: outcome and text then
// belong to a reload that began after the signal.
struct PoolSlot {
  std::atomic<pid_t> pid{0};
  std::atomic<std::int64_t> started{0};  // monotonic ns
  std::atomic<std::uint32_t> workers{0};
  std::atomic<std::uint32_t> generation{0};

  Counter asked{0};
  Counter answered{0};
  std::atomic<ReloadOutcome> outcome{ReloadOutcome::None};
  std::atomic<std::int64_t> answered_at{0};  // monotonic ns
  std::array<char, 2048> answer{};           // the reason of a failure

  std::atomic<std::int64_t> queue{-1};  // length of the listen queue; -1: unknown
  std::atomic<std::int64_t> longest_queue{-1};
  std::atomic<std::int64_t> queue_limit{-1};
  std::atomic<std::uint32_t> most_active{0};

  Counter retired{0};  // workers that exited with status 0
  std::array<Counter, death::kReasons> deaths{};

  // Answers all reload requests up to number `up_to`.
  void answer_reload(ReloadOutcome what, std::string_view text, std::int64_t now,
                     std::uint64_t up_to);
  std::string answer_text() const;
};

class Scoreboard {
 public:
  // Makes `slots` slots, and reserves address space for `capacity`. Unused
  // slots take no memory. Throws std::bad_alloc if the mapping fails.
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

  // Parent only. Returns the number of a free slot, adding one if needed;
  // capacity() if all slots are used.
  std::size_t find_free();
  std::size_t capacity() const { return slots_.size(); }
  // Parent only, for a worker that exited: adds its counters to the totals of
  // exited workers and frees its slot.
  void give_back(std::size_t slot);

  // Returns the number under which all workers, later ones included, count that
  // endpoint; the last number if the table is full.
  std::size_t endpoint(std::string_view name);
  std::string endpoint_name(std::size_t number) const;  // "other" for the last number

  // Sums all counters, those of exited workers included, into `all`, which must
  // be empty. If the parent was killed while it moved counters, `all` may stay
  // empty.
  void sum(Counters& all) const;

  // To hash passwords.
  base::SharedSemaphore& hashing() { return shared_->hashing; }

 private:
  struct Name {
    std::atomic<std::uint64_t> hash{0};
    std::array<char, 48> text{};
  };
  struct alignas(64) Shared {
    std::atomic<std::size_t> used{0};
    // Odd while counters move from a slot to the totals: readers wait.
    std::atomic<std::uint32_t> moving{0};
    PoolSlot pool;
    std::array<Name, kEndpoints - 1> names;
    Counters past;
    base::SharedSemaphore hashing;
  };

  void grow();

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  Shared* shared_ = nullptr;
  std::span<Slot> slots_;
  std::span<Counters> counters_;
};

}  // namespace svc::pool
