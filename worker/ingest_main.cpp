// svc-ingest: turns uploads into media that play. Two processes per machine, each
// with one job at a time: the first takes all uploads, the second short uploads only.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>

#include "app/interruption.h"
#include "app/options.h"
#include "app/program.h"
#include "app/store_secrets.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/process_title.h"
#include "base/service_manager.h"
#include "base/surroundings.h"
#include "base/unique_fd.h"
#include "ingest/files.h"
#include "ingest/jobs/runner.h"
#include "ingest/jobs/side_process.h"
#include "ingest/processors.h"
#include "loop/loop.h"
#include "redis/store.h"

namespace {

using namespace svc;

constexpr std::chrono::seconds kAskDiskAgain(1);

int refuse(int status, const std::string& why) {
  return app::refuse(app::Program::Ingest, status, why);
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  std::string text(name.data());
  for (char& c : text) {
    if (c == '/') c = '_';
  }
  return text;
}

// A disk that cannot store files now delays the start, as it delays jobs.
base::UniqueFd open_lock(const std::string& path, const base::ServiceManager& manager) {
  bool said = false;
  while (true) {
    base::UniqueFd lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    const int error = errno;
    const bool may_pass = error == ENOSPC || error == EDQUOT || error == EROFS;
    if (lock || !may_pass || app::is_interrupted()) {
      errno = error;
      return lock;
    }
    if (!said) {
      base::log::error("ingest.no_room", {{"reason", ingest::why_not_stored(error)}});
      manager.send("READY=1");
      said = true;
    }
    manager.send("WATCHDOG=1");
    app::pause(kAskDiskAgain);
  }
}

int run(const app::Options& options, char** arguments, const base::ServiceManager& manager) {
  base::log::set_level(options.log_level);
  const auto secrets = app::read_store_secrets(options);
  if (!secrets) return refuse(app::kBadConfiguration, secrets.error());
  const ingest::Side side = ingest::SideProcess::here();
  const bool is_first = side == ingest::Side::All;
  const ingest::SideName& name = ingest::kSides[static_cast<std::size_t>(side)];
  base::set_process_title(name.title, name.process_name);
  // The consumer's name is that of the machine and lane, so a second process would
  // take the jobs of the first.
  const std::string consumer = host_name() + (is_first ? "" : "." + std::string(name.suffix));
  const std::string lock_file = options.media_dir + "/.ingest-" + consumer + ".lock";
  const base::UniqueFd lock = open_lock(lock_file, manager);
  if (app::is_interrupted()) return 0;
  if (!lock) return refuse(app::kCannotStart, lock_file + ": " + std::strerror(errno));
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return refuse(app::kCannotStart,
                  "another svc-ingest of this machine uses " + options.media_dir);
  if (access(options.upload_dir.c_str(), R_OK | W_OK | X_OK) != 0)
    return refuse(app::kCannotStart, options.upload_dir + ": " + std::strerror(errno));
  if (is_first) ingest::leave_a_processor();  // the others have its processors
  const base::SteadyClock clock;
  const base::SystemClock time;
  loop::Loop loop(clock);
  redis::Store store(app::catalog_connection(options, *secrets, "svc-ingest"), loop);
  ingest::SideProcess short_lane(ingest::Side::Short, arguments);
  const auto alive = [&] {
    manager.send("WATCHDOG=1");
    if (is_first) short_lane.keep(clock.now());
  };
  const base::Surroundings surroundings{
      .should_stop = app::is_interrupted, .alive = alive, .pause = app::pause};
  manager.send("READY=1");
  try {
    ingest::Runner(store, loop, {options.upload_dir, options.media_dir}, {},
                   std::chrono::days(options.failed_upload_days), consumer, time, surroundings,
                   is_first ? ingest::Lane() : ingest::kShortLane)
        .run();
  } catch (const std::system_error& error) {
    return refuse(app::kCannotStart, error.what());
  }
  manager.send("STOPPING=1");
  return 0;
}

int run_until_stopped(const app::Options& options, int argc, char** argv) {
  const base::ServiceManager manager = base::ServiceManager::from_environment();
  return app::work_until_stopped(
      app::Program::Ingest, options, argc, argv,
      [&](const app::Options& present) { return run(present, argv, manager); });
}

}  // namespace

int main(int argc, char** argv) {
  argv = base::keep_arguments(argc, argv);
  const app::Protection protection;
  return app::run_program({.program = app::Program::Ingest,
                           .run =
                               [&](const app::CommandLine& line) {
                                 return run_until_stopped(line.options, argc, argv);
                               }},
                          argc, argv);
}
