// Task: a coroutine that computes one value; the only coroutine type of this
// project that others await.
//
// A task starts when it is awaited and runs in the thread that awaits it. An
// exception that leaves the coroutine is thrown at its `co_await`.
//
// A task that waits is cancelled by destroying it: a frame owns the task that it
// awaits, so the whole chain ends where it waits. Destructors run, and no
// statement after the `co_await`. A task that runs must not be destroyed.
//
// The compilers that we support have bugs in coroutines. Rules that avoid these
// and common mistakes:
//  - A coroutine is a named function, never a lambda (C++ Core Guidelines
//    CP.51).
//  - An expression with `co_await` contains no lambda with captures, no
//    temporary with a destructor, and no braced list. Name it on the line
//    before.
//  - No `co_await` inside `?:`, `&&` or `||`; no `auto [a, b] = co_await …`.
//  - A parameter is a value, or a reference to an object that outlives the
//    task. Never a view of a temporary: the frame stores the view, not the
//    object.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace svc::loop {

template <class T = void>
class Task;

namespace internal {

// Resumes the awaiting coroutine by a tail call, so that a chain of tasks that
// never wait does not grow the stack. Under the sanitizers GCC makes no tail
// call here: there, some thousand finished tasks in a row exhaust the stack.
struct ResumeAwaiting {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) const noexcept {
    return done.promise().awaiting;
  }
  void await_resume() const noexcept {}
};

struct PromiseBase {
  std::coroutine_handle<> awaiting = std::noop_coroutine();
  std::exception_ptr exception;

  std::suspend_always initial_suspend() const noexcept { return {}; }
  ResumeAwaiting final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { exception = std::current_exception(); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;

  Task<T> get_return_object() noexcept;
  template <class Value>
  void return_value(Value&& returned) {
    value.emplace(std::forward<Value>(returned));
  }
  T take() {
    if (exception) std::rethrow_exception(exception);
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void take() const {
    if (exception) std::rethrow_exception(exception);
  }
};

}  // namespace internal

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) noexcept : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // A task is awaited at most once.
  auto operator co_await() noexcept {
    struct Awaiter {
      Handle handle;
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
        handle.promise().awaiting = awaiting;
        return handle;
      }
      T await_resume() const { return handle.promise().take(); }
    };
    return Awaiter{handle_};
  }

 private:
  Handle handle_;
};

namespace internal {

template <class T>
Task<T> Promise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

}  // namespace internal
}  // namespace svc::loop
