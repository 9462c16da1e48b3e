// Scoreboard: what every worker is doing, readable by the whole pool.
//
// One slot a worker, in memory shared across fork(). Only its own worker writes a slot; a reader
// takes no lock and may see a slot that is one request old.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace svc::pool {

enum class Phase : std::uint8_t { Free, Starting, Idle, Handling, Writing, Draining };
std::string_view to_text(Phase phase);

struct alignas(64) Slot {
  std::atomic<Phase> phase{Phase::Free};
  std::atomic<pid_t> pid{0};
  std::atomic<std::int64_t> since{0};  // monotonic ns: when this phase, or request, began
  std::atomic<std::int64_t> beat{0};   // monotonic ns: when the worker last looked up from its work
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint32_t> connections{0};
  // Of the permits to hash a password, the one with this slot's number: 0, or who has it, as the
  // number of a slot plus one. Not the own worker's: whoever comes first takes it.
  std::atomic<std::uint32_t> permit{0};
  // Path of the request in hand, without its query, cut to fit. A reader may see two mixed.
  std::array<char, 80> path{};

  void begin_request(std::string_view request_path, std::int64_t now);
  std::string path_text() const;
  void reset();  // but for the permit
};

class Scoreboard {
 public:
  // Throws std::bad_alloc when the memory cannot be had.
  explicit Scoreboard(std::size_t slots);
  ~Scoreboard();
  Scoreboard(const Scoreboard&) = delete;
  Scoreboard& operator=(const Scoreboard&) = delete;

  Slot& slot(std::size_t index) { return slots_[index]; }
  std::span<Slot> slots() { return slots_; }

  // One of the first `count` permits, for the worker of that slot; false when all are taken.
  bool take_permit(std::size_t slot, std::size_t count);
  // Also what a worker had that died.
  void give_back_permits(std::size_t slot);
  bool has_permit(std::size_t slot) const;

 private:
  std::span<Slot> slots_;
};

}  // namespace svc::pool
