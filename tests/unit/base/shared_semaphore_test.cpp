#include "base/shared_semaphore.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <new>
#include <thread>
#include <vector>

namespace svc::base {
namespace {

struct Shared {
  SharedSemaphore semaphore{1};
  std::atomic<bool> taken{false};
};

// A worker that was killed in a hash kept its place until the pool ended.
TEST(SharedSemaphore, AProcessThatDiesLeavesItsPlaceToAnother) {
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const shared = new (memory) Shared();
  for (int i = 0; i < 3; ++i) {
    shared->taken = false;
    const pid_t child = fork();
    if (child == 0) {
      const SharedSemaphore::Taken taken(shared->semaphore);
      shared->taken = true;
      while (true) pause();
    }
    while (!shared->taken) std::this_thread::yield();
    std::jthread killer([child] { kill(child, SIGKILL); });
    { const SharedSemaphore::Taken taken(shared->semaphore); }
    waitpid(child, nullptr, 0);
  }
  munmap(memory, sizeof(Shared));
}

TEST(SharedSemaphore, AsManyThreadsWorkAsThereAreProcessorsLessOne) {
  EXPECT_EQ(SharedSemaphore().count(), std::max(std::thread::hardware_concurrency(), 2U) - 1);
  SharedSemaphore semaphore(3);
  std::latch three(3);
  std::atomic<int> now = 0;
  std::atomic<bool> too_many = false;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 9; ++i) {
    threads.emplace_back([&] {
      const SharedSemaphore::Taken taken(semaphore);
      if (++now > 3) too_many = true;
      if (!three.try_wait()) three.arrive_and_wait();
      --now;
    });
  }
  threads.clear();
  EXPECT_FALSE(too_many);
}

}  // namespace
}  // namespace svc::base
