// all: runs several tasks concurrently. Each task runs until it first waits
// before the next one starts, so their commands to a store leave in one batch.
//
//   auto both = all(clients.find_client(id), grants.find_token(token));
//   const auto found = co_await both;
//   const auto& [client, issued] = found;
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "loop/task.h"

namespace svc::loop {
namespace internal {

// Counts finished tasks. The last task resumes the awaiting coroutine.
class Countdown {
 public:
  // One more than the tasks: the awaiting coroutine finishes last, when it
  // awaits.
  explicit Countdown(std::size_t tasks) : left_(tasks + 1) {}

  void finish_one() {
    if (--left_ == 0) waiting_.resume();
  }

  bool await_ready() const noexcept { return left_ == 1; }
  // Returns false, which resumes the caller immediately, if all tasks have
  // finished already.
  bool await_suspend(std::coroutine_handle<> waiting) noexcept {
    waiting_ = waiting;
    return --left_ != 0;
  }
  void await_resume() const noexcept {}

 private:
  std::size_t left_;
  std::coroutine_handle<> waiting_;
};

// A coroutine that starts immediately and destroys itself at its end.
struct Branch {
  struct promise_type {
    Branch get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
};

// std::monostate in place of void.
template <class T>
using NonVoid = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
struct Outcome {
  std::optional<NonVoid<T>> value;
  std::exception_ptr exception;

  NonVoid<T> take() {
    if (exception) std::rethrow_exception(exception);
    return std::move(*value);
  }
};

template <class T>
Branch run_branch(Task<T>& task, Outcome<T>& outcome, Countdown& countdown) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await task;
      outcome.value.emplace();
    } else {
      outcome.value.emplace(co_await task);
    }
  } catch (...) {
    outcome.exception = std::current_exception();
  }
  countdown.finish_one();
}

}  // namespace internal

// Finishes when all tasks have finished. Returns a tuple of their values, with
// std::monostate for void. If tasks threw, rethrows the exception of the first
// of these, in the order of the arguments.
template <class... T>
Task<std::tuple<internal::NonVoid<T>...>> all(Task<T>... tasks) {
  std::tuple<internal::Outcome<T>...> outcomes;
  internal::Countdown countdown(sizeof...(T));
  std::apply([&](auto&... outcome) { (internal::run_branch(tasks, outcome, countdown), ...); },
             outcomes);
  co_await countdown;
  co_return std::apply(
      [](auto&... outcome) { return std::tuple<internal::NonVoid<T>...>{outcome.take()...}; },
      outcomes);
}

// The same for any number of tasks of one type. Values are in the order of the
// tasks.
template <class T>
Task<std::vector<T>> all(std::vector<Task<T>> tasks) {
  std::vector<internal::Outcome<T>> outcomes(tasks.size());
  internal::Countdown countdown(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i)
    internal::run_branch(tasks[i], outcomes[i], countdown);
  co_await countdown;
  std::vector<T> values;
  values.reserve(tasks.size());
  for (internal::Outcome<T>& outcome : outcomes) values.push_back(outcome.take());
  co_return values;
}

inline Task<> all(std::vector<Task<>> tasks) {
  std::vector<internal::Outcome<void>> outcomes(tasks.size());
  internal::Countdown countdown(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i)
    internal::run_branch(tasks[i], outcomes[i], countdown);
  co_await countdown;
  for (internal::Outcome<void>& outcome : outcomes) outcome.take();
}

}  // namespace svc::loop
