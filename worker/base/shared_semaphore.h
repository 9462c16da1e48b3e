// SharedSemaphore: limits how many threads of several processes do some work at the same time. For
// memory that the processes share.
//
// The kernel frees what a thread holds that died in its work, for a thread that waits; these take
// turns.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <thread>

namespace svc::base {

class SharedSemaphore {
 public:
  // One thread less than there are processors, but at least one.
  SharedSemaphore() : SharedSemaphore(std::max(std::thread::hardware_concurrency(), 2U) - 1) {}
  explicit SharedSemaphore(std::size_t count) : count_(std::min(count, mutexes_.size())) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    // The kernel hands such a mutex over to the thread that has waited longest. Any
    // other could be taken again by the thread that has just released it.
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    for (pthread_mutex_t& mutex : mutexes_) pthread_mutex_init(&mutex, &attributes);
  }
  SharedSemaphore(const SharedSemaphore&) = delete;
  SharedSemaphore& operator=(const SharedSemaphore&) = delete;
  std::size_t count() const { return count_; }

  // Held by the calling thread.
  class Taken {
   public:
    // Blocks until there is one: any that is free, or else one after the other, as
    // their work takes about as long.
    explicit Taken(SharedSemaphore& semaphore) {
      const std::size_t first = semaphore.next_++;
      int error = EBUSY;
      for (std::size_t i = 0; i < semaphore.count_ && error == EBUSY; ++i) {
        mutex_ = &semaphore.mutexes_[(first + i) % semaphore.count_];
        error = pthread_mutex_trylock(mutex_);
      }
      if (error == EBUSY) error = pthread_mutex_lock(mutex_);
      if (error == EOWNERDEAD) pthread_mutex_consistent(mutex_);
    }
    ~Taken() { pthread_mutex_unlock(mutex_); }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;

   private:
    pthread_mutex_t* mutex_ = nullptr;
  };

 private:
  std::array<pthread_mutex_t, 64> mutexes_{};
  const std::size_t count_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace svc::base
