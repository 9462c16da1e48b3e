#include "ctl/pool_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/unique_fd.h"

namespace svc::ctl {
namespace {

using Clock = std::chrono::steady_clock;
using base::Refusal;

// Types of records, FastCGI 1.0 section 8.
constexpr char kBegin = 1;
constexpr char kEnd = 3;
constexpr char kParams = 4;
constexpr char kStdin = 5;
constexpr char kStdout = 6;
constexpr std::size_t kHead = 8;
constexpr std::size_t kMostBytes = 16 << 20;

// All that is sent is far below what a record can hold.
void append_record(std::string& out, char type, std::string_view content) {
  out += '\1';
  out += type;
  out += std::string_view("\0\1", 2);
  out += static_cast<char>(content.size() >> 8);
  out += static_cast<char>(content.size() & 0xff);
  out += std::string_view("\0\0", 2);
  out += content;
}

std::string request(const std::string& path) {
  std::string pairs;
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>("REQUEST_METHOD", "GET"), {"DOCUMENT_URI", path}}) {
    pairs += static_cast<char>(name.size());
    pairs += static_cast<char>(value.size());
    pairs += name + value;
  }
  std::string out;
  append_record(out, kBegin, std::string_view("\0\1\0\0\0\0\0\0", 8));  // a responder, not kept
  append_record(out, kParams, pairs);
  append_record(out, kParams, "");
  append_record(out, kStdin, "");
  return out;
}

// What stands in the records of one answer; nothing while its end is not there.
std::optional<std::string> read_answer(std::string_view bytes) {
  std::string out;
  while (bytes.size() >= kHead) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
    const std::size_t content = std::size_t{byte(4)} << 8 | byte(5);
    if (bytes.size() < kHead + content + byte(6)) return std::nullopt;
    if (bytes[1] == kEnd) return out;
    if (bytes[1] == kStdout) out += bytes.substr(kHead, content);
    bytes.remove_prefix(kHead + content + byte(6));
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
