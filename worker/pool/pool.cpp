#include "pool/pool.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>

#include "base/log.h"
#include "pool/signals.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 100ms;     // at deadlines and at workers that leave
constexpr auto kLookOftenEvery = 2ms;  // while workers start
// A hash of a password gives way to all else (login/passwords.cpp): on a busy machine a worker that
// computes one gets so much longer, and nginx waits as long (nginx/svc-fastcgi-web.conf).
constexpr auto kForAHash = 10s;
constexpr auto kSilenceBeyond = 2s;  // a worker's tick, and some patience
constexpr auto kStartingFor = 5s;    // and no longer, when they never come up
constexpr auto kLookAtSocketEvery = 1s;

std::int64_t milliseconds(base::Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

// So that workers which started together do not retire together: 75 to 125 %.
std::uint64_t with_jitter(std::uint64_t limit) {
  if (limit == 0) return 0;
  std::random_device device;
  std::uniform_real_distribution<double> factor(0.75, 1.25);
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(static_cast<double>(limit) * factor(device)));
}

}  // namespace

// Twice as many slots as workers: those that leave keep theirs while their replacements serve.
Pool::Pool(PoolSettings settings, const base::Clock& clock, RunWorker run_worker,
           RenewSocket renew_socket)
    : settings_(std::move(settings)),
      clock_(clock),
      run_worker_(std::move(run_worker)),
      renew_socket_(std::move(renew_socket)),
      scoreboard_(settings_.workers * 2),
      delay_(settings_.workers, clock.now()),
      started_(clock.now()) {}

std::size_t Pool::present() const {
  return static_cast<std::size_t>(
      std::count_if(workers_.begin(), workers_.end(),
                    [](const WorkerHandle& worker) { return !worker.leaving; }));
}

int Pool::run() {
  waiting_ = signals::prepare();
  spawn_missing();
  while (true) {
    timespec wait{};
    const int ms = next_wait_ms();
    wait.tv_sec = ms / 1000;
    wait.tv_nsec = static_cast<long>(ms % 1000) * 1'000'000;
    ppoll(nullptr, 0, &wait, &waiting_);
    if (signals::take_child()) reap();
    const bool stop = signals::take_stop();
    const bool drain = signals::take_drain();
    if (stop || drain) {
      base::log::info(stop ? "pool.stops" : "pool.drains", {{"pool", settings_.name}});
      ending_ = true;
      notifier_.stopping();
      // Bounded, also for a worker that hears no signal.
      end_by_ = clock_.now() + settings_.request_timeout + kSilenceBeyond +
                (stop ? settings_.worker.listener.read_timeout : settings_.worker.drain_timeout);
      signal_all(stop ? SIGTERM : SIGQUIT);
    }
    if (ending_ && workers_.empty()) {
      base::log::info("pool.ended", {{"pool", settings_.name}});
      return 0;
    }
    end_overdue();
    notifier_.look(scoreboard_.slots(), clock_.now(), settings_.request_timeout + kSilenceBeyond);
    if (ending_) continue;
    look_at_socket();
    replace_leaving();
    spawn_missing();
    say_ready();
  }
}

int Pool::next_wait_ms() const {
  const bool starting = !ready_said_ && clock_.now() - started_ < kStartingFor;
  base::Duration wait = starting ? base::Duration(kLookOftenEvery) : base::Duration(kLookEvery);
  if (present() < settings_.workers) {
    wait = std::min(wait, std::max<base::Duration>(spawn_not_before_ - clock_.now(), 0ms));
  }
  return static_cast<int>(milliseconds(wait)) + 1;
}

void Pool::spawn_missing() {
  while (present() < settings_.workers && workers_.size() < scoreboard_.slots().size() &&
         clock_.now() >= spawn_not_before_) {
    const std::size_t before = workers_.size();
    spawn();
    if (workers_.size() == before) return;
  }
}

void Pool::spawn() {
  std::size_t index = 0;
  while (scoreboard_.slot(index).phase.load() != Phase::Free) ++index;
  Slot& slot = scoreboard_.slot(index);
  slot.reset();
  slot.phase = Phase::Starting;
  slot.since = clock_.now().time_since_epoch().count();
  WorkerSettings settings = settings_.worker;
  settings.max_requests = with_jitter(settings.max_requests);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    base::log::error("worker.not_spawned",
                     {{"pool", settings_.name}, {"reason", std::strerror(errno)}});
    slot.reset();
    spawn_not_before_ = clock_.now() + 1s;
    return;
  }
  if (pid == 0) {
    // A worker goes with its parent, even when that was killed. Not by TERM: one that is stopped,
    // or hangs in a request, would not hear it, nobody is left to end it, and it would hold the
    // socket that the next pool wants. What a worker does may be cut off at any point: the pool
    // lives with that anyway.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    signals::forget();
    slot.pid = getpid();
    int status = 1;
    try {
      status = run_worker_(settings, scoreboard_, slot, waiting_);
    } catch (const std::exception& error) {
      base::log::error("worker.failed", {{"pool", settings_.name}, {"reason", error.what()}});
    }
    // Not exit(): destructors and buffers of the parent's are not the child's to run.
    _exit(status);
  }
  workers_.push_back({pid, index, clock_.now(), false, false});
}

void Pool::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto found = std::find_if(workers_.begin(), workers_.end(),
                                    [&](const WorkerHandle& worker) { return worker.pid == pid; });
    if (found == workers_.end()) continue;
    const WorkerHandle worker = *found;
    workers_.erase(found);
    const bool wanted = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!wanted) {
      const base::Duration delay =
          ending_ ? base::Duration{}
                  : delay_.after_death(clock_.now() - worker.started, clock_.now());
      spawn_not_before_ = std::max(spawn_not_before_, clock_.now() + delay);
      say_death(worker, status, delay);
    }
    scoreboard_.give_back_permits(worker.slot);
    scoreboard_.slot(worker.slot).reset();
  }
}

void Pool::say_death(const WorkerHandle& worker, int status, base::Duration delay) {
  const Slot& slot = scoreboard_.slot(worker.slot);
  const bool starting = slot.phase.load() == Phase::Starting;
  const bool by_signal = WIFSIGNALED(status);
  base::log::error("worker.died", {{"pool", settings_.name},
                                   {"worker", worker.pid},
                                   {by_signal ? "signal" : "exit_status",
                                    by_signal ? WTERMSIG(status) : WEXITSTATUS(status)},
                                   {"reason", by_signal ? strsignal(WTERMSIG(status)) : "exit"},
                                   {"phase", to_text(slot.phase.load())},
                                   {"path", slot.path_text()},
                                   {"requests", slot.requests.load()},
                                   {"delay_ms", milliseconds(delay)}});
  if (starting && !failing_said_) {
    failing_said_ = true;
    base::log::error(
        "pool.failing",
        {{"pool", settings_.name},
         {"reason",
          "workers end while they start; the socket stays, and the pool goes on trying"}});
  }
}

// Replaced when they begin to leave, not when they are gone.
void Pool::replace_leaving() {
  for (WorkerHandle& worker : workers_) {
    if (!worker.leaving && scoreboard_.slot(worker.slot).phase.load() == Phase::Draining) {
      worker.leaving = true;
    }
  }
}

// Somebody who tidies up may remove the socket's file: then nginx finds nobody, though all workers
// live. Those that are there listen on a socket that has no name any more, so they drain, and
// others take the new one.
void Pool::look_at_socket() {
  if (clock_.now() < look_at_socket_at_) return;
  look_at_socket_at_ = clock_.now() + kLookAtSocketEvery;
  const base::Result<bool, std::string> renewed = renew_socket_();
  if (!renewed) {
    if (socket_lost_said_) return;
    socket_lost_said_ = true;
    base::log::error("socket.lost", {{"pool", settings_.name}, {"reason", renewed.error()}});
    return;
  }
  socket_lost_said_ = false;
  if (!*renewed) return;
  base::log::warn("socket.renewed",
                  {{"pool", settings_.name}, {"reason", "its file was gone or another's"}});
  signal_all(SIGQUIT);
}

void Pool::end_overdue() {
  const base::TimePoint now = clock_.now();
  const auto age_of = [&](const std::atomic<std::int64_t>& then) {
    return now.time_since_epoch() - base::Duration(then.load(std::memory_order_relaxed));
  };
  for (WorkerHandle& worker : workers_) {
    const Slot& slot = scoreboard_.slot(worker.slot);
    const Phase phase = slot.phase.load(std::memory_order_acquire);
    if (worker.ended_by_us || phase == Phase::Starting || phase == Phase::Free) continue;
    const bool busy = phase == Phase::Handling || phase == Phase::Writing;
    // One that only waits looks up every second; one that does not was stopped, or hangs.
    const base::Duration silent = std::min(age_of(slot.beat), age_of(slot.since));
    const base::Duration patience =
        settings_.request_timeout + (scoreboard_.has_permit(worker.slot) ? kForAHash : 0s);
    if (busy && age_of(slot.since) > patience) {
      end(worker, "request-timeout", age_of(slot.since));
    } else if (silent > patience + kSilenceBeyond) {
      end(worker, "no-heartbeat", silent);
    } else if (ending_ && now > end_by_) {
      end(worker, "drain-timeout", now - worker.started);
    }
  }
}

void Pool::end(WorkerHandle& worker, std::string_view reason, base::Duration age) {
  base::log::error("worker.killed", {{"pool", settings_.name},
                                     {"worker", worker.pid},
                                     {"reason", reason},
                                     {"path", scoreboard_.slot(worker.slot).path_text()},
                                     {"ms", milliseconds(age)}});
  worker.ended_by_us = true;
  kill(worker.pid, SIGKILL);
}

void Pool::say_ready() {
  if (ready_said_) return;
  for (const WorkerHandle& worker : workers_) {
    if (scoreboard_.slot(worker.slot).phase.load() == Phase::Starting) return;
  }
  if (present() < settings_.workers) return;
  ready_said_ = true;
  failing_said_ = false;
  notifier_.ready();
  base::log::info("pool.ready", {{"pool", settings_.name},
                                 {"workers", settings_.workers},
                                 {"ms", milliseconds(clock_.now() - started_)}});
}

void Pool::signal_all(int signal) {
  for (const WorkerHandle& worker : workers_) kill(worker.pid, signal);
}

}  // namespace svc::pool
