// Generation: one configuration with the contents of its files, and the memory
// that its workers share.
#pragma once

#include <optional>

#include "app/options.h"
#include "app/service.h"
#include "base/clock.h"
#include "fastcgi/listen_queue.h"
#include "fastcgi/listening_socket.h"
#include "loop/shares.h"
#include "pool/parent/generation.h"

namespace svc::app {

class Generation : public pool::Generation {
 public:
  // Socket, queue and clock must outlive it.
  Generation(Options options, Secrets secrets, const fastcgi::ListeningSocket& socket,
             fastcgi::ListenQueue& queue, const base::Clock& clock);

  const pool::PoolSettings& settings() const override { return options_.pool; }
  void take_over() override;
  int run(const pool::WorkerSettings& settings, pool::Scoreboard& scoreboard, pool::Slot& slot,
          const sigset_t& waiting) override;

 private:
  const Options options_;
  const Secrets secrets_;
  const fastcgi::ListeningSocket& socket_;
  fastcgi::ListenQueue& queue_;  // the parent's
  const base::Clock& clock_;
  // Shared by its workers, which inherit it by fork().
  cache::Hasher hasher_;
  cache::UsageCounts usage_;
  std::optional<viewing::Table> viewing_;
  std::optional<loop::Shares> shares_;
};

}  // namespace svc::app
