// Worker: the child process. Accepts connections and serves requests until a
// signal, max_requests or memory_limit ends it.
//
// One thread, one loop. Responses in memory are sent immediately; every other
// request is a coroutine, and many are in flight simultaneously.
#pragma once

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cache/response_cache.h"
#include "fastcgi/listener.h"
#include "fastcgi/request_decoder.h"
#include "http/router.h"
#include "loop/loop.h"
#include "loop/shares.h"
#include "loop/task.h"
#include "pool/metrics/scoreboard.h"

namespace svc::pool {

struct WorkerSettings {
  std::string name;  // the pool's
  fastcgi::ListenerSettings listener;
  std::uint64_t max_requests = 100'000;     // then it drains and is replaced; 0: no limit
  std::uint64_t memory_limit = 128u << 20;  // bytes of private memory; 0: no limit
  base::Duration drain_timeout = std::chrono::seconds(20);
  // A request is answered with a 503 after this time.
  base::Duration request_timeout = std::chrono::seconds(3);
  // Limits for requests that need the store: how many run simultaneously, how
  // many wait for one of these to end, and for how long. Beyond the limits,
  // they are answered with a 503.
  std::size_t max_in_flight = 256;
  std::size_t max_queued = 1024;
  base::Duration queue_timeout = std::chrono::seconds(1);
  bool log_requests = false;
};

// Distributes new connections. A worker does not accept while another serving
// worker holds at least two connections fewer. A worker whose heartbeat is over
// 1.2 s old does not count, nor does a starting or draining one.
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
  // The program's part. `every_second` is called about once per second. `count`
  // is called for every response that counts for an account, before it is sent.
  struct Work {
    cache::ResponseCache& responses;
    std::function<void()> every_second;
    std::function<void(std::int64_t account)> count;
    std::function<void(std::string_view media, std::int64_t link)> count_opening;
    // Returns whether the store replies. A worker that has served max_requests
    // continues until it does, because the successor could not fill its memory
    // before.
    std::function<loop::Task<bool>()> store_answers;
    // What accounts use of the pool; nullptr: not counted.
    loop::Shares* shares = nullptr;
  };

  // All references must outlive the worker. `socket` is listening.
  Worker(int socket, const WorkerSettings& settings, Scoreboard& scoreboard, Slot& slot, Work work,
         loop::Loop& loop);

  // Serves until a signal or a limit ends the worker. Returns the exit status.
  int run(const sigset_t& waiting);

  // Runs one turn of the loop, which waits up to `at_most`, and all work that
  // is due. Returns false once the worker has ended: it drains, and all its
  // connections are closed or it exceeded its drain timeout.
  bool turn(base::Duration at_most, const sigset_t* waiting = nullptr);
  // Stops accepting. Each open connection is closed after its next response;
  // the worker ends when all are closed, or after drain_timeout.
  void drain();
  // Drains, but closes connections without a request immediately, and ends
  // after read_timeout if that is earlier.
  void stop();

 private:
  // A request that is not served from memory.
  struct InFlight : http::Peer {
    bool has_left() const override { return answered || worker->listener_.has_left(fd); }
    void takes_longer(base::Duration by) override;
    explicit InFlight(Worker& of) : worker(&of), task(of.loop_) {}
    // Only requests for the store are for an account.
    void count_use() { request.use = &use.emplace(worker->work_.shares, worker->clock_); }

    Worker* worker;
    int fd = -1;
    std::uint16_t id = 0;
    bool keeps = false;
    std::string text;  // owns the text that `request` refers to
    http::Request request;
    base::TimePoint began{};
    base::TimePoint deadline{};
    cache::Answer answer;
    bool needs_store = true;  // counts towards max_in_flight
    std::optional<loop::Shares::Use> use{};
    bool answered = false;  // possibly before its task has finished
    std::list<InFlight>::iterator place{};
    loop::Scope task;  // last: it ends before what it refers to
  };

  // Answers, starts, queues or refuses the request.
  void take(const fastcgi::Ready& ready);
  void start(InFlight& one);
  loop::Task<> serve(InFlight& one);
  // Cancels the requests whose response is not needed any more: they were
  // answered at their deadline, or their client has left. Only GET and HEAD,
  // because a client that leaves must not keep a change half done; each of its
  // steps ends after a timeout.
  void cut_short();
  // Starts queued requests while fewer than max_in_flight run.
  void start_queued();
  void refuse_late();     // answers queued requests after queue_timeout
  void answer_overdue();  // answers requests after their deadline
  void look_for_overdue(base::TimePoint at);
  void answer_unavailable(InFlight& one);
  void send(InFlight& one);
  void send(int fd, std::uint16_t id, bool keeps, const http::Request& request,
            const cache::Answer& answer, base::TimePoint began);
  // Updates the worker's phase and numbers of requests in the scoreboard.
  void tell_phase();
  void tell_figures();
  // Tells the pool's shares how long the worker has worked.
  void count_work();
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
  // By their number in the router; the last means that no endpoint matched.
  std::vector<std::string> endpoint_names_;
  std::vector<std::size_t> endpoint_numbers_;  // in the scoreboard
  loop::Loop& loop_;
  const base::Clock& clock_;
  EvenShare share_;
  fastcgi::Listener listener_;
  fastcgi::RequestDecoder decoder_;
  base::TimePoint second_at_{};
  base::TimePoint counted_at_ = clock_.now();  // the pool's work is counted until then
  base::Duration counted_wait_{};              // Loop::waited()
  base::Duration counted_help_{};              // Loop::helped()
  std::list<InFlight> in_flight_;              // in order of arrival, queued ones included
  std::list<InFlight> served_now_;  // in this turn; their tasks may not have returned yet
  std::deque<InFlight*> queued_;    // in order of arrival
  std::size_t running_ = 0;         // running requests that need the store
  cache::Answer from_memory_;
  loop::Timer overdue_;
  base::TimePoint overdue_at_{};  // valid while overdue_ is set
  loop::Timer late_;
  std::uint64_t served_ = 0;
  std::uint64_t look_at_memory_at_;
  base::TimePoint ask_store_at_{};
  bool draining_ = false;
  base::TimePoint drain_until_{};
  loop::Scope tasks_;
};

}  // namespace svc::pool
