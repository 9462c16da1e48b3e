#include "pool/parent/notifier.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/number.h"
#include "base/unique_fd.h"
#include "base/unix_address.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;

constexpr auto kStatusEvery = 5s;
constexpr std::size_t kLongestRemark = 400;

std::string take_variable(const char* name) {
  const char* text = std::getenv(name);
  std::string value = text == nullptr ? "" : text;
  unsetenv(name);
  return value;
}

bool is_up(Phase phase) { return phase != Phase::Free && phase != Phase::Starting; }

bool is_well(const Slot& slot, base::TimePoint now, base::Duration patience) {
  if (!is_up(slot.phase.load(std::memory_order_acquire))) return false;
  const std::int64_t last = std::max(slot.beat.load(std::memory_order_relaxed),
                                     slot.since.load(std::memory_order_relaxed));
  return now.time_since_epoch() - base::Duration(last) <= patience;
}

}  // namespace

Notifier Notifier::from_environment() {
  const std::string socket = take_variable("NOTIFY_SOCKET");
  const std::int64_t microseconds =
      base::parse_number<std::int64_t>(take_variable("WATCHDOG_USEC")).value_or(0);
  const std::string pid = take_variable("WATCHDOG_PID");
  const bool ours = pid.empty() || base::parse_number<pid_t>(pid) == getpid();
  return Notifier(socket, std::chrono::microseconds(ours ? microseconds : 0));
}

Notifier::Notifier(std::string socket, base::Duration watchdog)
    : socket_(std::move(socket)), watchdog_(watchdog) {
  const bool known = socket_.starts_with('/') || socket_.starts_with('@');
  if (!known || socket_.size() > base::kMaxSocketPath) socket_.clear();
}

void Notifier::ready() {
  if (socket_.empty() || stopping_) return;
  owed_ = "READY=1";
  status_at_ = {};
  say_owed();
}

void Notifier::stopping() {
  if (socket_.empty()) return;
  stopping_ = true;
  owed_ = "STOPPING=1";
  status_at_ = {};
  say_owed();
}

// Managers that wait for the end of a reload need the time (Type=notify-reload,
// systemd 253).
void Notifier::reloading(base::TimePoint now) {
  if (socket_.empty() || stopping_) return;
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
  if (!owed_.empty() && send(owed_)) owed_.clear();
}

void Notifier::look(std::span<const Slot> slots, base::TimePoint now, base::Duration patience) {
  if (socket_.empty()) return;
  say_owed();
  // At half the timeout, as sd_watchdog_enabled(3) recommends.
  if (watchdog_ > 0ns && now - fed_ >= watchdog_ / 2 &&
      std::any_of(slots.begin(), slots.end(),
                  [&](const Slot& slot) { return is_well(slot, now, patience); }) &&
      send("WATCHDOG=1")) {
    fed_ = now;
  }
  if (status_at_ == base::TimePoint{} || now - status_at_ >= kStatusEvery) {
    std::string next = status(slots, now);
    // The status of an idle pool does not change.
    if (next == status_ || send("STATUS=" + next)) status_ = std::move(next);
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

bool Notifier::send(std::string_view message) const {
  const auto address = base::UnixAddress::of(socket_, true);
  const base::UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return fd && address &&
         sendto(fd.get(), message.data(), message.size(), MSG_NOSIGNAL, address->get(),
                address->size()) >= 0;
}

}  // namespace svc::pool
