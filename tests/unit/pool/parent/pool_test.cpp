#include "pool/parent/pool.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>

#include "base/unique_fd.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;

// Written by a worker when it starts.
struct Started {
  std::size_t slot;
  pid_t pid;
};

// Workers without a heartbeat, which never exit. The worker in slot 0 reports
// that it has finished.
class Silent : public Generation {
 public:
  explicit Silent(int starts) : starts_(starts) {
    settings_.name = "silent";
    settings_.workers = 2;
    settings_.worker.request_timeout = settings_.worker.listener.read_timeout = {};
  }
  const PoolSettings& settings() const override { return settings_; }
  int run(const WorkerSettings&, Scoreboard& scoreboard, Slot& slot, const sigset_t&) override {
    const Started started{scoreboard.number_of(slot), getpid()};
    if (started.slot == 0) slot.finished = true;
    slot.beat = (base::SteadyClock().now() - 1h).time_since_epoch().count();
    slot.phase = Phase::Idle;
    if (write(starts_, &started, sizeof started) != sizeof started) return 1;
    while (true) pause();
  }

 private:
  const int starts_;
  PoolSettings settings_;
};

// Returns true if the process has not exited.
bool runs(pid_t pid) {
  const base::UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  pollfd exit{process.get(), POLLIN, 0};
  return process.get() >= 0 && poll(&exit, 1, 0) == 0;
}

// A busy machine can delay the exit of a worker that has finished. The parent waits
// for it until the drain timeout; it kills workers that are silent otherwise.
TEST(Pool, KillsSilentWorkersThatHaveNotFinished) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const base::UniqueFd out(ends[0]);
  base::UniqueFd in(ends[1]);
  const pid_t parent = fork();
  if (parent == 0) {
    const base::SteadyClock clock;
    const Program program{
        {}, [] { return base::Result<bool, std::string>(false); }, [] { return std::nullopt; }};
    _exit(Pool(std::make_unique<Silent>(in.get()), clock, program).run());
  }
  in.reset();
  pid_t finished = 0;
  // A killed worker has a successor.
  for (int killed = -1; killed < 2 || finished == 0;) {
    Started started{};
    ASSERT_EQ(read(out.get(), &started, sizeof started), static_cast<ssize_t>(sizeof started));
    if (started.slot == 0 && finished == 0) finished = started.pid;
    if (started.slot != 0) ++killed;
  }
  EXPECT_TRUE(runs(finished));
  kill(parent, SIGTERM);
  int status = -1;
  waitpid(parent, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(runs(finished));
}

}  // namespace
}  // namespace svc::pool
