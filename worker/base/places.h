// Places: limits how many threads of several processes do some work at the same
// time. For memory that the processes share.
//
// The kernel frees the place of a thread that died in its work, and assigns it to a thread that
// waits; these take turns.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <thread>

namespace svc::base {

class Places {
 public:
  // By default one place less than there are processors, but at least one.
  explicit Places(std::size_t count = std::max(std::thread::hardware_concurrency(), 2U) - 1)
      : count_(std::min(count, mutexes_.size())) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    // The kernel hands such a mutex over to the thread that has waited longest. Any
    // other could be taken again by the thread that has just released it.
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    for (pthread_mutex_t& mutex : mutexes_) pthread_mutex_init(&mutex, &attributes);
  }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;
  std::size_t count() const { return count_; }

  // A place for the calling thread.
  class Taken {
   public:
    // Blocks until there is one: any that is free, or else one after the other, as
    // their work takes about as long.
    explicit Taken(Places& places) {
      const std::size_t first = places.next_++;
      int error = EBUSY;
      for (std::size_t i = 0; i < places.count_ && error == EBUSY; ++i) {
        mutex_ = &places.mutexes_[(first + i) % places.count_];
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
