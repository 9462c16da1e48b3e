#include "ctl/pools/execution.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"

namespace svc::ctl {
namespace {

constexpr int kNotStarted = 127;

[[noreturn]] void become(const std::vector<std::string>& words,
                         const std::optional<Identity>& identity, int output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const bool is_other =
      !identity || (setgroups(identity->groups.size(), identity->groups.data()) == 0 &&
                    setgid(identity->group) == 0 && setuid(identity->user) == 0);
  if (is_other) execvp(arguments[0], arguments.data());
  dprintf(STDERR_FILENO, "%s: %s\n", arguments[0], std::strerror(errno));
  _exit(kNotStarted);
}

}  // namespace

Ended execute(const std::vector<std::string>& words, const std::optional<Identity>& identity) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {kNotStarted, std::strerror(errno)};
  const base::UniqueFd from(ends[0]);
  base::UniqueFd to(ends[1]);
  const pid_t child = fork();
  if (child < 0) return {kNotStarted, std::strerror(errno)};
  if (child == 0) become(words, identity, to.get());
  to.reset();
  Ended ended;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(from.get(), part.data(), part.size())) != 0;) {
    if (got > 0)
      ended.output.append(part.data(), static_cast<std::size_t>(got));
    else if (errno != EINTR)
      break;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : kNotStarted;
  return ended;
}

}  // namespace svc::ctl
