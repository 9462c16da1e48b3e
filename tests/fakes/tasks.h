// tasks: runs tasks that never wait. Fakes return finished tasks, so a task
// that only calls fakes finishes immediately.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "loop/all.h"
#include "loop/task.h"

namespace svc::fakes {

template <class T>
loop::Task<T> finished(T value) {
  co_return value;
}
inline loop::Task<> finished() { co_return; }

// Runs a task to its end. Throws std::logic_error if it waits for something.
template <class T>
T now(loop::Task<T> task) {
  loop::internal::Outcome<T> outcome;
  loop::internal::Countdown countdown(1);
  loop::internal::start(task, outcome, countdown);
  if (!countdown.await_ready()) throw std::logic_error("the task waits");
  if constexpr (std::is_void_v<T>) {
    outcome.take();
  } else {
    return outcome.take();
  }
}

}  // namespace svc::fakes
