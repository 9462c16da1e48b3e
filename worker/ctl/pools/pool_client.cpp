#include "ctl/pools/pool_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>

#include "base/unique_fd.h"
#include "base/unix_address.h"
#include "fastcgi/record.h"

namespace svc::ctl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostBytes = 16 << 20;

std::string request(std::string_view path) {
  std::string pairs;
  fastcgi::append_pair(pairs, "REQUEST_METHOD", "GET");
  fastcgi::append_pair(pairs, "DOCUMENT_URI", path);
  return fastcgi::request_without_body(pairs, fastcgi::KeepConnection::No);
}

// Returns the content of the records of one response; nullopt while it is incomplete.
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

// Returns the reason if it could not connect or send; otherwise "".
std::string send_request(int fd, const std::string& socket, std::string_view path) {
  const auto address = base::UnixAddress::of(socket);
  if (!address) return "too long for the path of a socket";
  if (fd < 0 || connect(fd, address->get(), address->size()) != 0)
    return errno == EAGAIN ? "its queue is full" : std::strerror(errno);
  const std::string question = request(path);
  const ssize_t sent = send(fd, question.data(), question.size(), MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(question.size()) ? "" : std::strerror(errno);
}

bool wait_for(int fd, Clock::time_point until) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  pollfd one{fd, POLLIN, 0};
  return left > 0 && poll(&one, 1, static_cast<int>(left)) == 1;
}

}  // namespace

base::Result<std::string, std::string> ask_pool(const std::string& socket, std::string_view path,
                                                std::chrono::milliseconds patience) {
  const auto failed = [&](const std::string& why) { return base::Refusal{socket + ": " + why}; };
  const auto until = Clock::now() + patience;
  const base::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (const std::string error = send_request(fd.get(), socket, path); !error.empty())
    return failed(error);
  std::string bytes;
  std::optional<std::string> answer;
  while (!answer) {
    if (!wait_for(fd.get(), until)) return failed("no answer in time");
    std::array<char, 16 * 1024> piece;  // NOLINT: filled below
    const ssize_t got = recv(fd.get(), piece.data(), piece.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0 || bytes.size() > kMostBytes) return failed("closed without an answer");
    bytes.append(piece.data(), static_cast<std::size_t>(got));
    answer = read_answer(bytes);
  }
  const std::size_t end = answer->find("\r\n\r\n");
  if (end == std::string::npos || !answer->starts_with("Status: 200 ")) {
    return failed("it is not a pool of this version: it answers " +
                  answer->substr(0, answer->find('\r')));
  }
  return answer->substr(end + 4);
}

}  // namespace svc::ctl
