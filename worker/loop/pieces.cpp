#include "loop/pieces.h"

namespace svc::loop {

// Awaits the next piece of a request.
class Pieces::Next {
 public:
  explicit Next(Pieces& pieces) : pieces_(pieces) {}
  ~Next() { pieces_.waiting_.remove(this); }
  Next(const Next&) = delete;
  Next& operator=(const Next&) = delete;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    wait_.begin(waiting, pieces_.loop_);
    pieces_.waiting_.push_back(this);
    if (!pieces_.turn_.is_set()) pieces_.turn_.set(pieces_.loop_.clock().now());
  }
  void await_resume() noexcept { wait_.end(); }
  void resume() { wait_.resume_soon(pieces_.loop_); }

 private:
  Pieces& pieces_;
  Wait wait_;
};

Pieces::Pieces(Loop& loop) : loop_(loop), turn_(loop, [this] { begin_turn(); }) {}

void Pieces::begin_turn() {
  bytes_ = 0;
  if (waiting_.empty()) return;
  Next* const next = waiting_.front();
  waiting_.pop_front();
  next->resume();
  if (!waiting_.empty()) turn_.set(loop_.clock().now());
}

Task<> Pieces::add(std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ < kBytes) co_return;
  Next next(*this);
  co_await next;
}

}  // namespace svc::loop
