// Door: makes coroutines wait until the test lets them through.
#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>

namespace svc::fakes {

class Door {
 public:
  // Awaited by a coroutine: `co_await door.pass();`
  class Pass {
   public:
    explicit Pass(Door& door) : door_(door) {}
    ~Pass() {
      if (waiting_) std::erase(door_.waiting_, waiting_);
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = waiting;
      door_.waiting_.push_back(waiting);
    }
    void await_resume() noexcept { waiting_ = nullptr; }

   private:
    Door& door_;
    std::coroutine_handle<> waiting_;
  };
  Pass pass() { return Pass(*this); }

  std::size_t waiting() const { return waiting_.size(); }

  // Resumes the coroutine that has waited longest, or that at position `number`
  // in the order of waiting. Returns when it waits again or ends.
  void let_one_through(std::size_t number = 0) {
    const std::coroutine_handle<> next = waiting_.at(number);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(number));
    next.resume();
  }
  // Resumes all coroutines that wait now.
  void let_all_through() {
    for (std::size_t left = waiting_.size(); left > 0; --left) let_one_through();
  }

 private:
  std::deque<std::coroutine_handle<>> waiting_;
};

}  // namespace svc::fakes
