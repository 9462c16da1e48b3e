#include "pool/metrics/scoreboard.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <thread>

namespace svc::pool {
std::string_view to_text(Phase phase) {
  switch (phase) {
    case Phase::Free: return "free";
    case Phase::Starting: return "starting";
    case Phase::Idle: return "idle";
    case Phase::Handling: return "handling";
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
  finished = false;
  requests = 0;
  connections = 0;
  generation = 0;
  in_flight = 0;
  queued = 0;
  cache_entries = 0;
  cache_bytes = 0;
  for (auto& store : stores) store = StoreState::NotAsked;
  path[0] = '\0';
  phase = Phase::Free;
}

std::string death::to_text(std::size_t reason) {
  switch (reason) {
    case kExit: return "exit";
    case kNoHeartbeat: return "no-heartbeat";
    case kDrainTimeout: return "drain-timeout";
    default: break;
  }
  const char* name = sigabbrev_np(static_cast<int>(reason));
  return name == nullptr ? "signal-" + std::to_string(reason) : name;
}

std::string_view to_text(ReloadOutcome outcome) {
  switch (outcome) {
    case ReloadOutcome::None: return "none";
    case ReloadOutcome::Done: return "done";
    case ReloadOutcome::Refused: return "refused";
    case ReloadOutcome::Failed: return "failed";
  }
  return "unknown";
}

void PoolSlot::answer_reload(ReloadOutcome what, std::string_view text, std::int64_t now,
                             std::uint64_t up_to) {
  constexpr std::string_view kCut = "…";
  if (text.size() < answer.size()) {
    answer[text.copy(answer.data(), text.size())] = '\0';
  } else {
    const std::size_t room = answer.size() - 1 - kCut.size();
    text.copy(answer.data(), room);
    kCut.copy(answer.data() + room, kCut.size());
    answer.back() = '\0';
  }
  outcome.store(what, std::memory_order_relaxed);
  answered_at.store(now, std::memory_order_relaxed);
  answered.store(up_to, std::memory_order_release);
}

std::string PoolSlot::answer_text() const {
  return {answer.data(), strnlen(answer.data(), answer.size())};
}

// Layout: Shared · slots · counters. The pages are zero-filled and allocated
// when they are first written.
Scoreboard::Scoreboard(std::size_t slots, std::size_t capacity) {
  capacity = std::max(slots, capacity);
  bytes_ = sizeof(Shared) + capacity * (sizeof(Slot) + sizeof(Counters));
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  shared_ = new (memory_) Shared();
  auto* first = reinterpret_cast<Slot*>(shared_ + 1);
  slots_ = {first, capacity};
  counters_ = {reinterpret_cast<Counters*>(first + capacity), capacity};
  while (shared_->used.load() < slots) grow();
}

Scoreboard::~Scoreboard() { munmap(memory_, bytes_); }

std::size_t Scoreboard::find_free() {
  const std::size_t used = shared_->used.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < used; ++i) {
    if (slots_[i].phase.load(std::memory_order_relaxed) == Phase::Free) return i;
  }
  if (used < capacity()) grow();
  return used;
}

void Scoreboard::grow() {
  const std::size_t used = shared_->used.load(std::memory_order_relaxed);
  new (&slots_[used]) Slot();
  new (&counters_[used]) Counters();
  shared_->used.store(used + 1, std::memory_order_release);
}

void Scoreboard::give_back(std::size_t slot) {
  shared_->moving.fetch_add(1);
  shared_->past.add_all(counters_[slot]);
  new (&counters_[slot]) Counters();
  shared_->moving.fetch_add(1);
  slots_[slot].reset();
}

// The compare-and-exchange of the hash claims an entry. Its text is written
// afterwards, and is the same from every worker.
std::size_t Scoreboard::endpoint(std::string_view name) {
  const std::uint64_t hash = std::hash<std::string_view>()(name) | 1U;
  for (std::size_t i = 0; i < shared_->names.size(); ++i) {
    Name& each = shared_->names[i];
    std::uint64_t nobody = 0;
    if (each.hash.compare_exchange_strong(nobody, hash) || nobody == hash) {
      each.text[name.copy(each.text.data(), each.text.size() - 1)] = '\0';
      return i;
    }
  }
  return kEndpoints - 1;
}

std::string Scoreboard::endpoint_name(std::size_t number) const {
  if (number >= shared_->names.size()) return "other";
  const auto& text = shared_->names[number].text;
  return {text.data(), strnlen(text.data(), text.size())};
}

void Scoreboard::sum(Counters& all) const {
  // The parent may be killed while it moves counters; then give up.
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    const std::uint32_t before = shared_->moving.load();
    if (before % 2 == 0) {
      new (&all) Counters();
      all.add_all(shared_->past);
      for (std::size_t k = 0; k < slots().size(); ++k) all.add_all(counters_[k]);
      if (shared_->moving.load() == before) return;
    }
    std::this_thread::yield();
  }
}

}  // namespace svc::pool
