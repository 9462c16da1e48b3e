#include "cache/flight.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <new>

#include "cache/hash.h"

namespace svc::cache {
namespace {

// Linux has no process ids of more bits.
constexpr std::uint64_t kPidBits = (std::uint64_t{1} << 22) - 1;
constexpr auto kLookEvery = std::chrono::microseconds(50);
constexpr auto kLookForOwnerEvery = std::chrono::milliseconds(2);

std::uint64_t landed_word(std::uint64_t hash) { return hash & ~kPidBits; }
pid_t owner_of(std::uint64_t word) { return static_cast<pid_t>(word & kPidBits); }
bool same_request(std::uint64_t word, std::uint64_t hash) {
  return word != 0 && (word & ~kPidBits) == landed_word(hash);
}
bool is_gone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

std::uint64_t checksum_of(std::string_view text) { return Hasher{1}.of(text); }

}  // namespace

Flight::Flight() {
  void* memory = mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<Memory*>(memory);  // fresh pages are zero: nothing lies there
}

Flight::~Flight() { munmap(memory_, sizeof(Memory)); }

Flight::Claim Flight::claim(std::uint64_t hash) { return claim(hash, false); }
Flight::Claim Flight::claim_again(std::uint64_t hash) { return claim(hash, true); }

Flight::Claim Flight::claim(std::uint64_t hash, bool also_landed) {
  Slot& own = slot(hash);
  const auto me = static_cast<std::uint64_t>(getpid());
  std::uint64_t word = own.word.load(std::memory_order_acquire);
  const pid_t owner = owner_of(word);
  if (owner != 0 && static_cast<std::uint64_t>(owner) != me && !is_gone(owner))
    return same_request(word, hash) ? Claim::Theirs : Claim::Apart;
  if (static_cast<std::uint64_t>(owner) == me)
    return same_request(word, hash) ? Claim::Ours : Claim::Apart;
  if (owner == 0 && same_request(word, hash) && !also_landed &&
      own.size.load(std::memory_order_relaxed) > 0) {
    return Claim::Landed;
  }
  if (own.word.compare_exchange_strong(word, landed_word(hash) | me, std::memory_order_acq_rel))
    return Claim::Mine;
  return same_request(word, hash) ? Claim::Theirs : Claim::Apart;
}

void Flight::land(std::uint64_t hash, std::string_view answer) {
  Slot& own = slot(hash);
  const bool fits = answer.size() <= kRoom;
  own.size.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  if (fits) {
    std::memcpy(own.bytes, answer.data(), answer.size());
    own.checksum.store(checksum_of(answer), std::memory_order_relaxed);
    own.size.store(static_cast<std::uint32_t>(answer.size()), std::memory_order_relaxed);
  }
  own.word.store(landed_word(hash), std::memory_order_release);
}

// Somebody may begin to write while it is copied; then the checksum is another's.
std::optional<std::string> Flight::read(std::uint64_t hash) const {
  const Slot& own = slot(hash);
  if (own.word.load(std::memory_order_acquire) != landed_word(hash)) return std::nullopt;
  const std::uint32_t size = own.size.load(std::memory_order_relaxed);
  if (size == 0 || size > kRoom) return std::nullopt;
  std::string answer(own.bytes, size);
  if (checksum_of(answer) != own.checksum.load(std::memory_order_relaxed)) return std::nullopt;
  return answer;
}

Flight::Hearing* Flight::own_hearing() {
  const auto me = static_cast<std::uint64_t>(getpid());
  // Not what was inherited.
  if (hearing_ != nullptr && hearing_->pid.load(std::memory_order_relaxed) == me) return hearing_;
  hearing_ = nullptr;
  for (Hearing& each : memory_->hearings) {
    std::uint64_t pid = each.pid.load();
    if (pid != 0 && !is_gone(static_cast<pid_t>(pid))) continue;
    if (!each.pid.compare_exchange_strong(pid, me)) continue;
    hearing_ = &each;
    break;
  }
  return hearing_;
}

void Flight::heard(std::uint64_t key, base::TimePoint at) {
  if (Hearing* own = own_hearing())
    own->at[key % std::size(own->at)].store(at.time_since_epoch().count());
}

void Flight::wait_until_others_heard(std::uint64_t key, base::TimePoint since,
                                     base::Duration at_most) {
  using Steady = std::chrono::steady_clock;
  const auto end = Steady::now() + at_most;
  const auto me = static_cast<std::uint64_t>(getpid());
  const std::int64_t time = since.time_since_epoch().count();
  for (const Hearing& each : memory_->hearings) {
    while (true) {
      const std::uint64_t pid = each.pid.load(std::memory_order_relaxed);
      if (pid == 0 || pid == me || each.at[key % std::size(each.at)].load() >= time) break;
      if (Steady::now() >= end) return;
      if (is_gone(static_cast<pid_t>(pid))) break;
      const timespec pause{0, std::chrono::nanoseconds(kLookEvery).count()};
      nanosleep(&pause, nullptr);
    }
  }
}

bool Flight::wait(std::uint64_t hash, base::Duration at_most) const {
  using Steady = std::chrono::steady_clock;
  const Slot& own = slot(hash);
  const auto end = Steady::now() + at_most;
  auto look_for_owner = Steady::now() + kLookForOwnerEvery;
  while (true) {
    const std::uint64_t word = own.word.load(std::memory_order_acquire);
    if (!same_request(word, hash)) return false;
    if (owner_of(word) == 0) return own.size.load(std::memory_order_relaxed) > 0;
    const auto now = Steady::now();
    if (now >= end) return false;
    if (now >= look_for_owner) {
      if (is_gone(owner_of(word))) return false;
      look_for_owner = now + kLookForOwnerEvery;
    }
    const timespec pause{0, std::chrono::nanoseconds(kLookEvery).count()};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace svc::cache
