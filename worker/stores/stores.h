// Stores: the Redis of grants, tokens and sessions, and that of the catalog (stores/kinds.h): one
// redis::Store, with its connections, if both have the same address.
#pragma once

#include <optional>
#include <utility>

#include "loop/loop.h"
#include "loop/task.h"
#include "redis/store.h"

namespace svc::stores {

class Stores {
 public:
  // Each connects with its first command. If both are one, it has the settings of `of_state`. The
  // loop and the settings' observers must outlive the stores.
  Stores(redis::ConnectionSettings of_state, redis::ConnectionSettings of_catalog,
         loop::Loop& loop) {
    const bool is_one = of_state.address.to_text() == of_catalog.address.to_text();
    if (!is_one) catalog_.emplace(std::move(of_catalog), loop);
    state_.emplace(std::move(of_state), loop);
  }

  redis::Store& state() { return *state_; }
  redis::Store& catalog() { return catalog_ ? *catalog_ : *state_; }

  // Asks each once. Throws base::Unavailable unless all answer.
  loop::Task<> ping() {
    co_await state().ping();
    if (catalog_) co_await catalog_->ping();
  }

 private:
  std::optional<redis::Store> state_;
  std::optional<redis::Store> catalog_;
};

}  // namespace svc::stores
