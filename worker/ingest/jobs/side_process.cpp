#include "ingest/jobs/side_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include "base/log.h"

namespace svc::ingest {
namespace {

using namespace std::chrono_literals;

constexpr const char* kVariable = "SVC_INGEST_LANE";
constexpr auto kStartAgain = 1s;
constexpr auto kPatience = 10s;  // for its end
constexpr auto kLook = 10ms;

}  // namespace

Side SideProcess::here() { return getenv(kVariable) == nullptr ? Side::All : Side::Short; }

void SideProcess::keep(base::TimePoint now) {
  int status = 0;
  if (process_ > 0 && waitpid(process_, &status, WNOHANG) == process_) {
    base::log::error("ingest.process_ended", {{"process", name().suffix}, {"status", status}});
    process_ = 0;
  }
  if (process_ > 0 || now < next_start_) return;
  next_start_ = now + kStartAgain;
  const pid_t parent = getpid();
  const std::string suffix(name().suffix);
  const pid_t child = fork();
  if (child < 0) {
    base::log::error("ingest.process_ended",
                     {{"process", name().suffix}, {"reason", std::strerror(errno)}});
    return;
  }
  if (child > 0) {
    process_ = child;
    return;
  }
  // Only the first process speaks with the service manager.
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent ||
      setenv(kVariable, suffix.c_str(), 1) != 0 || unsetenv("NOTIFY_SOCKET") != 0)
    _exit(1);
  execv("/proc/self/exe", arguments_);
  _exit(1);
}

void SideProcess::end() {
  if (process_ <= 0) return;
  const pid_t process = std::exchange(process_, 0);
  kill(process, SIGTERM);
  for (auto waited = 0ms; waited < kPatience; waited += kLook) {
    if (waitpid(process, nullptr, WNOHANG) != 0) return;
    const timespec time{0, std::chrono::nanoseconds(kLook).count()};
    nanosleep(&time, nullptr);
  }
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

}  // namespace svc::ingest
