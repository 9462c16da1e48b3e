// Worker: the child. Accepts, answers, until told to stop or until it has done its share.
#pragma once

#include <signal.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cache/front.h"
#include "fastcgi/exchange.h"
#include "fastcgi/listener.h"
#include "http/router.h"
#include "pool/hashing_permits.h"
#include "pool/scoreboard.h"

namespace svc::pool {

struct WorkerSettings {
  std::string name;  // the pool's
  fastcgi::ListenerSettings listener;
  std::uint64_t max_requests = 0;  // 0: no limit; then it drains and is replaced
  std::uint64_t memory_limit = 0;  // bytes of private memory, 0: no limit
  base::Duration drain_timeout = std::chrono::seconds(20);
  bool log_requests = false;
};

// Shares new connections out: a worker stands back while one that is idle holds fewer by two. One
// that has not looked up for a while is not idle, whatever its slot says.
class EvenShare : public fastcgi::AcceptPolicy {
 public:
  EvenShare(Scoreboard& scoreboard, Slot& own, const base::Clock& clock)
      : scoreboard_(scoreboard), own_(own), clock_(clock) {}
  bool may_accept(std::size_t held) override;

 private:
  Scoreboard& scoreboard_;
  Slot& own_;
  const base::Clock& clock_;
};

class Worker {
 public:
  // What it works for. `after_round` is called behind each round of answers, so that nothing asked
  // for early is left over; `every_second` now and then, and at the end; `count` for every answer
  // that counts for an account, before it is sent.
  struct Work {
    cache::Front& front;
    std::function<void()> after_round;
    std::function<void()> every_second;
    std::function<void(std::int64_t account)> count;
    HashingPermits& permits;  // where requests wait that are set aside
  };

  // Everything outlives the worker; `socket` is listening.
  Worker(int socket, const WorkerSettings& settings, Scoreboard& scoreboard, Slot& slot, Work work,
         const base::Clock& clock);

  // Until it is told to end by a signal, or ends by itself. Returns the exit status.
  int run(const sigset_t& waiting);

 private:
  // Answers all that is ready, in one round: first every endpoint is told what is coming, then they
  // answer one after the other.
  void serve(std::span<const fastcgi::Ready> ready);
  // What was set aside and is due now: what waited in vain, and one that may go on.
  void serve_waiting();
  void hear();
  // Tells the scoreboard whose request is in hand, and gives the moment.
  std::int64_t begin(const http::Request& request);
  void send(fastcgi::Exchange& exchange, const cache::Answer& answer, std::int64_t began);
  void finish(const fastcgi::Exchange& exchange, int fd);
  void count(std::size_t route, const cache::Answer& answer, base::Duration took);
  void log_request(const http::Request& request, std::size_t route, const cache::Answer& answer,
                   base::Duration took) const;
  void tell_figures();
  void take_refused(const fastcgi::Refused& refused);
  bool over_memory_limit();
  std::int64_t now() const;

  const WorkerSettings settings_;
  Slot& slot_;
  Counters& counters_;
  const Work work_;
  http::Router& router_;
  // By their number in the router; the last stands for no endpoint at all.
  std::vector<std::string> endpoint_names_;
  std::vector<std::size_t> endpoint_numbers_;  // in the scoreboard
  const base::Clock& clock_;
  EvenShare share_;
  fastcgi::Listener listener_;
  base::TimePoint hear_at_{};
  base::TimePoint second_at_{};
  std::vector<std::unique_ptr<fastcgi::Exchange>>
      exchanges_;  // as many as the largest round needed
  enum class State : std::uint8_t { Done, First, Second, Last };
  struct Pending {
    State state = State::Done;
    cache::Ticket ticket;
  };
  std::vector<Pending> pending_;
  // A request that waits: http::Response::place.
  struct Waiting {
    std::uint32_t place = 0;
    std::unique_ptr<fastcgi::Exchange> exchange;
    int fd = -1;
    std::int64_t began = 0;
  };
  std::vector<Waiting> waiting_;
  bool draining_ = false;
};

}  // namespace svc::pool
