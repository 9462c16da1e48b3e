// attempt: a task that holds its exception until its value is read. With
// loop::all, results that arrive together are examined in the order of the
// decision:
//
//   auto both = loop::all(loop::attempt(find_client(id)),
//                         loop::attempt(find_token(token)));
//   auto found = co_await both;
//   auto& [client, issued] = found;
//   if (!client.get()) co_return unknown_client();  // find_token() may throw
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include "loop/task.h"

namespace svc::loop {

// The result of a task: a value or an exception.
template <class T>
class Attempt {
 public:
  explicit Attempt(T value) : value_(std::move(value)) {}
  explicit Attempt(std::exception_ptr exception) : exception_(std::move(exception)) {}

  // Throws the exception if there is one.
  T& get() {
    if (exception_) std::rethrow_exception(exception_);
    return *value_;
  }

 private:
  std::optional<T> value_;
  std::exception_ptr exception_;
};

// Never throws: the exception of `task` becomes the result.
template <class T>
Task<Attempt<T>> attempt(Task<T> task) {
  std::exception_ptr exception;
  try {
    T value = co_await task;
    co_return Attempt<T>(std::move(value));
  } catch (...) {
    exception = std::current_exception();
  }
  co_return Attempt<T>(std::move(exception));
}

}  // namespace svc::loop
