#include "login/passwords.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/entropy.h"
#include "base/password_hash.h"
#include "base/unavailable.h"
#include "fakes/waiting.h"
#include "loop/all.h"
#include "loop/loop.h"

namespace svc::login {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong(60'000);

// Beside other busy processes, threads of the idle class get so little time that
// a hash takes minutes. So tests end the class of a thread (0: the caller) once
// it has been checked; this needs root.
void leave_idle_class(pid_t thread) {
  const sched_param none{};
  if (sched_getscheduler(thread) == SCHED_IDLE)
    static_cast<void>(sched_setscheduler(thread, SCHED_OTHER, &none));
}

// Records how each calling thread is scheduled, and lets it leave the idle
// class. While `closed`, threads of the idle class wait before.
class SchedulingEntropy : public base::SystemEntropy {
 public:
  struct Asked {
    int policy;
    int priority;
    bool operator==(const Asked&) const = default;
  };
  std::atomic<bool> closed = false;

  void fill(std::span<unsigned char> out) override {
    const Asked now{sched_getscheduler(0), getpriority(PRIO_PROCESS, 0)};
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(now);
    }
    while (closed && now.policy == SCHED_IDLE) std::this_thread::yield();
    leave_idle_class(0);
    SystemEntropy::fill(out);
  }
  std::vector<Asked> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::vector<Asked> asked_;
};
using Asked = std::vector<SchedulingEntropy::Asked>;

// QuietPasswords with a loop of its own, which runs until the result has
// arrived.
struct HashingLoop {
  HashingLoop(base::Entropy& entropy, base::Duration idle) : quiet({}, entropy, idle, loop) {}
  std::string hash(std::string password) {
    return loop.run_until_done(quiet.hash(std::move(password)));
  }
  bool matches(std::string password, std::string stored) {
    const std::jthread helper([](const std::stop_token& stop) {
      fakes::wait_until([&] {
        for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
          leave_idle_class(std::stoi(thread.path().filename()));
        return stop.stop_requested();
      });
    });
    return loop.run_until_done(quiet.matches(std::move(password), std::move(stored)));
  }

  const base::SteadyClock clock;
  loop::Loop loop{clock};
  QuietPasswords quiet;
};

TEST(QuietPasswords, HashesInTheIdleClassAndKeepsTheCallersPriority) {
  SchedulingEntropy entropy;
  HashingLoop passwords(entropy, kLong);
  const int before = getpriority(PRIO_PROCESS, 0);
  const std::string hash = passwords.hash("olivia");
  EXPECT_EQ(entropy.asked(), (Asked{{SCHED_IDLE, before}}));
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), before);
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
  EXPECT_TRUE(passwords.matches("olivia", hash));
  EXPECT_FALSE(passwords.matches("Olivia", hash));
  EXPECT_TRUE(base::has_cost(hash));
}

TEST(QuietPasswords, HashesThatGetNoIdleTimeAreDoneAtALowerPriority) {
  SchedulingEntropy entropy;
  const int before = getpriority(PRIO_PROCESS, 0);
  const SchedulingEntropy::Asked idle{SCHED_IDLE, before};
  const SchedulingEntropy::Asked nicer{SCHED_OTHER, std::max(before, 5)};
  const auto count = [&](const SchedulingEntropy::Asked& asked) {
    return std::ranges::count(entropy.asked(), asked);
  };
  HashingLoop passwords(entropy, milliseconds(20));
  entropy.closed = true;
  EXPECT_TRUE(base::has_cost(passwords.hash("olivia")));
  EXPECT_EQ(count(nicer), 1);
  // The first hash is still late, so the next does not try the idle class.
  EXPECT_TRUE(base::has_cost(passwords.hash("olivia")));
  EXPECT_EQ(count(nicer), 2);
  // On a busy machine the thread of the idle class begins after the others.
  fakes::wait_until([&] { return count(idle) > 0; });
  EXPECT_EQ(entropy.asked().size(), 3u);
  entropy.closed = false;
  EXPECT_FALSE(passwords.quiet.nobody_is_late());
  // Once the first has ended, hashes try the idle class again.
  while (count(idle) == 1) passwords.hash("olivia");
}

// A worker checks this before it exits: it must not wait for a starved hash.
TEST(QuietPasswords, ReportsWhetherAHashIsLate) {
  SchedulingEntropy entropy;
  HashingLoop passwords(entropy, milliseconds(20));
  EXPECT_TRUE(passwords.quiet.nobody_is_late());
  entropy.closed = true;
  passwords.hash("olivia");
  EXPECT_FALSE(passwords.quiet.nobody_is_late());
  entropy.closed = false;
  while (!passwords.quiet.nobody_is_late()) passwords.loop.turn(milliseconds(10));
}

// A process ends only after each of its threads has run once more. In the idle
// class that can take as long as the machine is busy.
TEST(QuietPasswords, LateHashesCanBeHurried) {
  SchedulingEntropy entropy;
  HashingLoop passwords(entropy, milliseconds(20));
  const auto idle_threads = [] {
    return std::ranges::count_if(
        std::filesystem::directory_iterator("/proc/self/task"), [](const auto& thread) {
          return sched_getscheduler(std::stoi(thread.path().filename())) == SCHED_IDLE;
        });
  };
  entropy.closed = true;
  passwords.hash("olivia");
  while (idle_threads() == 0) passwords.loop.turn(milliseconds(10));
  passwords.quiet.hurry();
  EXPECT_EQ(idle_threads(), 0);
  entropy.closed = false;
  while (!passwords.quiet.nobody_is_late()) passwords.loop.turn(milliseconds(10));
}

TEST(QuietPasswords, ConcurrentHashesReturnTheirOwnResults) {
  SchedulingEntropy entropy;
  HashingLoop passwords(entropy, kLong);
  std::vector<loop::Task<std::string>> hashing;
  for (const char* const password : {"olivia", "manuel", "uma"})
    hashing.push_back(passwords.quiet.hash(password));
  const auto hashes = passwords.loop.run_until_done(loop::all(std::move(hashing)));
  EXPECT_TRUE(passwords.matches("olivia", hashes[0]));
  EXPECT_TRUE(passwords.matches("manuel", hashes[1]));
  EXPECT_TRUE(passwords.matches("uma", hashes[2]));
  EXPECT_FALSE(passwords.matches("uma", hashes[1]));
}

// The loop runs in the meantime: here, the timer that lets the hash threads
// continue.
TEST(QuietPasswords, DoesNotBlockTheLoopWhileItHashes) {
  SchedulingEntropy entropy;
  HashingLoop passwords(entropy, kLong);
  entropy.closed = true;
  loop::Timer timer(passwords.loop, [&] { entropy.closed = false; });
  timer.set(passwords.clock.now() + milliseconds(50));
  EXPECT_TRUE(base::has_cost(passwords.hash("olivia")));
}

TEST(QuietPasswords, PassesExceptionsToTheCaller) {
  class NoEntropy : public base::Entropy {
   public:
    void fill(std::span<unsigned char>) override { throw base::Unavailable("no entropy"); }
  } entropy;
  HashingLoop passwords(entropy, kLong);
  EXPECT_THROW(passwords.hash("olivia"), base::Unavailable);
}

TEST(QuietPasswords, AcceptsAnyBytes) {
  SchedulingEntropy entropy;
  HashingLoop passwords(entropy, kLong);
  const std::string password = std::string("a\0b", 3) + std::string(1021, '\xff');
  const std::string hash = passwords.hash(password);
  EXPECT_TRUE(passwords.matches(password, hash));
  EXPECT_FALSE(passwords.matches(password.substr(0, 1023), hash));
}

}  // namespace
}  // namespace svc::login
