#include "fastcgi/listening_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/number.h"
#include "base/unix_address.h"
#include "text/word_list.h"

namespace svc::fastcgi {
namespace {

constexpr int kFirstPassed = 3;  // SD_LISTEN_FDS_START

std::string reason(const std::string& what) { return what + ": " + std::strerror(errno); }

int number_from_environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : base::parse_number<int>(text).value_or(0);
}

std::vector<std::string> names_from_environment() {
  std::vector<std::string> names;
  const char* text = std::getenv("LISTEN_FDNAMES");
  std::string_view rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    names.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return names;
}

// Returns AF_UNIX etc.; -1 if `fd` is not a socket.
int domain_of(int fd) {
  int domain = -1;
  socklen_t size = sizeof domain;
  return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 ? domain : -1;
}

// All workers share the socket: if another one accepts first, accept() must not
// block.
bool make_nonblocking(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

}  // namespace

base::Result<ListeningSocket, std::string> ListeningSocket::open(const std::string& path,
                                                                 mode_t mode, int backlog) {
  const auto address = base::UnixAddress::of(path);
  if (!address) {
    return base::Refusal{"the socket path " + path + " is longer than " +
                         std::to_string(base::kMaxSocketPath) + " bytes"};
  }

  struct stat status {};
  if (lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) return base::Refusal{path + " exists and is not a socket"};
    const base::UniqueFd probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (connect(probe.get(), address->get(), address->size()) == 0 || errno == EAGAIN) {
      return base::Refusal{"another process already listens on " + path};
    }
    if (errno != ECONNREFUSED)
      return base::Refusal{reason("cannot check whether another process listens on " + path)};
    if (unlink(path.c_str()) != 0)
      return base::Refusal{reason("cannot remove the stale socket " + path)};
  }
  base::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return base::Refusal{reason("cannot create a socket")};
  // Without permissions until its mode is set, so that no client can connect
  // before.
  const mode_t before = umask(0777);
  const int bound = bind(fd.get(), address->get(), address->size());
  const int why = errno;
  umask(before);
  errno = why;
  if (bound != 0) return base::Refusal{reason("cannot bind " + path)};
  if (chmod(path.c_str(), mode) != 0)
    return base::Refusal{reason("cannot set the mode of " + path)};
  if (listen(fd.get(), backlog) != 0) return base::Refusal{reason("cannot listen on " + path)};
  ListeningSocket opened(std::move(fd), path);
  if (lstat(path.c_str(), &status) == 0) {
    opened.device_ = status.st_dev;
    opened.inode_ = status.st_ino;
  }
  opened.mode_ = mode;
  opened.backlog_ = backlog;
  return opened;
}

bool ListeningSocket::has_its_file() const {
  struct stat status {};
  return lstat(path_.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

base::Result<bool, std::string> ListeningSocket::renew_if_lost() {
  if (path_.empty() || has_its_file()) return false;
  auto fresh = open(path_, mode_, backlog_);
  if (!fresh) return base::Refusal{fresh.error()};
  if (dup3(fresh->fd(), fd_.get(), O_CLOEXEC) < 0) {
    const std::string why = reason("cannot replace the socket whose file was lost");
    fresh->remove_file();
    return base::Refusal{why};
  }
  device_ = fresh->device_;
  inode_ = fresh->inode_;
  return true;
}

bool ListeningSocket::was_passed() {
  return number_from_environment("LISTEN_PID") == getpid() &&
         number_from_environment("LISTEN_FDS") > 0;
}

base::Result<ListeningSocket, std::string> ListeningSocket::inherited(const std::string& name) {
  const int count = number_from_environment("LISTEN_FDS");
  const std::vector<std::string> names = names_from_environment();
  int chosen = -1;
  int last = -1;
  int candidates = 0;
  std::string offered;
  base::UniqueFd netlink;
  for (int i = 0; i < count; ++i) {
    const int fd = kFirstPassed + i;
    if (domain_of(fd) == AF_NETLINK) {
      fcntl(fd, F_SETFD, FD_CLOEXEC);
      netlink.reset(fd);
      continue;
    }
    const std::string known = static_cast<std::size_t>(i) < names.size()
                                  ? names[static_cast<std::size_t>(i)]
                                  : std::string();
    text::add_word(offered, known);
    if (known == name) chosen = fd;
    last = fd;
    ++candidates;
  }
  if (candidates == 1) chosen = last;
  for (const char* variable : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) unsetenv(variable);
  if (chosen < 0) {
    return base::Refusal{"no socket passed by systemd is named " + name +
                         " (FileDescriptorName=); passed were: " + offered};
  }
  int listening = 0;
  socklen_t size = sizeof listening;
  if (domain_of(chosen) != AF_UNIX) {
    return base::Refusal{
        std::string("the socket passed by systemd is not a unix socket; TCP is never used")};
  }
  if (getsockopt(chosen, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || listening == 0) {
    return base::Refusal{
        std::string("the socket passed by systemd does not listen; it needs Accept=no")};
  }
  base::UniqueFd fd(chosen);
  if (fcntl(chosen, F_SETFD, FD_CLOEXEC) != 0 || !make_nonblocking(chosen)) {
    return base::Refusal{reason("cannot set the flags of the socket passed by systemd")};
  }
  ListeningSocket taken(std::move(fd), "");
  taken.netlink_ = std::move(netlink);
  return taken;
}

void ListeningSocket::remove_file() const {
  if (!path_.empty() && has_its_file()) unlink(path_.c_str());
}

}  // namespace svc::fastcgi
