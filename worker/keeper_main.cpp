// svc-keeper: marks the folders of films that are not open to all, so that nginx refuses their
// files. It has no network and parses nothing that strangers sent.

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "app/interruption.h"
#include "app/options.h"
#include "app/program.h"
#include "app/store_secrets.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/process_title.h"
#include "base/service_manager.h"
#include "base/surroundings.h"
#include "keeper/guard_jobs.h"
#include "loop/loop.h"
#include "redis/store.h"

namespace {

using namespace svc;

int refuse(int status, const std::string& why) {
  return app::refuse(app::Program::Keeper, status, why);
}

// Works with these settings until a signal arrives. Returns the exit status.
int work(const app::Options& options, const base::ServiceManager& manager) {
  base::log::set_level(options.log_level);
  const auto secrets = app::read_store_secrets(options);
  if (!secrets) return refuse(app::kBadConfiguration, secrets.error());
  if (access(options.media_dir.c_str(), R_OK | X_OK) != 0)
    return refuse(app::kCannotStart, options.media_dir + ": " + std::strerror(errno));
  const base::SteadyClock clock;
  const base::SystemClock time;
  loop::Loop loop(clock);
  redis::Store store(app::catalog_connection(options, *secrets, "svc-keeper"), loop);
  const base::Surroundings surroundings{.should_stop = app::is_interrupted,
                                        .alive = [&] { manager.send("WATCHDOG=1"); },
                                        .pause = app::pause};
  manager.send("READY=1");
  keeper::GuardJobs(store, loop, options.media_dir, time, surroundings).run();
  return 0;
}

int run(app::Options options, int argc, char** argv) {
  base::set_process_title("svc-keeper: closed films", "svc-keeper");
  const base::ServiceManager manager = base::ServiceManager::from_environment();
  const int status =
      app::work_until_stopped(app::Program::Keeper, std::move(options), argc, argv,
                              [&](const app::Options& present) { return work(present, manager); });
  manager.send("STOPPING=1");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  argv = base::keep_arguments(argc, argv);
  const app::Protection protection;
  try {
    return app::run_program(
        {.program = app::Program::Keeper,
         .run = [&](const app::CommandLine& line) { return run(line.options, argc, argv); }},
        argc, argv);
  } catch (const std::system_error& error) {
    return refuse(app::kCannotStart, error.what());
  }
}
