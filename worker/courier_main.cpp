// svc-courier: fetches the documents of clients whose client_id is a URL. The only program with a
// network: workers ask it through Redis, and it knows no key, token or user.

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "app/options.h"
#include "app/program.h"
#include "app/store_secrets.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "base/log.h"
#include "base/process_title.h"
#include "base/service_manager.h"
#include "courier/fetcher.h"
#include "courier/jobs/runner.h"
#include "loop/loop.h"
#include "oauth/document_client.h"
#include "redis/store.h"
#include "stores/access/client_documents.h"
#include "stores/audit.h"

namespace {

using namespace svc;

constexpr std::array kStops{SIGTERM, SIGINT};
constexpr base::Duration kReportEvery = std::chrono::seconds(5);  // to the service manager
// More than what next() blocks.
constexpr std::chrono::seconds kNextTimeout{2 * stores::DocumentJobs::kBlock};

volatile sig_atomic_t stopped = 0;
volatile sig_atomic_t reloads = 0;
void stop(int) { stopped = 1; }
void reload(int) { reloads = 1; }

int refuse(int status, const std::string& why) {
  return app::refuse(app::Program::Courier, status, why);
}

// Runs turns of the loop until a signal arrives.
void serve(loop::Loop& loop, const base::ServiceManager& manager, const sigset_t& waiting) {
  while (stopped == 0 && reloads == 0) {
    manager.send("WATCHDOG=1");
    loop.turn(kReportEvery, &waiting);
  }
}

// Serves with these settings until a signal arrives. Returns why they cannot be used.
std::string serve_with(const app::Options& options, const base::ServiceManager& manager,
                       const sigset_t& waiting) {
  base::log::set_level(options.log_level);
  const base::SteadyClock clock;
  loop::Loop loop(clock);
  if (!options.limits.documents.is_on()) {
    manager.send("READY=1");
    serve(loop, manager, waiting);
    return "";
  }
  const auto secrets = app::read_store_secrets(options);
  if (!secrets) return secrets.error();
  const auto tls = base::TlsClient::load(options.courier_tls, "courier");
  if (!tls) return tls.error();
  redis::Store store(app::catalog_connection(options, *secrets, "svc-courier"), loop);
  redis::ConnectionSettings taking = app::catalog_connection(options, *secrets, "svc-courier:jobs");
  taking.timeout = kNextTimeout;
  redis::Store jobs_store(std::move(taking), loop);
  const base::SystemClock time;
  base::SystemEntropy entropy;
  stores::Audit audit(store);
  stores::DocumentJobs jobs(store, jobs_store, entropy, time);
  courier::Fetcher fetcher(*tls, oauth::kMaxDocument, options.limits.documents.allow_loopback,
                           loop);
  courier::Runner runner(jobs, fetcher, audit, options.limits.documents, loop);
  runner.start();
  manager.send("READY=1");
  serve(loop, manager, waiting);
  return "";
}

int run(app::Options options, int argc, char** argv) {
  base::set_process_title("svc-courier: client ID metadata documents", "svc-courier");
  const base::ServiceManager manager = base::ServiceManager::from_environment();
  struct sigaction action {};
  action.sa_handler = stop;
  for (const int signal : kStops) sigaction(signal, &action, nullptr);
  action.sa_handler = reload;
  sigaction(SIGHUP, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
  sigset_t held;
  sigset_t waiting;
  sigemptyset(&held);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&held, signal);
  sigprocmask(SIG_BLOCK, &held, &waiting);
  while (stopped == 0) {
    if (const std::string why = serve_with(options, manager, waiting); !why.empty())
      return refuse(app::kBadConfiguration, why);
    if (std::exchange(reloads, 0) == 0) continue;
    const auto line = app::read_command_line(app::Program::Courier, argc, argv);
    std::string wrong =
        line ? app::check_store_files(app::Program::Courier, line->options) : line.error();
    if (wrong.empty()) {
      options = line->options;
      base::log::info("courier.reloaded", {});
    } else {
      base::log::error("courier.reload_refused", {{"reason", wrong}});
    }
  }
  manager.send("STOPPING=1");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  argv = base::keep_arguments(argc, argv);
  const app::Protection protection;
  try {
    return app::run_program(
        {.program = app::Program::Courier,
         .run = [&](const app::CommandLine& line) { return run(line.options, argc, argv); }},
        argc, argv);
  } catch (const std::system_error& error) {
    return refuse(app::kCannotStart, error.what());
  }
}
