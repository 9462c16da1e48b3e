#include "ingest/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <optional>
#include <thread>

#include "base/unique_fd.h"
#include "ingest/landlock.h"
#include "ingest/system_calls.h"

namespace svc::ingest {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTick = std::chrono::seconds(1);
// Libraries, their cache, and the files that the C library reads at the start.
constexpr std::array kSystemPaths{"/usr",
                                  "/lib",
                                  "/lib64",
                                  "/etc/ld.so.cache",
                                  "/dev/urandom",
                                  "/proc/cpuinfo",
                                  "/sys/devices/system/cpu"};
// Threads share two heaps: each heap reserves address space, which RLIMIT_AS
// counts.
constexpr std::array kEnvironment{"PATH=/usr/bin", "LC_ALL=C", "MALLOC_ARENA_MAX=2",
                                  "AV_LOG_FORCE_NOCOLOR=1"};

// The step that failed in the child, sent through a pipe that exec() closes.
enum class Step : int { Streams, Group, Limits, Parent, Privileges, Landlock, Calls, Folder, Exec };
struct Report {
  Step step;
  int error;
};

std::string_view name_of(Step step) {
  constexpr std::array<std::string_view, 9> kNames{"streams",      "group",      "limits",
                                                   "parent",       "privileges", "landlock",
                                                   "system calls", "folder",     "exec"};
  return kNames[static_cast<std::size_t>(step)];
}

struct Pipe {
  base::UniqueFd read;
  base::UniqueFd write;
};

bool open_pipe(Pipe& made) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  made.read.reset(ends[0]);
  made.write.reset(ends[1]);
  return true;
}

// Everything that the child needs, made before fork(): after it only
// async-signal-safe functions are allowed.
struct Plan {
  std::vector<char*> words;
  std::vector<char*> environment;
  std::vector<sock_filter> filter;
  const char* folder;
  int ruleset;
  int input;
  int output;
  int errors;
  int report;
  pid_t parent;
  std::array<std::pair<__rlimit_resource, rlim_t>, 5> limits;
};

[[noreturn]] void give_up(int report, Step step) {
  const Report message{step, errno};
  [[maybe_unused]] const ssize_t sent = write(report, &message, sizeof message);
  _exit(127);
}

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(const Plan& plan) {
  reset_signals();
  // Above all others first, so that dup2() does not overwrite one of them.
  const int report = fcntl(plan.report, F_DUPFD, 16);
  const int input = fcntl(plan.input, F_DUPFD, 16);
  const int output = fcntl(plan.output, F_DUPFD, 16);
  const int errors = fcntl(plan.errors, F_DUPFD, 16);
  const int ruleset = plan.ruleset < 0 ? -1 : fcntl(plan.ruleset, F_DUPFD, 16);
  if (report < 0) _exit(127);
  if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0)
    give_up(report, Step::Streams);
  if (setpgid(0, 0) != 0) give_up(report, Step::Group);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != plan.parent)
    give_up(report, Step::Parent);
  umask(022);
  if (chdir(plan.folder) != 0) give_up(report, Step::Folder);
  for (const auto& [resource, most] : plan.limits) {
    const rlimit limit{most, most};
    if (setrlimit(resource, &limit) != 0) give_up(report, Step::Limits);
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up(report, Step::Privileges);
  if (ruleset >= 0 && !restrict_self(ruleset)) give_up(report, Step::Landlock);
  if (!apply_filter(plan.filter)) give_up(report, Step::Calls);
  if (dup2(report, 3) < 0 || fcntl(3, F_SETFD, FD_CLOEXEC) != 0) give_up(report, Step::Streams);
  if (close_range(4, std::numeric_limits<unsigned>::max(), 0) != 0) give_up(3, Step::Streams);
  execve(plan.words.front(), plan.words.data(), plan.environment.data());
  give_up(3, Step::Exec);
}

std::chrono::microseconds duration_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

// Owns the child: kills its group and reaps it at the latest when destroyed.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {
    setpgid(pid, pid);  // the child does it too; the first of the two wins
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end(); }

  // Returns true if it has ended. Does not reap it.
  bool has_ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }

  // Kills the group and returns the wait status. The group's number cannot be
  // reused before the child is reaped, so the signal cannot hit another group.
  int end() {
    if (pid_ < 0) return status_;
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);  // it may not have its group yet
    rusage used{};
    while (wait4(pid_, &status_, 0, &used) < 0 && errno == EINTR) {
    }
    processor_time_ = duration_of(used.ru_utime) + duration_of(used.ru_stime);
    pid_ = -1;
    return status_;
  }

  // Includes the processes that the child waited for. Returns zero before end().
  std::chrono::microseconds processor_time() const { return processor_time_; }

 private:
  pid_t pid_;
  int status_ = 0;
  std::chrono::microseconds processor_time_{0};
};

// Reads the available bytes. Returns nullopt at the end of the stream.
std::optional<std::string_view> read_some(int fd, std::array<char, 16384>& buffer) {
  const ssize_t length = read(fd, buffer.data(), buffer.size());
  if (length > 0) return std::string_view(buffer.data(), static_cast<std::size_t>(length));
  if (length < 0 && (errno == EINTR || errno == EAGAIN)) return std::string_view();
  return std::nullopt;
}

void keep_last(std::string& text, std::string_view more) {
  text += more;
  if (text.size() > kKeptErrors) text.erase(0, text.size() - kKeptErrors);
}

rlim_t processor_time(std::chrono::seconds wall) {
  return static_cast<rlim_t>(wall.count() + 1) *
         std::max<rlim_t>(1, std::thread::hardware_concurrency());
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

Outcome not_started(std::string_view step) {
  return {End::NotStarted, errno, "cannot start: " + std::string(step)};
}

}  // namespace

Outcome run(const Command& command, const Confinement& confinement, const Listener& listener) {
  std::vector<std::string> readable(kSystemPaths.begin(), kSystemPaths.end());
  readable.push_back(command.words.front());
  readable.insert(readable.end(), command.reads.begin(), command.reads.end());
  const base::UniqueFd ruleset = make_ruleset(readable, command.folder);
  const base::UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  Pipe output;
  Pipe errors;
  Pipe report;
  if (!null || !open_pipe(output) || !open_pipe(errors) || !open_pipe(report))
    return not_started("descriptors");

  std::vector<std::string> words = command.words;
  std::vector<std::string> environment(kEnvironment.begin(), kEnvironment.end());
  environment.insert(environment.end(), command.environment.begin(), command.environment.end());
  const Plan plan{pointers(words),
                  pointers(environment),
                  make_filter(confinement.forks),
                  command.folder.c_str(),
                  ruleset.get(),
                  null.get(),
                  output.write.get(),
                  errors.write.get(),
                  report.write.get(),
                  getpid(),
                  {{{RLIMIT_AS, confinement.memory},
                    {RLIMIT_FSIZE, confinement.file_size},
                    {RLIMIT_CPU, processor_time(confinement.time)},
                    {RLIMIT_CORE, 0},
                    {RLIMIT_NOFILE, static_cast<rlim_t>(confinement.open_files)}}}};
  const auto started = Clock::now();
  const pid_t pid = fork();
  if (pid < 0) return not_started("fork");
  if (pid == 0) become(plan);
  Child child(pid);
  output.write.reset();
  errors.write.reset();
  report.write.reset();

  Report failed{};
  ssize_t length = 0;
  while ((length = read(report.read.get(), &failed, sizeof failed)) < 0 && errno == EINTR) {
  }
  if (length == static_cast<ssize_t>(sizeof failed)) {
    child.end();
    errno = failed.error;
    return not_started(name_of(failed.step));
  }

  // Without pidfd_open() the end is noticed when both streams end, or at the
  // next tick.
  const base::UniqueFd ended(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  Outcome outcome{End::Exited, 0, ""};
  std::array<char, 16384> buffer{};
  auto next_tick = started + kTick;
  bool done = false;
  const auto listen = [&](std::string_view text) {
    if (outcome.end != End::Cancelled && !listener(text)) outcome.end = End::Cancelled;
  };
  while (!done && outcome.end == End::Exited) {
    std::array<pollfd, 3> watched{
        {{output.read.get(), POLLIN, 0}, {errors.read.get(), POLLIN, 0}, {ended.get(), POLLIN, 0}}};
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next_tick - Clock::now());
    poll(watched.data(), watched.size(),
         static_cast<int>(std::max(std::chrono::milliseconds(0), wait).count()));
    done = child.has_ended();
    // After its end the pipes still hold its last words.
    bool more = true;
    while (more && outcome.end == End::Exited) {
      more = false;
      for (auto* stream : {&output.read, &errors.read}) {
        if (!*stream) continue;
        pollfd ready{stream->get(), POLLIN, 0};
        if (poll(&ready, 1, 0) <= 0) continue;
        const auto text = read_some(stream->get(), buffer);
        if (!text) {
          stream->reset();
          continue;
        }
        more |= done && !text->empty();
        if (stream == &errors.read) {
          keep_last(outcome.errors, *text);
        } else if (!text->empty()) {
          listen(*text);
        }
      }
    }
    const auto now = Clock::now();
    if (!done && now - started >= confinement.time) {
      outcome.end = End::TimedOut;
    } else if (now >= next_tick) {
      next_tick = now + kTick;
      listen({});
    }
  }
  const int status = child.end();
  if (outcome.end == End::TimedOut && child.processor_time() * 50 < confinement.time)
    outcome.end = End::Starved;
  if (outcome.end != End::Exited) return outcome;
  if (WIFSIGNALED(status)) {
    outcome.end = End::Signalled;
    outcome.status = WTERMSIG(status);
  } else {
    outcome.status = WEXITSTATUS(status);
  }
  return outcome;
}

}  // namespace svc::ingest
