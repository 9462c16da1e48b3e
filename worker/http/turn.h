// have_turn: a request that is for an account waits until it is the account's turn.
#pragma once

#include <cstdint>

#include "http/request.h"
#include "loop/loop.h"
#include "loop/shares.h"
#include "loop/task.h"

namespace svc::http {

// Waits for up to loop::Shares::kWindow. Returns false if the account has used its share of the
// pool, and the request may be refused. The request outlives the task.
loop::Task<bool> have_turn(const Request& request, std::int64_t account, loop::Shares::Use::May may,
                           loop::Loop& loop);

}  // namespace svc::http
