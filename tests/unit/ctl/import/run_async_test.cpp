#include "ctl/import/run_async.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

namespace svc::ctl {
namespace {

TEST(RunAsync, GivesTheResultAndWhatIsThrown) {
  EXPECT_EQ(run_async([] { return 7; }).get(), 7);
  auto failing = run_async([]() -> int { throw std::runtime_error("no"); });
  EXPECT_THROW(failing.get(), std::runtime_error);
}

TEST(RunAsync, GoesOnWhereThereIsNoFurtherThread) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // The limit does not hold for root.
    const rlimit none{0, 0};
    if (setrlimit(RLIMIT_NPROC, &none) != 0 || (geteuid() == 0 && setuid(65533) != 0)) _exit(3);
    try {
      std::thread([] {}).join();
      _exit(2);  // there was one
    } catch (const std::system_error&) {
    }
    _exit(run_async([] { return 7; }).get() == 7 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace svc::ctl
