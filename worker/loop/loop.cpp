#include "loop/loop.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace svc::loop {
namespace {

constexpr std::int64_t kLongestWait = 3'600'000;  // ms

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

class Loop::Metered {
 public:
  Metered(Loop& loop, base::Duration* meter) : loop_(loop), before_(loop.meter_), meter_(meter) {
    loop_.meter_ = meter_;
    if (meter_ != nullptr) began_ = loop_.clock().now();
  }
  ~Metered() {
    if (meter_ != nullptr) *meter_ += loop_.clock().now() - began_;
    loop_.meter_ = before_;
  }
  Metered(const Metered&) = delete;
  Metered& operator=(const Metered&) = delete;

 private:
  Loop& loop_;
  base::Duration* const before_;
  base::Duration* const meter_;
  base::TimePoint began_{};
};

// A coroutine that starts immediately, destroys itself at its end, and is in the
// list of its scope until then.
struct Scope::Root {
  struct promise_type : Links {
    promise_type(Scope& owner, Task<>&) : scope(owner) {
      before = scope.latest_;
      if (before != nullptr) before->after = this;
      scope.latest_ = this;
      ++scope.loop_.tasks_;
    }
    ~promise_type() {
      if (before != nullptr) before->after = after;
      (after != nullptr ? after->before : scope.latest_) = before;
      --scope.loop_.tasks_;
    }
    promise_type(const promise_type&) = delete;
    promise_type& operator=(const promise_type&) = delete;

    Root get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }

    Scope& scope;
  };
};

Scope::Root Scope::run(Scope&, Task<> task) { co_await task; }

void Scope::spawn(Task<> task, base::Duration* meter) {
  const Loop::Metered metered(loop_, meter);
  run(*this, std::move(task));
}

void Scope::cancel() {
  while (latest_ != nullptr) {
    auto& latest = static_cast<Root::promise_type&>(*latest_);
    std::coroutine_handle<Root::promise_type>::from_promise(latest).destroy();
  }
}

Loop::Loop(const base::Clock& clock) : clock_(clock), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) fail("epoll_create1");
}

void Loop::watch(int fd, std::uint32_t events, Watcher& watcher) {
  const auto place = static_cast<std::size_t>(fd);
  if (place >= watchers_.size()) watchers_.resize(place + 1, nullptr);
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  const int operation = watchers_[place] == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (epoll_ctl(epoll_.get(), operation, fd, &event) != 0) fail("epoll_ctl");
  watchers_[place] = &watcher;
}

void Loop::forget(int fd) {
  const auto place = static_cast<std::size_t>(fd);
  if (fd < 0 || place >= watchers_.size() || watchers_[place] == nullptr) return;
  watchers_[place] = nullptr;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void Loop::before_wait(BeforeWait& hook) {
  if (std::ranges::find(hooks_, &hook) == hooks_.end()) hooks_.push_back(&hook);
}

void Loop::forget(BeforeWait& hook) { std::erase(hooks_, &hook); }

void Loop::forget(std::coroutine_handle<> handle) {
  std::erase_if(can_go_on_, [&](const Resumable& each) { return each.handle == handle; });
  // resume_all() iterates over these.
  for (Resumable& each : resuming_) {
    if (each.handle == handle) each.handle = nullptr;
  }
}

Task<> Loop::keep(Task<> task, std::exception_ptr& exception, bool& done) {
  try {
    co_await task;
  } catch (...) {
    exception = std::current_exception();
  }
  done = true;
}

void Loop::turn_until(const bool& done) {
  while (!done) turn(std::chrono::seconds(1));
  turn(base::Duration::zero());
}

// Resumed coroutines may make others ready: these follow in the same turn.
void Loop::resume_all() {
  while (!can_go_on_.empty()) {
    std::swap(can_go_on_, resuming_);
    for (const Resumable& each : resuming_) {
      if (!each.handle) continue;
      const Metered metered(*this, each.meter);
      each.handle.resume();
    }
    resuming_.clear();
  }
}

void Loop::run_timers() {
  if (timers_.empty()) return;
  const base::TimePoint now = clock_.now();
  // A timer that is set again by these, to a time in the past, waits for the
  // next turn.
  std::size_t due = 0;
  for (auto at = timers_.begin(); at != timers_.end() && at->first <= now; ++at) ++due;
  for (; due > 0 && !timers_.empty() && timers_.begin()->first <= now; --due) {
    Timer& timer = *timers_.begin()->second;
    timer.stop();
    timer.run_();
  }
}

bool Loop::turn(base::Duration at_most, const sigset_t* mask) {
  resume_all();
  while (!hooks_.empty()) {
    BeforeWait* hook = hooks_.back();
    hooks_.pop_back();
    hook->before_wait();
  }
  if (!can_go_on_.empty()) at_most = base::Duration::zero();
  if (!timers_.empty()) at_most = std::min(at_most, timers_.begin()->first - clock_.now());
  at_most = std::max(at_most, base::Duration::zero());
  // Rounded up. Otherwise the loop would spin in the last millisecond before a
  // timer.
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(at_most).count();
  const auto timeout = static_cast<int>(std::min<std::int64_t>(milliseconds, kLongestWait));
  const base::TimePoint began = clock_.now();
  const int count =
      epoll_pwait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), timeout, mask);
  waited_ += clock_.now() - began;
  if (count < 0 && errno != EINTR) fail("epoll_pwait");
  for (int i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(events_[static_cast<std::size_t>(i)].data.fd);
    // An earlier watcher in this turn may have called forget() for it.
    if (watchers_[place] != nullptr)
      watchers_[place]->ready(events_[static_cast<std::size_t>(i)].events);
  }
  run_timers();
  const bool any = count > 0 || !can_go_on_.empty();
  resume_all();
  return any;
}

void Timer::set(base::TimePoint at) {
  stop();
  at_ = loop_.timers_.emplace(at, this);
}

void Timer::stop() {
  if (at_) loop_.timers_.erase(*at_);
  at_.reset();
}

}  // namespace svc::loop
