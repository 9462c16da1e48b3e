#include "http/turn.h"

namespace svc::http {

loop::Task<bool> have_turn(const Request& request, std::int64_t account, loop::Shares::Use::May may,
                           loop::Loop& loop) {
  if (request.use == nullptr) co_return true;
  const loop::Shares::Use::Turn turn = request.use->admit(account, may);
  if (turn.wait > base::Duration::zero()) {
    if (request.peer != nullptr) request.peer->takes_longer(turn.wait);
    loop::Sleep sleep(loop, loop.clock().now() + turn.wait);
    co_await sleep;
  }
  co_return !turn.is_refused;
}

}  // namespace svc::http
