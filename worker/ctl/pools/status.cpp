#include "ctl/pools/status.h"

#include <chrono>
#include <iostream>
#include <string>

#include "ctl/pools/pool_status.h"
#include "ctl/pools/pools.h"
#include "ctl/printable.h"
#include "text/json.h"

namespace svc::ctl {
namespace {

constexpr std::chrono::seconds kStatusTimeout{5};

Outcome status(const Arguments& arguments, Context& context) {
  const auto sockets = pool_sockets(arguments, context.pools.pid_file, context.pools);
  if (!sockets) return wrong_call(context, sockets.error());
  int result = kDone;
  std::string json, tables;
  text::json::ArrayWriter array(json);
  for (const std::string& socket : *sockets) {
    const auto pool = ask_status(socket, kStatusTimeout);
    if (!pool) {
      std::cerr << "svcctl status: " << printable(pool.error(), 4096) << "\n";
      result = kStoreAway;
      continue;
    }
    if (arguments.json()) {
      array.next() += pool->json;
      continue;
    }
    if (!tables.empty()) tables += '\n';
    tables += to_text(*pool);
  }
  array.end();
  std::cout << (arguments.json() ? json + '\n' : tables);
  return result;
}

}  // namespace

const Group& status_commands() {
  static const Group kGroup{
      .section = Section::Pools,
      .name = "status",
      .commands = {
          {.name = "status",
           .summary = "Print the status of the pools and their workers",
           .syntax = {.flags = {socket_flag()}, .json = "print a JSON array, one object per pool"},
           .details = {"The numbers are totals since the pool started. 5XX counts responses with a "
                       "status from 500 to 599 except 501 and 503, which have columns of their "
                       "own. 501 is a correct response, for example to a request for the embed "
                       "code of an audio. 503 means that the store is unavailable or that there "
                       "are too many requests.",
                       kWhichPools},
           .needs = Needs::Pools,
           .run = status}}};
  return kGroup;
}

}  // namespace svc::ctl
