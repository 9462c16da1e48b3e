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
  // lies there already. Apart: the slot is busy with another request; everybody for himself.
  enum class Claim { Mine, Theirs, Landed, Apart };
  Claim claim(std::uint64_t hash);
  // Makes it the caller's though something lies there, which is no use to it.
  Claim claim_again(std::uint64_t hash);

  // Leaves what was made; nothing when it is not to be handed over, or too large.
  void land(std::uint64_t hash, std::string_view answer);

  // What lies there; nothing when it is something else, or is being written.
  std::optional<std::string> read(std::uint64_t hash) const;

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
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  Slot& slot(std::uint64_t hash) const { return slots_[hash % kSlots]; }
  Claim claim(std::uint64_t hash, bool also_landed);

  Slot* slots_ = nullptr;
};

}  // namespace svc::cache
