// Door: where coroutines wait until the test lets them through.
#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>

namespace svc::fakes {

class Door {
 public:
  // What a coroutine awaits: `co_await door.pass();`
  struct Pass {
    Door& door;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) const { door.waiting_.push_back(waiting); }
    void await_resume() const noexcept {}
  };
  Pass pass() { return {*this}; }

  std::size_t waiting() const { return waiting_.size(); }

  // Lets through the one that has waited longest, or the one with that number in their order. It
  // runs until it waits again or ends.
  void let_one_through(std::size_t number = 0) {
    const std::coroutine_handle<> next = waiting_.at(number);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(number));
    next.resume();
  }
  // All who wait now.
  void let_all_through() {
    for (std::size_t left = waiting_.size(); left > 0; --left) let_one_through();
  }

 private:
  std::deque<std::coroutine_handle<>> waiting_;
};

}  // namespace svc::fakes
