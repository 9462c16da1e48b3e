// Store: the Redis connection of a command. svcctl is single-threaded and may
// block, so a command is a plain function that waits for one task after
// another.
#pragma once

#include <utility>

#include "base/unavailable.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "redis/store.h"

namespace svc::ctl {

struct Store {
  loop::Loop& loop;
  redis::Store& redis;

  // Runs a task to completion; returns its value or throws its exception. A
  // Redis error reply is thrown as base::Unavailable with the address.
  template <class T>
  T run(loop::Task<T> task) const {
    try {
      return loop.run_until_done(std::move(task));
    } catch (const redis::ErrorReply& error) {
      throw base::Unavailable(redis.address().to_text() + ": " + error.what());
    }
  }

  // Waits for the reply to a command: `store.run(store.redis.get(key))`.
  redis::Reply run(redis::Store::Call&& call) const { return run(reply_to(call)); }

 private:
  static loop::Task<redis::Reply> reply_to(redis::Store::Call& call) {
    redis::Reply reply = co_await call;
    co_return reply;
  }
};

}  // namespace svc::ctl
