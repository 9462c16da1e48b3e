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

  // Returns the coroutine to resume.
  std::coroutine_handle<> finish_one() noexcept {
    return --left_ == 0 ? waiting_ : std::noop_coroutine();
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

// A coroutine that starts immediately. It owns its frame, so that its task is
// cancelled with the coroutine that awaits the countdown.
class Branch {
 public:
  struct promise_type {
    template <class Task, class Outcome>
    promise_type(Task&, Outcome&, Countdown& counts) : countdown(counts) {}

    // Its frame is suspended before the awaiting coroutine resumes, which may
    // destroy it.
    struct Finish {
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(
          std::coroutine_handle<promise_type> done) const noexcept {
        return done.promise().countdown.finish_one();
      }
      void await_resume() const noexcept {}
    };
    Branch get_return_object() noexcept {
      return Branch(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    Finish final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }

    Countdown& countdown;
  };

  Branch() = default;
  Branch(Branch&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Branch& operator=(Branch&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Branch(const Branch&) = delete;
  Branch& operator=(const Branch&) = delete;
  ~Branch() {
    if (handle_) handle_.destroy();
  }

 private:
  explicit Branch(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

// std::monostate in place of void.
template <class T>
using NonVoid = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
struct Outcome {
  std::optional<NonVoid<T>> value;
  std::exception_ptr exception;
  Branch branch;

  NonVoid<T> take() {
    if (exception) std::rethrow_exception(exception);
    return std::move(*value);
  }
};

template <class T>
Branch run_branch(Task<T>& task, Outcome<T>& outcome, Countdown&) {
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
}

template <class T>
void start(Task<T>& task, Outcome<T>& outcome, Countdown& countdown) {
  outcome.branch = run_branch(task, outcome, countdown);
}

}  // namespace internal

// Finishes when all tasks have finished. Returns a tuple of their values, with
// std::monostate for void. If tasks threw, rethrows the exception of the first
// of these, in the order of the arguments.
template <class... T>
Task<std::tuple<internal::NonVoid<T>...>> all(Task<T>... tasks) {
  internal::Countdown countdown(sizeof...(T));
  std::tuple<internal::Outcome<T>...> outcomes;
  std::apply([&](auto&... outcome) { (internal::start(tasks, outcome, countdown), ...); },
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
  internal::Countdown countdown(tasks.size());
  std::vector<internal::Outcome<T>> outcomes(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) internal::start(tasks[i], outcomes[i], countdown);
  co_await countdown;
  std::vector<T> values;
  values.reserve(tasks.size());
  for (internal::Outcome<T>& outcome : outcomes) values.push_back(outcome.take());
  co_return values;
}

inline Task<> all(std::vector<Task<>> tasks) {
  internal::Countdown countdown(tasks.size());
  std::vector<internal::Outcome<void>> outcomes(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) internal::start(tasks[i], outcomes[i], countdown);
  co_await countdown;
  for (internal::Outcome<void>& outcome : outcomes) outcome.take();
}

}  // namespace svc::loop
