#include "fastcgi/listen_queue.h"

#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace svc::fastcgi {
namespace {

struct Question {
  nlmsghdr head;
  unix_diag_req body;
};

// Requests the data of one socket, by its inode. The reply contains the queue
// as an attribute.
bool ask(int netlink, ino_t inode) {
  Question question{};
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  question.body.sdiag_family = AF_UNIX;
  question.body.udiag_states = ~0U;
  question.body.udiag_ino = static_cast<__u32>(inode);
  question.body.udiag_show = UDIAG_SHOW_RQLEN;
  question.body.udiag_cookie[0] = ~0U;
  question.body.udiag_cookie[1] = ~0U;
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  return sendto(netlink, &question, sizeof question, MSG_DONTWAIT,
                reinterpret_cast<const sockaddr*>(&kernel),
                sizeof kernel) == static_cast<ssize_t>(sizeof question);
}

// Returns the value at offset `at`; nullopt if the data ends before.
template <class T>
std::optional<T> read_at(const char* data, std::size_t size, std::size_t at) {
  T value;
  if (at > size || size - at < sizeof value) return std::nullopt;
  std::memcpy(&value, data + at, sizeof value);
  return value;
}

// The macros of the same meaning compute with signed numbers.
constexpr std::size_t aligned(std::size_t size) {
  constexpr std::size_t kAlignment = NLA_ALIGNTO;
  static_assert(kAlignment == NLMSG_ALIGNTO);
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}
constexpr std::size_t kAttributeHead = aligned(sizeof(nlattr));

std::optional<ListenQueue::Lengths> lengths_in(const char* data, std::size_t size) {
  const auto head = read_at<nlmsghdr>(data, size, 0);
  if (!head || head->nlmsg_type != SOCK_DIAG_BY_FAMILY || head->nlmsg_len > size)
    return std::nullopt;
  std::size_t at = aligned(sizeof(nlmsghdr)) + aligned(sizeof(unix_diag_msg));
  while (const auto attribute = read_at<nlattr>(data, head->nlmsg_len, at)) {
    if (attribute->nla_len < kAttributeHead) break;
    if (attribute->nla_type == UNIX_DIAG_RQLEN) {
      const auto lengths = read_at<unix_diag_rqlen>(data, head->nlmsg_len, at + kAttributeHead);
      if (!lengths) break;
      return ListenQueue::Lengths{lengths->udiag_rqueue, lengths->udiag_wqueue};
    }
    at += aligned(attribute->nla_len);
  }
  return std::nullopt;
}

}  // namespace

std::optional<ListenQueue::Lengths> ListenQueue::look(int socket) {
  struct stat status {};
  if (!netlink_) {
    netlink_.reset(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  }
  std::array<char, 1024> answer{};
  // Discard replies to requests of an earlier process with this socket.
  while (netlink_ && recv(netlink_.get(), answer.data(), answer.size(), MSG_DONTWAIT) > 0) {
  }
  if (netlink_ && fstat(socket, &status) == 0 && ask(netlink_.get(), status.st_ino)) {
    const ssize_t got = recv(netlink_.get(), answer.data(), answer.size(), MSG_DONTWAIT);
    if (got > 0) return lengths_in(answer.data(), static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

}  // namespace svc::fastcgi
