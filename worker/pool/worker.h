// Worker: the child. Accepts, answers, until told to stop or until it has done its share.
#pragma once

#include <signal.h>

#include <cstdint>

#include "base/clock.h"
#include "fastcgi/exchange.h"
#include "fastcgi/listener.h"
#include "http/router.h"
#include "pool/scoreboard.h"

namespace svc::pool {

struct WorkerSettings {
  fastcgi::ListenerSettings listener;
  std::uint64_t max_requests = 0;  // 0: no limit; then it drains and is replaced
  std::uint64_t memory_limit = 0;  // bytes of private memory, 0: no limit
  base::Duration drain_timeout = std::chrono::seconds(20);
  bool log_requests = false;
};

// Shares new connections out: a worker stands back while one that is idle holds fewer by two.
class EvenShare : public fastcgi::AcceptPolicy {
 public:
  EvenShare(Scoreboard& scoreboard, Slot& own) : scoreboard_(scoreboard), own_(own) {}
  bool may_accept(std::size_t held) override;

 private:
  Scoreboard& scoreboard_;
  Slot& own_;
};

class Worker : private fastcgi::Progress {
 public:
  // Everything outlives the worker; `socket` is listening.
  Worker(int socket, const WorkerSettings& settings, Scoreboard& scoreboard, Slot& slot,
         const http::Router& router, const base::Clock& clock);

  // Until it is told to end by a signal, or ends by itself. Returns the exit status.
  int run(const sigset_t& waiting);

 private:
  void handling(const http::Request& request) override;
  void writing(int status) override;

  void serve(const fastcgi::Ready& ready);
  bool over_memory_limit();
  std::int64_t now() const;

  const WorkerSettings settings_;
  Slot& slot_;
  const http::Router& router_;
  const base::Clock& clock_;
  EvenShare share_;
  fastcgi::Listener listener_;
  fastcgi::Exchange exchange_;
  bool draining_ = false;
};

}  // namespace svc::pool
