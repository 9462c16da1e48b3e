#include "stores/functions.h"

#include <chrono>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "ctl/commands/groups.h"
#include "loop/loop.h"
#include "redis/store.h"
#include "text/json.h"

namespace svc::ctl {
namespace {

constexpr std::string_view kState = "state";
constexpr std::string_view kCatalog = "catalog";
constexpr std::string_view kCache = "cache";

// A primary that has just started refuses changes until its replicas are back.
constexpr base::Duration kForReplicas = std::chrono::seconds(30);
constexpr base::Duration kAgain = std::chrono::milliseconds(100);

// Returns false for a replica, which takes the library from its primary.
loop::Task<bool> load_into(redis::Channel& server, loop::Loop& loop) {
  const base::TimePoint until = loop.clock().now() + kForReplicas;
  while (true) {
    redis::Channel::Call call =
        server.call(redis::Channel::Kind::Repeatable,
                    {"FUNCTION", "LOAD", "REPLACE", stores::functions::library()});
    try {
      co_await call;
      co_return true;
    } catch (const redis::ErrorReply& error) {
      const std::string_view why = error.what();
      if (why.starts_with("READONLY")) co_return false;
      if (!why.starts_with("NOREPLICAS") || loop.clock().now() >= until) throw;
    }
    loop::Sleep again(loop, loop.clock().now() + kAgain);
    co_await again;
  }
}

// Returns in how many servers the library is now.
loop::Task<int> load_into(redis::Store& store, loop::Loop& loop) {
  const std::vector<redis::Channel*> primaries = co_await store.primaries();
  int loaded = 0;
  for (redis::Channel* const primary : primaries) {
    const bool is_loaded = co_await load_into(*primary, loop);
    loaded += is_loaded ? 1 : 0;
  }
  co_return loaded;
}

void load(redis::Store& store, std::string_view name, const Context& context) {
  const int loaded = context.store.run(load_into(store, context.store.loop));
  if (loaded == 0) {
    std::cout << "redis-" << name << ": a replica, which takes the functions of its primary\n";
    return;
  }
  std::cout << "redis-" << name << ": the functions of protocol " << stores::functions::kProtocol;
  if (loaded > 1) std::cout << ", in " << loaded << " primaries";
  std::cout << "\n";
}

Outcome load_functions(const Arguments& arguments, Context& context) {
  const std::string which = arguments.operands() > 0 ? arguments.operand(0) : "";
  const auto is_meant = [&which](std::string_view name) { return which.empty() || which == name; };
  if (is_meant(kState)) load(context.state.redis, kState, context);
  const bool is_one = &context.store.redis == &context.state.redis;
  if (is_meant(kCatalog) && !(is_one && which.empty()))
    load(context.store.redis, kCatalog, context);
  if (is_meant(kCache) && context.cache != nullptr) load(*context.cache, kCache, context);
  return kDone;
}

Outcome list_functions(const Arguments& arguments, Context& context) {
  if (arguments.has("--lua") && arguments.json())
    return wrong_call(context, "--lua prints the library, so it takes no --json");
  if (arguments.has("--lua")) {
    std::cout << stores::functions::library();
    return kDone;
  }
  for (const stores::functions::Row& row : stores::functions::kFunctions) {
    if (!arguments.json()) {
      std::cout << row.name << "\n  users    " << row.users << "\n  keys     " << row.keys << "\n";
      continue;
    }
    std::string out;
    text::json::ObjectWriter(out)
        .string("function", row.name)
        .string("users", row.users)
        .string("keys", row.keys)
        .end();
    std::cout << out << "\n";
  }
  return kDone;
}

}  // namespace

Command load_functions_command() {
  return {.name = "catalog load-functions",
          .summary = "Load the functions that Redis runs",
          .syntax = {.operands = {{.takes = Takes::choice("STORE", {kState, kCatalog, kCache}),
                                   .help = "only into the Redis of that setting",
                                   .count = Operand::Count::Optional}}},
          .details = {"As the user loader:",
                      "  svcctl --redis-user loader --redis-password-file \\\n"
                      "    /etc/svc/redis-loader.password catalog load-functions",
                      "Each start of the shipped Redis and each upgrade do so. Loading again "
                      "changes nothing. A pool of the version before goes on with them."},
          .run = load_functions};
}

Command functions_command() {
  return {
      .name = "catalog functions",
      .summary = "Print the functions that Redis runs",
      .syntax = {.flags = {{.name = "--lua", .help = "the library itself"}}, .json = kJsonLines},
      .details = {"Each function, the users of Redis that may call it, and what it does with "
                  "keys of which kinds. For a Redis that svcctl cannot reach:",
                  "  svcctl catalog functions --lua | redis-cli -x FUNCTION LOAD REPLACE"},
      .needs = Needs::Nothing,
      .run = list_functions};
}

}  // namespace svc::ctl
