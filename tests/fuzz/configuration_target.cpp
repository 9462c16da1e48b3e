// The configuration file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "app/options.h"
#include "base/unique_fd.h"
#include "fuzz/target.h"

namespace svc::fuzz {
namespace {

base::Result<app::CommandLine, std::string> read(std::string_view text) {
  // A file in memory, which has a path.
  const base::UniqueFd file(memfd_create("configuration", MFD_CLOEXEC));
  if (!file || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  const char* const words[] = {"svc-worker", "--config", path.c_str()};
  return app::read_command_line(app::Program::Worker, 3, words);
}

void run(std::string_view text) {
  const auto line = read(text);
  if (!line) {
    require(!line.error().empty(), "a refusal has a reason");
    return;
  }
  const auto again = read(line->printed);
  require(static_cast<bool>(again), "a printed configuration is valid");
  require(again->printed == line->printed, "a printed configuration is read as it was written");
  require(!app::changed_for_good(line->options, again->options),
          "a printed configuration is the same for a running pool");
  const app::Options& options = line->options;
  require(options.pool.workers >= 1 && options.pool.workers <= 512, "numbers are within limits");
  require((options.listen_mode & 07) == 0, "others never reach the socket");
  require(options.redis_timeout < options.pool.worker.request_timeout,
          "a store's timeout is shorter than a request's");
}

const Registered registered("configuration", run);

}  // namespace
}  // namespace svc::fuzz
