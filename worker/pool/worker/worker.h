// Worker: the child. Accepts, answers, until told to stop or until it has done its share.
//
// One thread, one loop. What is in memory is answered at once; every other request is a coroutine,
// and many are in flight at the same time.
#pragma once

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cache/response_cache.h"
#include "fastcgi/listener.h"
#include "fastcgi/request_decoder.h"
#include "http/router.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "pool/metrics/scoreboard.h"

namespace svc::pool {

struct WorkerSettings {
  std::string name;  // the pool's
  fastcgi::ListenerSettings listener;
  std::uint64_t max_requests = 100'000;     // then it drains and is replaced; 0: no limit
  std::uint64_t memory_limit = 128u << 20;  // bytes of private memory; 0: no limit
  base::Duration drain_timeout = std::chrono::seconds(20);
  // After which a request is answered with a 503.
  base::Duration request_timeout = std::chrono::seconds(3);
  // Requests that need the store: so many at the same time, and so many that wait for others of
  // them, and how long. Beyond that they are answered with a 503.
  std::size_t max_in_flight = 256;
  std::size_t max_queued = 1024;
  base::Duration queue_timeout = std::chrono::seconds(1);
  bool log_requests = false;
};

// Shares new connections out: a worker stands back while another holds fewer by two. One whose loop
// has not turned for a while does not count.
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
  // What it works for. `every_second` is called now and then; `count` for every answer that counts
  // for an account, before it is sent.
  struct Work {
    cache::ResponseCache& responses;
    std::function<void()> every_second;
    std::function<void(std::int64_t account)> count;
    // Asks the store. A worker that has done its share goes on until it answers, because a
    // successor could not fill its memory before.
    std::function<loop::Task<bool>()> store_answers;
  };

  // Everything outlives the worker; `socket` is listening.
  Worker(int socket, const WorkerSettings& settings, Scoreboard& scoreboard, Slot& slot, Work work,
         loop::Loop& loop);

  // Until it is told to end by a signal, or ends by itself. Returns the exit status.
  int run(const sigset_t& waiting);

  // One turn of the loop, which waits at most `at_most`, and all that is due then. Returns false
  // once the worker has ended.
  bool turn(base::Duration at_most, const sigset_t* waiting = nullptr);
  // Accepts nothing more, and ends when every connection has had its answer.
  void drain();
  // The same, and closes every connection on which no request has begun.
  void stop();

 private:
  // So much longer may a request take that has a password hashed; nginx waits as long
  // (nginx/svc-fastcgi-web.conf).
  static constexpr base::Duration kForAHash = std::chrono::seconds(10);

  // A request that is not answered from memory.
  struct InFlight : http::Peer {
    bool has_left() const override { return answered || worker->listener_.has_left(fd); }
    void takes_longer() override;

    Worker* worker = nullptr;
    int fd = -1;
    std::uint16_t id = 0;
    bool keeps = false;
    std::string text;  // what the request looks into
    http::Request request;
    base::TimePoint began{};
    base::TimePoint deadline{};
    cache::Answer answer;
    bool needs_store = true;  // and so counts among those that may be in flight
    bool answered = false;    // maybe before its task has finished
    std::list<InFlight>::iterator place{};
  };

  // Answers it, has it made, or queues it.
  void take(const fastcgi::Ready& ready);
  void start(InFlight& one);
  loop::Task<> serve(InFlight& one);
  // As many of those that wait as may be in flight now.
  void start_queued();
  void refuse_late();     // those that have waited too long
  void answer_overdue();  // those that are past request_timeout
  void look_for_overdue(base::TimePoint at);
  void answer_unavailable(InFlight& one);
  void send(InFlight& one);
  void send(int fd, std::uint16_t id, bool keeps, const http::Request& request,
            const cache::Answer& answer, base::TimePoint began);
  // For the scoreboard: whether anything is in hand.
  void tell_phase();
  void tell_figures();
  void count(std::size_t route, const cache::Answer& answer, base::Duration took);
  void log_request(const http::Request& request, std::size_t route, const cache::Answer& answer,
                   base::Duration took) const;
  void take_refused(const fastcgi::Refused& refused);
  void retire_if_due();
  loop::Task<> retire_if_store_answers();
  bool over_memory_limit();

  const WorkerSettings settings_;
  Slot& slot_;
  Counters& counters_;
  const Work work_;
  http::Router& router_;
  // By their number in the router; the last stands for no endpoint at all.
  std::vector<std::string> endpoint_names_;
  std::vector<std::size_t> endpoint_numbers_;  // in the scoreboard
  loop::Loop& loop_;
  const base::Clock& clock_;
  EvenShare share_;
  fastcgi::Listener listener_;
  fastcgi::RequestDecoder decoder_;
  base::TimePoint second_at_{};
  std::list<InFlight> in_flight_;  // in the order in which they came; those that wait as well
  std::deque<InFlight*> queued_;   // the same
  std::size_t running_ = 0;        // of those that need the store
  cache::Answer from_memory_;
  loop::Timer overdue_;
  base::TimePoint overdue_at_{};  // if it is set
  loop::Timer late_;
  std::uint64_t served_ = 0;
  std::uint64_t look_at_memory_at_;
  base::TimePoint ask_store_at_{};
  bool draining_ = false;
  base::TimePoint drain_until_{};
};

}  // namespace svc::pool
