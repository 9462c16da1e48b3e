#include "fastcgi/listening_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>

#include "fakes/temporary_directory.h"
#include "fakes/wire.h"

namespace svc::fastcgi {
namespace {

using namespace svc::fakes;

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}
bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Returns true if `socket` accepts a connection to `path`.
bool reaches(const std::string& path, const ListeningSocket& socket) {
  const base::UniqueFd client = connect_to(path);
  return client && base::UniqueFd(accept4(socket.fd(), nullptr, nullptr, SOCK_CLOEXEC));
}

class ListeningSocketTest : public testing::Test {
 protected:
  base::Result<ListeningSocket, std::string> open(mode_t mode = 0660) const {
    return ListeningSocket::open(path_, mode, 16);
  }
  const TemporaryDirectory directory_;
  const std::string path_ = directory_.path("s");
};
using Socket = ListeningSocketTest;

TEST_F(Socket, FileHasTheConfiguredModeUnderAnyUmask) {
  for (const mode_t mode : {0660, 0600, 0666}) {
    const mode_t before = umask(0777);
    const auto socket = open(mode);
    EXPECT_EQ(umask(before), 0777u) << "left as it was";
    ASSERT_TRUE(socket);
    EXPECT_EQ(mode_of(path_), mode);
    EXPECT_EQ(fcntl(socket->fd(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    EXPECT_EQ(accept4(socket->fd(), nullptr, nullptr, SOCK_CLOEXEC), -1);
    EXPECT_EQ(errno, EAGAIN) << "it never waits";
    EXPECT_TRUE(reaches(path_, *socket));
    socket->remove_file();
  }
}

TEST_F(Socket, ReplacesAStaleSocketFile) {
  { ASSERT_TRUE(open()); }
  ASSERT_TRUE(exists(path_));
  const auto socket = open();
  ASSERT_TRUE(socket);
  EXPECT_TRUE(reaches(path_, *socket));
}

TEST_F(Socket, ReportsWhyItCannotBeOpened) {
  const auto listening = open();
  ASSERT_TRUE(listening);
  const std::string file = directory_.write("file", "precious");
  struct Case {
    std::string path;
    std::string_view reason;
  };
  for (const Case& c : {
           Case{path_, "listens"},
           Case{file, "exists and is not a socket"},
           Case{"/" + std::string(107, 's'), "107"},
           Case{directory_.path("no/such/folder"), "No such file"},
       }) {
    const auto socket = ListeningSocket::open(c.path, 0660, 16);
    ASSERT_FALSE(socket) << c.path;
    EXPECT_TRUE(contains(socket.error(), std::string(c.reason))) << socket.error();
  }
  EXPECT_TRUE(exists(file));
  EXPECT_TRUE(reaches(path_, *listening));
}

TEST_F(Socket, RemovesOnlyItsOwnFile) {
  const auto first = open();
  ASSERT_TRUE(first);
  unlink(path_.c_str());
  const auto second = open();
  ASSERT_TRUE(second);
  first->remove_file();
  EXPECT_TRUE(exists(path_));
  EXPECT_TRUE(reaches(path_, *second));
  second->remove_file();
  EXPECT_FALSE(exists(path_));
}

TEST_F(Socket, IsRenewedOnlyIfItsFileIsLost) {
  auto socket = open(0600);
  ASSERT_TRUE(socket);
  const int number = socket->fd();
  EXPECT_FALSE(*socket->renew_if_lost());
  // A change of the file's mode is not a loss.
  chmod(path_.c_str(), 0640);
  EXPECT_FALSE(*socket->renew_if_lost());
  unlink(path_.c_str());
  EXPECT_TRUE(*socket->renew_if_lost());
  EXPECT_FALSE(*socket->renew_if_lost());
  EXPECT_EQ(socket->fd(), number);
  EXPECT_EQ(fcntl(socket->fd(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(mode_of(path_), 0600u);
  EXPECT_TRUE(reaches(path_, *socket));
  socket->remove_file();
  EXPECT_FALSE(exists(path_));
}

TEST_F(Socket, IsNotRenewedWhileAnotherProcessListensThere) {
  auto lost = open();
  ASSERT_TRUE(lost);
  unlink(path_.c_str());
  {
    const auto other = open();
    ASSERT_TRUE(other);
    for (int i = 0; i < 2; ++i) {
      const auto renewed = lost->renew_if_lost();
      ASSERT_FALSE(renewed);
      EXPECT_TRUE(contains(renewed.error(), "listens"));
    }
    EXPECT_TRUE(reaches(path_, *other));
  }
  EXPECT_TRUE(*lost->renew_if_lost()) << "once the other one is gone";
  EXPECT_TRUE(reaches(path_, *lost));
}

TEST_F(Socket, IsRenewedOnceItsFolderExistsAgain) {
  const std::string folder = directory_.path("folder");
  mkdir(folder.c_str(), 0700);
  auto socket = ListeningSocket::open(folder + "/s", 0660, 16);
  ASSERT_TRUE(socket);
  unlink((folder + "/s").c_str());
  rmdir(folder.c_str());
  EXPECT_FALSE(socket->renew_if_lost());
  mkdir(folder.c_str(), 0700);
  EXPECT_TRUE(*socket->renew_if_lost());
}

// sd_listen_fds(3): sets the variables and passes descriptors from 3 on. Moves
// the test's own descriptor 3 out of the way.
class Passed : public ListeningSocketTest {
 protected:
  void SetUp() override {
    aside_.reset(fcntl(3, F_DUPFD_CLOEXEC, 100));
    announce();
  }
  static void announce() {
    setenv("LISTEN_PID", std::to_string(getpid()).c_str(), 1);
    setenv("LISTEN_FDS", "1", 1);
    setenv("LISTEN_FDNAMES", "embed", 1);
  }
  void TearDown() override {
    for (const char* variable : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) unsetenv(variable);
    if (aside_) {
      dup3(aside_.get(), 3, O_CLOEXEC);
    } else {
      close(3);
    }
  }
  // As the service manager passes it: blocking and inheritable.
  static void pass(int fd) { dup2(fd, 3); }

  base::UniqueFd listening(int domain = AF_UNIX) const {
    base::UniqueFd fd(socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    if (domain == AF_UNIX) {
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
    listen(fd.get(), 16);
    return fd;
  }

  base::UniqueFd aside_;
};

TEST_F(Passed, IsTakenAndMadeCloseOnExecAndNonBlocking) {
  const base::UniqueFd given = listening();
  pass(given.get());
  EXPECT_TRUE(ListeningSocket::was_passed());
  auto socket = ListeningSocket::inherited("embed");
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->fd(), 3);
  EXPECT_EQ(fcntl(3, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(accept4(3, nullptr, nullptr, SOCK_CLOEXEC), -1) << "and never waits";
  EXPECT_FALSE(ListeningSocket::was_passed()) << "the variables are left for nobody else";
  EXPECT_TRUE(reaches(path_, *socket));
  // The file is not ours: it is neither removed nor renewed.
  socket->remove_file();
  EXPECT_TRUE(exists(path_));
  unlink(path_.c_str());
  EXPECT_FALSE(*socket->renew_if_lost());
  EXPECT_FALSE(exists(path_));
}

TEST_F(Passed, IsForThisProcessOnly) {
  setenv("LISTEN_PID", std::to_string(getppid()).c_str(), 1);
  EXPECT_FALSE(ListeningSocket::was_passed());
  setenv("LISTEN_PID", "", 1);
  EXPECT_FALSE(ListeningSocket::was_passed());
}

TEST_F(Passed, IsRefusedUnlessItIsAListeningUnixSocket) {
  const base::UniqueFd tcp = listening(AF_INET);
  pass(tcp.get());
  const auto over_tcp = ListeningSocket::inherited("embed");
  ASSERT_FALSE(over_tcp);
  EXPECT_TRUE(contains(over_tcp.error(), "TCP"));

  announce();
  const auto [one, other] = socket_pair();
  pass(one.get());
  const auto connected = ListeningSocket::inherited("embed");
  ASSERT_FALSE(connected);
  EXPECT_TRUE(contains(connected.error(), "listen"));
}

TEST_F(Passed, KeepsANetlinkSocketThatWasAlsoPassed) {
  const base::UniqueFd aside(fcntl(4, F_DUPFD_CLOEXEC, 100));
  const base::UniqueFd given = listening();
  const base::UniqueFd netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  pass(given.get());
  ASSERT_TRUE(netlink);
  dup2(netlink.get(), 4);
  setenv("LISTEN_FDS", "2", 1);
  // If only one passed socket listens, its name does not matter.
  setenv("LISTEN_FDNAMES", "other:queue", 1);
  {
    auto socket = ListeningSocket::inherited("embed");
    ASSERT_TRUE(socket);
    EXPECT_EQ(socket->fd(), 3);
    const base::UniqueFd kept = socket->take_netlink();
    EXPECT_EQ(kept.get(), 4);
    EXPECT_EQ(fcntl(4, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    EXPECT_FALSE(socket->take_netlink()) << "once";
  }
  if (aside) dup3(aside.get(), 4, O_CLOEXEC);
}

TEST_F(Passed, FailsIfNoPassedSocketHasTheName) {
  setenv("LISTEN_FDS", "2", 1);
  setenv("LISTEN_FDNAMES", "grant:web", 1);
  const auto missing = ListeningSocket::inherited("embed");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(contains(missing.error(), "embed") && contains(missing.error(), "grant, web"));
}

}  // namespace
}  // namespace svc::fastcgi
