#include "pool/scoreboard.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace svc::pool {

std::string_view to_text(Phase phase) {
  switch (phase) {
    case Phase::Free: return "free";
    case Phase::Starting: return "starting";
    case Phase::Idle: return "idle";
    case Phase::Handling: return "handling";
    case Phase::Writing: return "writing";
    case Phase::Draining: return "draining";
  }
  return "unknown";
}

void Slot::begin_request(std::string_view request_path, std::int64_t now) {
  path[request_path.copy(path.data(), path.size() - 1)] = '\0';
  since.store(now, std::memory_order_relaxed);
  phase.store(Phase::Handling, std::memory_order_release);
}

std::string Slot::path_text() const { return {path.data(), strnlen(path.data(), path.size())}; }

void Slot::reset() {
  pid = 0;
  since = 0;
  beat = 0;
  requests = 0;
  connections = 0;
  path[0] = '\0';
  phase = Phase::Free;
}

Scoreboard::Scoreboard(std::size_t slots) {
  void* memory = mmap(nullptr, slots * sizeof(Slot), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto* first = static_cast<Slot*>(memory);
  for (std::size_t i = 0; i < slots; ++i) new (first + i) Slot();
  slots_ = {first, slots};
}

bool Scoreboard::take_permit(std::size_t slot, std::size_t count) {
  const auto owner = static_cast<std::uint32_t>(slot + 1);
  for (Slot& each : slots_.first(std::min(count, slots_.size()))) {
    std::uint32_t nobody = 0;
    if (each.permit.compare_exchange_strong(nobody, owner)) return true;
  }
  return false;
}

bool Scoreboard::has_permit(std::size_t slot) const {
  const auto owner = static_cast<std::uint32_t>(slot + 1);
  for (const Slot& each : slots_) {
    if (each.permit.load() == owner) return true;
  }
  return false;
}

void Scoreboard::give_back_permits(std::size_t slot) {
  for (Slot& each : slots_) {
    auto owner = static_cast<std::uint32_t>(slot + 1);
    each.permit.compare_exchange_strong(owner, 0);
  }
}

Scoreboard::~Scoreboard() { munmap(slots_.data(), slots_.size() * sizeof(Slot)); }

}  // namespace svc::pool
