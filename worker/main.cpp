// svc-worker: the one file that names every part of the program.

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>

#include "app/options.h"
#include "app/service.h"
#include "app/version.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/standard_streams.h"
#include "fastcgi/listening_socket.h"
#include "pool/hashing_permits.h"
#include "pool/pool.h"

namespace {

using namespace svc;

constexpr int kBadConfiguration = 2;
constexpr int kCannotStart = 1;

int refuse(int status, const std::string& why) {
  std::cerr << "svc-worker: " << why << "\n";
  return status;
}

base::Result<fastcgi::ListeningSocket, std::string> open_socket(const app::Options& options) {
  if (fastcgi::ListeningSocket::was_passed()) {
    return fastcgi::ListeningSocket::inherited(options.roles.to_text());
  }
  if (options.listen.empty()) {
    return base::Refusal{
        std::string("listen is missing: the path of the unix socket that nginx connects to")};
  }
  return fastcgi::ListeningSocket::open(options.listen, options.listen_mode, options.backlog);
}

int run(const app::Options& options) {
  base::log::set_level(options.log_level);
  // What a core of these holds nobody may keep: keys, tokens, passwords.
  const rlimit none{0, 0};
  if (options.roles.grant || options.roles.web) setrlimit(RLIMIT_CORE, &none);
  const auto secrets = app::read_secrets(options);
  if (!secrets) return refuse(kBadConfiguration, secrets.error());
  auto socket = open_socket(options);
  if (!socket) return refuse(kCannotStart, socket.error());
  if (!options.pid_file.empty()) {
    std::ofstream file(options.pid_file, std::ios::trunc);
    if (!(file << getpid() << std::endl)) {
      socket->remove_file();
      return refuse(kCannotStart, "cannot write the pid file " + options.pid_file);
    }
  }
  if (options.redis_state.to_text() == options.redis_cache.to_text()) {
    base::log::warn("store.shared", {{"store", options.redis_state.to_text()},
                                     {"reason",
                                      "redis-state and redis-cache are one: for development only, "
                                      "since a cache may push out secrets"}});
  }
  const base::SteadyClock clock;
  const auto run_worker = [&](const pool::WorkerSettings& settings, pool::Scoreboard& scoreboard,
                              pool::Slot& slot, const sigset_t& waiting) {
    pool::HashingPermits permits(scoreboard, slot, options.pool.workers);
    app::Service service(options, *secrets, permits, clock);
    return pool::Worker(
               socket->fd(), settings, scoreboard, slot, service.router(),
               [&] { service.settle(); }, clock)
        .run(waiting);
  };
  const auto renew_socket = [&] { return socket->renew_if_lost(); };
  const int status = pool::Pool(options.pool, clock, run_worker, renew_socket).run();
  socket->remove_file();
  if (!options.pid_file.empty()) unlink(options.pid_file.c_str());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  base::secure_standard_streams();
  const auto line = app::read_command_line(app::Program::Worker, argc, argv);
  if (!line) return refuse(kBadConfiguration, line.error());
  switch (line->action) {
    case app::Action::Help:
    case app::Action::PrintConfig: std::cout << line->printed; return 0;
    case app::Action::Version: std::cout << "svc-worker " << app::kVersion << "\n"; return 0;
    case app::Action::CheckConfig:
      if (const std::string wrong = app::check_files(line->options); !wrong.empty())
        return refuse(kBadConfiguration, wrong);
      if (const auto secrets = app::read_secrets(line->options); !secrets)
        return refuse(kBadConfiguration, secrets.error());
      std::cout << "the configuration is right\n";
      return 0;
    case app::Action::Run: break;
  }
  return run(line->options);
}
