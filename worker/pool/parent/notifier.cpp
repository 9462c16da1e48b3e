#include "pool/parent/notifier.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>

namespace svc::pool {
namespace {

using namespace std::chrono_literals;

constexpr auto kStatusEvery = 5s;
constexpr std::size_t kLongestRemark = 400;

bool is_up(Phase phase) { return phase != Phase::Free && phase != Phase::Starting; }

bool is_well(const Slot& slot, base::TimePoint now, base::Duration patience) {
  if (!is_up(slot.phase.load(std::memory_order_acquire))) return false;
  const std::int64_t last = std::max(slot.beat.load(std::memory_order_relaxed),
                                     slot.since.load(std::memory_order_relaxed));
  return now.time_since_epoch() - base::Duration(last) <= patience;
}

}  // namespace

void Notifier::ready() {
  if (!manager_.exists() || stopping_) return;
  owed_ = "READY=1";
  status_at_ = {};
  say_owed();
}

void Notifier::stopping() {
  if (!manager_.exists()) return;
  stopping_ = true;
  owed_ = "STOPPING=1";
  status_at_ = {};
  say_owed();
}

// Managers that wait for the end of a reload need the time (Type=notify-reload,
// systemd 253).
void Notifier::reloading(base::TimePoint now) {
  if (!manager_.exists() || stopping_) return;
  const auto time = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
  owed_ = "RELOADING=1\nMONOTONIC_USEC=" + std::to_string(time.count());
  say_owed();
}

void Notifier::reloaded(const std::string& remark, bool ready) {
  // A status is one line.
  remark_ = remark.substr(0, kLongestRemark);
  std::replace(remark_.begin(), remark_.end(), '\n', ' ');
  status_at_ = {};
  if (ready) this->ready();
}

void Notifier::say_owed() {
  if (!owed_.empty() && manager_.send(owed_)) owed_.clear();
}

void Notifier::look(std::span<const Slot> slots, base::TimePoint now, base::Duration patience) {
  if (!manager_.exists()) return;
  say_owed();
  // At half the timeout, as sd_watchdog_enabled(3) recommends.
  if (manager_.watchdog() > 0ns && now - fed_ >= manager_.watchdog() / 2 &&
      std::any_of(slots.begin(), slots.end(),
                  [&](const Slot& slot) { return is_well(slot, now, patience); }) &&
      manager_.send("WATCHDOG=1")) {
    fed_ = now;
  }
  if (status_at_ == base::TimePoint{} || now - status_at_ >= kStatusEvery) {
    std::string next = status(slots, now);
    // The status of an idle pool does not change.
    if (next == status_ || manager_.send("STATUS=" + next)) status_ = std::move(next);
  }
}

// "4 of 4 workers up, 1 busy, 2 leaving; 12.3 requests/s". Omits the requests
// that an exited worker served since the last status.
std::string Notifier::status(std::span<const Slot> slots, base::TimePoint now) {
  counted_.resize(slots.size());
  std::size_t present = 0;
  std::size_t up = 0;
  std::size_t busy = 0;
  std::size_t leaving = 0;
  std::uint64_t requests = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Phase phase = slots[i].phase.load(std::memory_order_relaxed);
    const bool leaves = phase == Phase::Draining;
    leaving += leaves ? 1U : 0U;
    present += phase != Phase::Free && !leaves ? 1U : 0U;
    up += is_up(phase) && !leaves ? 1U : 0U;
    busy += phase == Phase::Handling ? 1U : 0U;
    const std::uint64_t count = slots[i].requests.load(std::memory_order_relaxed);
    // A smaller count than before is another worker's: it has the slot now.
    requests += count >= counted_[i] ? count - counted_[i] : count;
    counted_[i] = count;
  }
  const double seconds =
      status_at_ == base::TimePoint{} ? 0 : std::chrono::duration<double>(now - status_at_).count();
  status_at_ = now;
  std::array<char, 128> text{};
  const std::string also = leaving > 0 ? ", " + std::to_string(leaving) + " leaving" : "";
  std::snprintf(text.data(), text.size(), "%s%zu of %zu workers up, %zu busy%s; %.1f requests/s",
                stopping_ ? "stopping: " : "", up, present, busy, also.c_str(),
                seconds > 0 ? static_cast<double>(requests) / seconds : 0.0);
  return text.data() + (remark_.empty() ? "" : "; " + remark_);
}

}  // namespace svc::pool
