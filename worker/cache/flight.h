// Flight: what the workers of a pool are making just now, so that an answer that many want is made
// by one of them. It lies in memory shared across fork().
//
// Slots, picked by the request's hash. Whoever takes one makes the answer and leaves it there; the
// others wait for it, a bounded time, and then make it themselves. A slot whose owner died is taken
// over.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace svc::cache {

class Flight {
 public:
  static constexpr std::size_t kSlots = 256;
  static constexpr std::size_t kRoom = 16 * 1024;  // bytes of an answer that can be handed over

  // Throws std::bad_alloc when the memory cannot be had. It costs nothing until it is used.
  Flight();
  ~Flight();
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  // Mine: the caller makes it, and must land() it. Theirs: somebody is at it. Landed: something
  // lies there already. Ours: the caller has
  // claimed it before. Apart: the slot is busy with another request; everybody for himself.
  enum class Claim { Mine, Theirs, Landed, Ours, Apart };
  Claim claim(std::uint64_t hash);
  // Makes it the caller's though something lies there, which is no use to it.
  Claim claim_again(std::uint64_t hash);

  // Leaves what was made; nothing when it is not to be handed over, or too large.
  void land(std::uint64_t hash, std::string_view answer);

  // What lies there; nothing when it is something else, or is being written.
  std::optional<std::string> read(std::uint64_t hash) const;

  // The calling worker hears of changes from now on, and is waited for.
  void hears() { own_hearing(); }
  // It has heard at that moment that a key, named by its hash, changed.
  void heard(std::uint64_t key, base::TimePoint at);
  // Waits until every worker alive has heard of a change of it since then, or the time is up. A
  // hint for when to begin: keys may meet, and a worker that has just begun is not waited for.
  void wait_until_others_heard(std::uint64_t key, base::TimePoint since, base::Duration at_most);

  // Waits until whoever is at it is done, or dead, or the time is up. True when something landed.
  bool wait(std::uint64_t hash, base::Duration at_most) const;

 private:
  struct Slot {
    // The hash's upper bits and, below, the owner's pid; 0 below: it has landed.
    std::atomic<std::uint64_t> word;
    std::atomic<std::uint64_t> checksum;
    std::atomic<std::uint32_t> size;
    char bytes[kRoom];
  };
  // When a worker heard of what, by the key's hash.
  struct Hearing {
    std::atomic<std::uint64_t> pid;
    std::atomic<std::int64_t> at[512];
  };
  struct Memory {
    Slot slots[kSlots];
    Hearing hearings[64];
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  Slot& slot(std::uint64_t hash) const { return memory_->slots[hash % kSlots]; }
  Hearing* own_hearing();
  Claim claim(std::uint64_t hash, bool also_landed);

  Memory* memory_ = nullptr;
  Hearing* hearing_ = nullptr;  // of this process, once it has heard something
};

}  // namespace svc::cache
