// Generation: one configuration, with what its files hold, and what workers make of it.
#pragma once

#include "app/options.h"
#include "app/service.h"
#include "base/clock.h"
#include "fastcgi/listen_queue.h"
#include "fastcgi/listening_socket.h"
#include "pool/parent/generation.h"

namespace svc::app {

class Generation : public pool::Generation {
 public:
  // Socket, queue and clock outlive it.
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
  // What its workers have in common, in memory that they inherit.
  cache::Hasher hasher_;
  cache::UsageCounts usage_;
};

}  // namespace svc::app
