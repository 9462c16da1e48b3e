#include "fastcgi/listen_queue.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "fakes/temporary_directory.h"

namespace svc::fastcgi {
namespace {

// If the kernel offers no such sockets, queue lengths are unknown, and the
// tests check only that.
bool kernel_tells() {
  return static_cast<bool>(
      base::UniqueFd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)));
}

TEST(ListenQueue, CountsWaitingConnectionsOfAUnixSocket) {
  const fakes::TemporaryDirectory directory;
  const std::string path = directory.path("socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  const base::UniqueFd listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(listening.get(), generic, sizeof address), 0);
  ASSERT_EQ(listen(listening.get(), 17), 0);
  ListenQueue queue;
  std::vector<base::UniqueFd> waiting;
  for (std::int64_t count = 0; count < 4; ++count) {
    const auto lengths = queue.look(listening.get());
    ASSERT_EQ(lengths.has_value(), kernel_tells());
    if (lengths) {
      EXPECT_EQ(lengths->waiting, count);
      EXPECT_EQ(lengths->limit, 17);
    }
    waiting.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(connect(waiting.back().get(), generic, sizeof address), 0);
  }
}

TEST(ListenQueue, UsesAGivenSocketDespiteAnUnreadReply) {
  base::UniqueFd given(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!given) return;  // then systemd cannot pass such a socket either
  const base::UniqueFd listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un unnamed{.sun_family = AF_UNIX, .sun_path = {}};
  // The kernel chooses an abstract name.
  ASSERT_EQ(bind(listening.get(), reinterpret_cast<const sockaddr*>(&unnamed), sizeof(sa_family_t)),
            0);
  ASSERT_EQ(listen(listening.get(), 17), 0);
  // The kernel replies to an invalid request with an error.
  nlmsghdr question{};
  question.nlmsg_len = sizeof question;
  question.nlmsg_type = NLMSG_MIN_TYPE;
  question.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  ASSERT_EQ(send(given.get(), &question, sizeof question, 0),
            static_cast<ssize_t>(sizeof question));
  const int number = given.get();
  ListenQueue queue(std::move(given));
  const auto lengths = queue.look(listening.get());
  ASSERT_TRUE(lengths);
  EXPECT_EQ(lengths->limit, 17);
  const base::UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(queue.look(null.get())) << "no socket";
  EXPECT_FALSE(queue.look(-1));
  EXPECT_TRUE(queue.look(listening.get())) << "after it did not answer";
  queue.close();
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
}

}  // namespace
}  // namespace svc::fastcgi
