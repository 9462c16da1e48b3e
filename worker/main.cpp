// svc-worker: the only file that names every part of the program.

#include <unistd.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/generation.h"
#include "app/options.h"
#include "app/program.h"
#include "app/routes.h"
#include "app/service.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/process_title.h"
#include "fastcgi/listen_queue.h"
#include "fastcgi/listening_socket.h"
#include "pool/parent/generation.h"
#include "pool/parent/pool.h"

namespace {

using namespace svc;

int refuse(int status, const std::string& why) {
  return app::refuse(app::Program::Worker, status, why);
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

// Reads the configuration again. Settings of the socket cannot change.
base::Result<app::Options, std::string> read_again(const app::Options& now, int argc,
                                                   const char* const* argv) {
  auto line = app::read_command_line(app::Program::Worker, argc, argv);
  if (!line) return base::Refusal{line.error()};
  if (const auto name = app::changed_for_good(now, line->options)) {
    return base::Refusal{*name + " cannot change while the pool runs; restart it"};
  }
  return std::move(line->options);
}

int run(const app::Options& options, int argc, const char* const* argv) {
  base::log::set_level(options.log_level);
  base::log::set_pool(options.pool.name);
  base::set_process_title("svc-worker: pool " + options.pool.name, "svc-pool-" + options.pool.name);
  auto secrets = app::read_secrets(options);
  if (!secrets) return refuse(app::kBadConfiguration, secrets.error());
  auto socket = open_socket(options);
  if (!socket) return refuse(app::kCannotStart, socket.error());
  if (!options.pid_file.empty()) {
    std::ofstream file(options.pid_file, std::ios::trunc);
    if (!(file << getpid() << std::endl)) {
      socket->remove_file();
      return refuse(app::kCannotStart, "cannot write the pid file " + options.pid_file);
    }
  }
  const base::SteadyClock clock;
  fastcgi::ListenQueue queue(socket->take_netlink());
  const auto make = [&](const app::Options& with, app::Secrets&& secret) {
    return std::unique_ptr<pool::Generation>(
        std::make_unique<app::Generation>(with, std::move(secret), *socket, queue, clock));
  };
  const pool::Program program{
      [&]() -> base::Result<std::unique_ptr<pool::Generation>, std::string> {
        const auto next = read_again(options, argc, argv);
        if (!next) return base::Refusal{next.error()};
        auto its_secrets = app::read_secrets(*next);
        if (!its_secrets) return base::Refusal{its_secrets.error()};
        return make(*next, std::move(*its_secrets));
      },
      [&] { return socket->renew_if_lost(); },
      [&]() -> std::optional<pool::Program::Queue> {
        const auto lengths = queue.look(socket->fd());
        if (!lengths) return std::nullopt;
        return pool::Program::Queue{lengths->waiting, lengths->limit};
      }};
  const int status = pool::Pool(make(options, std::move(*secrets)), clock, program).run();
  socket->remove_file();
  if (!options.pid_file.empty()) unlink(options.pid_file.c_str());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  argv = base::keep_arguments(argc, argv);
  const app::Protection protection;
  const auto check = [](const app::Options& options) -> std::string {
    if (std::string wrong = app::check_files(app::Program::Worker, options); !wrong.empty())
      return wrong;
    const auto secrets = app::read_secrets(options);
    return secrets ? "" : secrets.error();
  };
  return app::run_program(
      {.program = app::Program::Worker,
       .run = [&](const app::CommandLine& line) { return run(line.options, argc, argv); },
       .check = check,
       .routes = app::routes_json},
      argc, argv);
}
