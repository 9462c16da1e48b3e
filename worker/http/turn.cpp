#include "http/turn.h"

#include <optional>

namespace svc::http {

loop::Task<bool> have_turn(const Request& request, std::int64_t account, loop::Shares::Use::May may,
                           loop::Loop& loop) {
  if (request.use == nullptr) co_return true;
  const std::optional<base::Duration> wait = request.use->admit(account, may);
  if (!wait) co_return false;
  if (*wait > base::Duration::zero()) {
    if (request.peer != nullptr) request.peer->takes_longer(*wait);
    loop::Sleep sleep(loop, loop.clock().now() + *wait);
    co_await sleep;
  }
  co_return true;
}

}  // namespace svc::http
