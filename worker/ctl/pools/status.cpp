#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "ctl/pools/groups.h"
#include "ctl/pools/pool_status.h"
#include "ctl/pools/pools.h"
#include "ctl/pools/recent.h"
#include "ctl/printable.h"
#include "ctl/terminal.h"
#include "text/json.h"

namespace svc::ctl {
namespace {

using namespace std::chrono_literals;

constexpr auto kStatusTimeout = 5s;
constexpr auto kRefresh = 1s;  // of --watch

// One status of the pools: the text to print, and the part for standard error.
struct Look {
  std::string text;
  std::string trouble;
};

// `recent` has an entry per socket; with nullptr the numbers are totals.
Look look(const std::vector<std::string>& sockets, bool json, std::vector<Recent>* recent) {
  std::string array, tables, trouble;
  text::json::ArrayWriter writer(array);
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    auto pool = ask_status(sockets[i], kStatusTimeout);
    if (!pool) {
      trouble += "svcctl status: " + printable(pool.error(), 4096) + "\n";
      continue;
    }
    if (json) {
      writer.next() += pool->json;
      continue;
    }
    if (!tables.empty()) tables += '\n';
    if (recent != nullptr) {
      Recent& of_pool = recent->at(i);
      of_pool.add(*pool, Recent::Clock::now());
      tables += "last " + std::to_string(std::llround(of_pool.seconds())) + " s of ";
      pool = of_pool.work();
    }
    tables += to_text(*pool);
  }
  writer.end();
  return {json ? array + '\n' : tables, trouble};
}

// Ends if nothing reads the output any more, or by a signal.
int watch(const std::vector<std::string>& sockets, bool json) {
  std::vector<Recent> recent(sockets.size());
  const bool clears = is_terminal(STDOUT_FILENO) && !json;
  while (true) {
    const Look now = look(sockets, json, &recent);
    // To the first line, and nothing below it.
    if (clears) write_sequences(STDOUT_FILENO, "\033[H\033[J");
    std::cout << now.text << (json || clears ? "" : "\n") << std::flush;
    std::cerr << now.trouble;
    if (!std::cout) return kDone;
    std::this_thread::sleep_for(kRefresh);
  }
}

Outcome status(const Arguments& arguments, Context& context) {
  const auto sockets = pool_sockets(arguments, context.pools.pid_file, context.pools);
  if (!sockets) return wrong_call(context, sockets.error());
  if (arguments.has("--watch")) return watch(*sockets, arguments.json());
  const Look now = look(*sockets, arguments.json(), nullptr);
  std::cerr << now.trouble;
  std::cout << now.text;
  return now.trouble.empty() ? kDone : kStoreAway;
}

}  // namespace

const Group& status_commands() {
  static const Group kGroup{
      .section = Section::Pools,
      .name = "status",
      .commands = {
          {.name = "status",
           .summary = "Print the status of the pools and their workers",
           .syntax = {.flags = {socket_flag(),
                                {.name = "--watch",
                                 .help = "print it again every second until it is interrupted"}},
                      .json = "print a JSON array, one object per pool"},
           .details = {"The numbers are totals since the pool started; with --watch, of the last "
                       "minute, or since it began. 5XX counts responses with a "
                       "status from 500 to 599 except 501 and 503, which have columns of their "
                       "own. 501 is a correct response, for example to a request for the embed "
                       "code of an audio. 503 means that the store is unavailable or that there "
                       "are too many requests.",
                       kWhichPools},
           .needs = Needs::Pools,
           .only_reads = always,
           .run = status}}};
  return kGroup;
}

}  // namespace svc::ctl
