#include "ctl/pools/pool_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/unique_fd.h"
#include "fastcgi/record.h"

namespace svc::ctl {
namespace {

using Clock = std::chrono::steady_clock;
using base::Refusal;

constexpr std::size_t kMostBytes = 16 << 20;

std::string request(std::string_view path) {
  std::string pairs;
  fastcgi::append_pair(pairs, "REQUEST_METHOD", "GET");
  fastcgi::append_pair(pairs, "DOCUMENT_URI", path);
  return fastcgi::request_without_body(pairs, fastcgi::KeepConnection::No);
}

// What is in the records of one answer; nothing while its end is not there.
std::optional<std::string> read_answer(std::string_view bytes) {
  std::string out;
  fastcgi::Record record;
  while (fastcgi::read_record(bytes, record) == fastcgi::RecordState::Whole) {
    if (record.type == fastcgi::RecordType::EndRequest) return out;
    if (record.type == fastcgi::RecordType::Stdout) out += record.content;
    bytes.remove_prefix(record.size);
  }
  return std::nullopt;
}

bool wait_for(int fd, short events, Clock::time_point until) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  pollfd one{fd, events, 0};
  return left > 0 && poll(&one, 1, static_cast<int>(left)) == 1;
}

}  // namespace

base::Result<std::string, std::string> ask_pool(const std::string& socket, const std::string& path,
                                                std::chrono::milliseconds patience) {
  const auto until = Clock::now() + patience;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path)
    return Refusal{socket + ": too long for the path of a socket"};
  std::memcpy(address.sun_path, socket.data(), socket.size());
  const base::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd || connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return Refusal{socket + ": " + (errno == EAGAIN ? "its queue is full" : std::strerror(errno))};
  }
  const std::string question = request(path);
  if (send(fd.get(), question.data(), question.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(question.size())) {
    return Refusal{socket + ": " + std::strerror(errno)};
  }
  std::string bytes;
  std::optional<std::string> answer;
  while (!(answer = read_answer(bytes))) {
    std::array<char, 16 * 1024> piece;  // NOLINT: filled below
    if (!wait_for(fd.get(), POLLIN, until)) return Refusal{socket + ": no answer in time"};
    const ssize_t got = recv(fd.get(), piece.data(), piece.size(), 0);
    if (got <= 0 || bytes.size() > kMostBytes)
      return Refusal{socket + ": closed without an answer"};
    bytes.append(piece.data(), static_cast<std::size_t>(got));
  }
  const std::size_t end = answer->find("\r\n\r\n");
  if (end == std::string::npos || !answer->starts_with("Status: 200 "))
    return Refusal{socket + ": it is no pool of this version: it answers " +
                   answer->substr(0, answer->find('\r'))};
  return answer->substr(end + 4);
}

}  // namespace svc::ctl
