#include "ctl/pools/top.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctl/pools/pool_client.h"
#include "ctl/pools/pools.h"
#include "ctl/pools/recent.h"
#include "ctl/pools/screen.h"
#include "ctl/pools/top_view.h"
#include "ctl/terminal.h"

namespace svc::ctl {
namespace {

using namespace std::chrono_literals;
using Clock = Recent::Clock;

// Timeout of a status request.
constexpr auto kTopTimeout = 2s;
constexpr auto kDefaultInterval = 2'000ms;

// Requests the status of a pool repeatedly, without blocking.
class WatchedPool {
 public:
  WatchedPool(std::string socket, std::chrono::milliseconds interval)
      : socket_(std::move(socket)),
        name_(std::filesystem::path(socket_).stem().string()),
        interval_(interval) {}

  // Starts, continues or abandons a request, whichever is due.
  void advance(Clock::time_point now) {
    if (!request_ && now >= next_) {
      request_.emplace(socket_, "/status");
      asked_ = now;
      next_ = now + interval_;
    }
    if (!request_) return;
    if (auto answer = request_->advance()) {
      request_.reset();
      take(*answer, now);
    } else if (now >= asked_ + kTopTimeout) {
      request_.reset();
      trouble_ = socket_ + ": no answer in time";
    }
  }

  // Returns -1 if it waits only for due().
  int fd() const { return request_ ? request_->fd() : -1; }
  // Returns the time when advance() must be called even if nothing arrives.
  Clock::time_point due() const { return request_ ? asked_ + kTopTimeout : next_; }
  PoolView view() const { return {name_, trouble_, recent_.is_empty() ? nullptr : &recent_}; }

 private:
  void take(const PoolAnswer& answer, Clock::time_point now) {
    trouble_ = answer ? "" : answer.error();
    if (!answer) return;
    auto status = parse_pool_status(*answer);
    if (!status) {
      trouble_ = socket_ + ": " + status.error();
      return;
    }
    name_ = status->pool;
    recent_.add(std::move(*status), now, interval_);
  }

  std::string socket_;
  std::string name_;
  std::chrono::milliseconds interval_;
  std::optional<PoolRequest> request_;
  Clock::time_point asked_;
  Clock::time_point next_;  // initially: immediately
  std::string trouble_;
  Recent recent_;
};

Outcome top(const Arguments& arguments, Context& context) {
  const auto sockets = pool_sockets(arguments, context.pools.pid_file, context.pools);
  if (!sockets) return wrong_call(context, sockets.error());
  if (!is_terminal(STDIN_FILENO) || !is_terminal(STDOUT_FILENO))
    return wrong_call(context, "needs a terminal; svcctl status does not");
  const char* const type = std::getenv("TERM");
  if (type == nullptr || std::string_view(type) == "dumb" || *type == '\0')
    return wrong_call(context, "TERM must name a terminal that can move the cursor");
  const auto interval = arguments.seconds("--interval").value_or(kDefaultInterval);
  std::vector<WatchedPool> pools;
  for (const std::string& socket : *sockets) pools.emplace_back(socket, interval);
  TopView view;
  Screen screen;
  std::string typed;
  bool goes_on = true;
  while (goes_on) {
    std::vector<PoolView> shown;
    std::vector<int> waited;
    Clock::time_point until = Clock::time_point::max();
    for (WatchedPool& pool : pools) {
      pool.advance(Clock::now());
      shown.push_back(pool.view());
      if (pool.fd() >= 0) waited.push_back(pool.fd());
      until = std::min(until, pool.due());
    }
    const Screen::Size size = Screen::size();
    Screen::show(view.lines(shown, size.rows, size.columns));
    goes_on = screen.wait(waited, until, typed);
    for (const char key : take_keys(typed)) goes_on = view.press(key) && goes_on;
  }
  return kDone;
}

}  // namespace

const Group& top_commands() {
  static const Group kGroup{
      .section = Section::Pools,
      .name = "top",
      .commands = {
          {.name = "top",
           .summary = "Show what the pools and their workers do now; q ends it",
           .syntax = {.flags = {socket_flag(),
                                {.name = "--interval",
                                 .takes = Takes::seconds(),
                                 .help = "interval of requests to the pools; default 2"}}},
           .details =
               {"The numbers are for the last minute, or since top was started or the pool "
                "restarted; LAST is that time. TOTAL is since the pool started. BUSY contains "
                "the worker that answers top. 5XX does not count 501 and 503.",
                "  w               switch between endpoints and workers\n"
                "  r e p n         sort endpoints by requests/s, errors, p99 or name\n"
                "  r s i n         sort workers by requests/s, time since their request or\n"
                "                  phase began, pid or path\n"
                "                  the same key again reverses the order\n"
                "  arrows, j, k    scroll by a line\n"
                "  PgUp, PgDn      scroll by a page, as b and space\n"
                "  Home, End       scroll to the first or last line, as g and G\n"
                "  q, Ctrl-C       end",
                kWhichPools},
           .needs = Needs::Pools,
           .run = top}}};
  return kGroup;
}

}  // namespace svc::ctl
