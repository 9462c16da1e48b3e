#include "pool/parent/pool.h"

#include <poll.h>
#ifdef SVC_SANITIZE
#include <sanitizer/lsan_interface.h>
#endif
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

constexpr auto kLookEvery = 100ms;     // interval of checks of deadlines and draining workers
constexpr auto kLookOftenEvery = 2ms;  // interval while workers start
constexpr auto kSilenceBeyond = 2s;    // a heartbeat's period of 1 s, and a margin
constexpr auto kStartingFor = 5s;      // longest use of kLookOftenEvery
constexpr auto kLookAtSocketEvery = 1s;
constexpr auto kComesUpWithin = 10s;  // a new generation, or the reload fails
// Most generations that run simultaneously, draining ones included; beyond it,
// the oldest is stopped.
constexpr std::uint32_t kGenerationsAtOnce = 8;
constexpr std::size_t kMostSlots = 4096;

std::int64_t milliseconds(base::Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

// 75 to 125 % of the limit, so that workers started together do not retire
// together.
std::uint64_t with_jitter(std::uint64_t limit) {
  if (limit == 0) return 0;
  std::random_device device;
  std::uniform_real_distribution<double> factor(0.75, 1.25);
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(static_cast<double>(limit) * factor(device)));
}

}  // namespace

Pool::Pool(std::unique_ptr<Generation> first, const base::Clock& clock, Program program)
    : current_(std::move(first)),
      clock_(clock),
      program_(std::move(program)),
      scoreboard_(settings().workers, kMostSlots),
      delay_(settings().workers, clock.now()),
      started_(clock.now()) {}

std::size_t Pool::present() const {
  return static_cast<std::size_t>(
      std::count_if(workers_.begin(), workers_.end(), [&](const WorkerHandle& worker) {
        return worker.generation == generation_ && !worker.leaving;
      }));
}

int Pool::run() {
  waiting_ = signals::prepare();
  current_->take_over();
  PoolSlot& pool = scoreboard_.pool();
  pool.pid = getpid();
  pool.started = now();
  pool.generation = generation_;
  pool.workers = static_cast<std::uint32_t>(settings().workers);
  spawn_missing();
  while (true) {
    timespec wait{};
    const int ms = next_wait_ms();
    wait.tv_sec = ms / 1000;
    wait.tv_nsec = static_cast<long>(ms % 1000) * 1'000'000;
    ppoll(nullptr, 0, &wait, &waiting_);
    if (signals::take_child()) reap();
    if (signals::take_reload()) {
      reload_wanted_ = true;
      add(scoreboard_.pool().asked);
    }
    const bool stop = signals::take_stop();
    const bool drain = signals::take_drain();
    if (stop || drain) {
      base::log::info(stop ? base::log::Event("pool.stops") : base::log::Event("pool.drains"),
                      {{"pool", settings().name}});
      if (former_) fail_reload("the pool is stopping");
      ending_ = true;
      notifier_.stopping();
      // Bounds the wait for workers that ignore the signal.
      end_by_ = clock_.now() + settings().worker.request_timeout + kSilenceBeyond +
                (stop ? settings().worker.listener.read_timeout : settings().worker.drain_timeout);
      signal_all(stop ? SIGTERM : SIGQUIT);
    }
    if (ending_ && workers_.empty()) {
      base::log::info("pool.ended", {{"pool", settings().name}});
      return 0;
    }
    end_overdue();
    observe();
    notifier_.look(scoreboard_.slots(), clock_.now(),
                   settings().worker.request_timeout + kSilenceBeyond);
    if (ending_) continue;
    look_at_socket();
    replace_leaving();
    spawn_missing();
    say_ready();
    look_at_reload();
    take_reload();
  }
}

int Pool::next_wait_ms() const {
  const bool starting = former_ || (!ready_said_ && clock_.now() - started_ < kStartingFor);
  base::Duration wait = starting ? base::Duration(kLookOftenEvery) : base::Duration(kLookEvery);
  if (present() < settings().workers) {
    wait = std::min(wait, std::max<base::Duration>(spawn_not_before_ - clock_.now(), 0ms));
  }
  return static_cast<int>(milliseconds(wait)) + 1;
}

void Pool::spawn_missing() {
  while (present() < settings().workers && clock_.now() >= spawn_not_before_) {
    const std::size_t before = workers_.size();
    spawn();
    if (workers_.size() == before) return;
  }
}

void Pool::spawn() {
  const std::size_t index = scoreboard_.find_free();
  if (index == scoreboard_.capacity()) return;
  Slot& slot = scoreboard_.slot(index);
  slot.reset();
  slot.phase = Phase::Starting;
  slot.since = now();
  slot.generation = generation_;
  WorkerSettings own = settings().worker;
  own.max_requests = with_jitter(own.max_requests);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    base::log::error("worker.not_spawned",
                     {{"pool", settings().name}, {"reason", std::strerror(errno)}});
    slot.reset();
    spawn_not_before_ = clock_.now() + 1s;
    return;
  }
  if (pid == 0) {
    // The kernel kills workers when the parent dies. SIGTERM is not enough: a
    // stopped or hung worker would keep the listening socket open, which the
    // next pool needs. A worker may be killed at any point; the pool must cope
    // with that anyway.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    signals::forget();
    slot.pid = getpid();
    int status = 1;
    try {
      status = current_->run(own, scoreboard_, slot, waiting_);
    } catch (const std::exception& error) {
      base::log::error("worker.failed", {{"pool", settings().name}, {"reason", error.what()}});
    }
#ifdef SVC_SANITIZE
    __lsan_do_leak_check();  // exit() would do it
#endif
    // Not exit(): the parent's destructors and buffers must not run in the
    // child.
    _exit(status);
  }
  workers_.push_back({pid, index, generation_, clock_.now(), settings().worker.request_timeout,
                      false, std::nullopt});
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
    const bool coming_up = former_ && worker.generation == generation_;
    PoolSlot& pool = scoreboard_.pool();
    if (wanted) {
      add(pool.retired);
    } else {
      add(pool.deaths[worker.ended_by_us.value_or(
          WIFSIGNALED(status) ? static_cast<std::size_t>(WTERMSIG(status)) : death::kExit)]);
      const base::Duration delay =
          ending_ || !serves(worker)
              ? base::Duration{}
              : delay_.after_death(clock_.now() - worker.started, clock_.now());
      spawn_not_before_ = std::max(spawn_not_before_, clock_.now() + delay);
      say_death(worker, status, delay);
    }
    const bool was_starting = scoreboard_.slot(worker.slot).phase.load() == Phase::Starting;
    scoreboard_.give_back(worker.slot);
    if (coming_up && was_starting && !wanted) fail_reload("a new worker exited during startup");
  }
}

// Returns true if the worker belongs to the serving generation, not to a
// starting or draining one.
bool Pool::serves(const WorkerHandle& worker) const {
  return worker.generation == scoreboard_.pool().generation;
}

void Pool::say_death(const WorkerHandle& worker, int status, base::Duration delay) {
  const Slot& slot = scoreboard_.slot(worker.slot);
  const bool starting = slot.phase.load() == Phase::Starting;
  const bool by_signal = WIFSIGNALED(status);
  base::log::error("worker.died", {{"pool", settings().name},
                                   {"worker", worker.pid},
                                   {by_signal ? "signal" : "exit_status",
                                    by_signal ? WTERMSIG(status) : WEXITSTATUS(status)},
                                   {"reason", by_signal ? strsignal(WTERMSIG(status)) : "exit"},
                                   {"phase", to_text(slot.phase.load())},
                                   {"path", slot.path_text()},
                                   {"requests", slot.requests.load()},
                                   {"delay_ms", milliseconds(delay)}});
  if (starting && serves(worker) && !failing_said_) {
    failing_said_ = true;
    base::log::error(
        "pool.failing",
        {{"pool", settings().name},
         {"reason",
          "new workers exit during startup; the socket stays open and the parent keeps retrying"}});
  }
}

// Workers are replaced when they begin to drain, not when they exit.
void Pool::replace_leaving() {
  for (WorkerHandle& worker : workers_) {
    if (!worker.leaving && scoreboard_.slot(worker.slot).phase.load() == Phase::Draining) {
      worker.leaving = true;
    }
  }
}

// If the socket's file was removed, nginx cannot connect, although all workers
// run. Their socket lost its name, so they drain, and their successors use the new socket.
void Pool::look_at_socket() {
  if (clock_.now() < look_at_socket_at_) return;
  look_at_socket_at_ = clock_.now() + kLookAtSocketEvery;
  const base::Result<bool, std::string> renewed = program_.renew_socket();
  if (!renewed) {
    if (socket_lost_said_) return;
    socket_lost_said_ = true;
    base::log::error("socket.lost", {{"pool", settings().name}, {"reason", renewed.error()}});
    return;
  }
  socket_lost_said_ = false;
  if (!*renewed) return;
  base::log::warn("socket.renewed",
                  {{"pool", settings().name}, {"reason", "its file was removed or replaced"}});
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
    // A worker's loop turns at least once per second, unless the worker is
    // stopped or hangs.
    const base::Duration silent = age_of(slot.beat);
    if (!slot.finished && silent > worker.request_timeout + kSilenceBeyond) {
      end(worker, death::kNoHeartbeat, silent);
    } else if (ending_ && now > end_by_) {
      end(worker, death::kDrainTimeout, now - worker.started);
    }
  }
}

void Pool::end(WorkerHandle& worker, std::size_t reason, base::Duration age) {
  base::log::error("worker.killed", {{"pool", settings().name},
                                     {"worker", worker.pid},
                                     {"reason", death::to_text(reason)},
                                     {"path", scoreboard_.slot(worker.slot).path_text()},
                                     {"ms", milliseconds(age)}});
  worker.ended_by_us = reason;
  kill(worker.pid, SIGKILL);
}

bool Pool::is_up(std::uint32_t generation) const {
  return present() >= settings().workers &&
         std::none_of(workers_.begin(), workers_.end(), [&](const WorkerHandle& worker) {
           return worker.generation == generation &&
                  scoreboard_.slots()[worker.slot].phase.load() == Phase::Starting;
         });
}

void Pool::say_ready() {
  if (ready_said_ || !is_up(generation_)) return;
  ready_said_ = true;
  failing_said_ = false;
  notifier_.ready();
  base::log::info("pool.ready", {{"pool", settings().name},
                                 {"workers", settings().workers},
                                 {"ms", milliseconds(clock_.now() - started_)}});
}

// Begins a reload: reads the new configuration and starts its workers.
void Pool::take_reload() {
  if (!reload_wanted_ || former_) return;
  reload_wanted_ = false;
  answering_ = scoreboard_.pool().asked;
  reload_began_ = clock_.now();
  if (ready_said_) notifier_.reloading(reload_began_);
  auto next = program_.next();
  if (!next) {
    base::log::error("reload.refused", {{"pool", settings().name}, {"reason", next.error()}});
    answer_reload(ReloadOutcome::Refused, next.error());
    return;
  }
  former_ = std::move(current_);
  current_ = std::move(*next);
  generation_ = ++generations_;
  current_->take_over();
  base::log::info(
      "reload.begins",
      {{"pool", settings().name}, {"generation", generation_}, {"workers", settings().workers}});
  spawn_not_before_ = {};
  spawn_missing();
}

// Completes the reload once all new workers have started: only then do the old
// ones drain.
void Pool::look_at_reload() {
  if (!former_) return;
  if (!is_up(generation_)) {
    if (clock_.now() - reload_began_ > kComesUpWithin)
      fail_reload("the new workers did not start in time");
    return;
  }
  former_.reset();
  std::size_t leaving = 0;
  for (WorkerHandle& worker : workers_) {
    if (worker.generation == generation_) continue;
    ++leaving;
    if (!worker.leaving) kill(worker.pid, SIGQUIT);
    worker.leaving = true;
  }
  hurry_oldest();
  PoolSlot& pool = scoreboard_.pool();
  pool.generation = generation_;
  pool.workers = static_cast<std::uint32_t>(settings().workers);
  delay_ = RespawnDelay(settings().workers, clock_.now());
  ready_said_ = true;
  failing_said_ = false;
  base::log::info("reload.done", {{"pool", settings().name},
                                  {"generation", generation_},
                                  {"workers", settings().workers},
                                  {"leaving", leaving},
                                  {"ms", milliseconds(clock_.now() - reload_began_)}});
  answer_reload(ReloadOutcome::Done, "");
}

// The former generation serves all the time. Only the new workers are stopped.
void Pool::fail_reload(const std::string& why) {
  if (!former_) return;
  base::log::error("reload.failed",
                   {{"pool", settings().name}, {"generation", generation_}, {"reason", why}});
  for (WorkerHandle& worker : workers_) {
    if (worker.generation != generation_) continue;
    worker.leaving = true;
    kill(worker.pid, SIGTERM);
  }
  current_ = std::move(former_);
  generation_ = scoreboard_.pool().generation;
  current_->take_over();
  answer_reload(ReloadOutcome::Failed, why);
}

void Pool::answer_reload(ReloadOutcome outcome, const std::string& text) {
  notifier_.reloaded(
      outcome == ReloadOutcome::Done ? "" : "reload " + std::string(to_text(outcome)) + ": " + text,
      ready_said_);
  scoreboard_.pool().answer_reload(outcome, text, now(), answering_);
}

// If reloads are more frequent than nginx closes its connections, draining
// workers accumulate. Stops the oldest generation as TERM does: it completes
// current requests and closes idle connections, on which nginx retries.
void Pool::hurry_oldest() {
  for (const WorkerHandle& worker : workers_) {
    if (worker.generation + kGenerationsAtOnce <= generation_) kill(worker.pid, SIGTERM);
  }
}

// Updates the values of the status page that only the parent knows.
void Pool::observe() {
  PoolSlot& pool = scoreboard_.pool();
  std::uint32_t active = 0;
  for (const Slot& slot : scoreboard_.slots()) {
    const Phase phase = slot.phase.load(std::memory_order_relaxed);
    active += phase == Phase::Handling ? 1U : 0U;
  }
  pool.most_active = std::max(pool.most_active.load(), active);
  const auto queue = program_.queue();
  pool.queue = queue ? queue->length : -1;
  pool.queue_limit = queue ? queue->limit : -1;
  if (queue) pool.longest_queue = std::max(pool.longest_queue.load(), queue->length);
}

void Pool::signal_all(int signal) {
  for (const WorkerHandle& worker : workers_) kill(worker.pid, signal);
}

}  // namespace svc::pool
