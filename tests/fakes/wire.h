// wire: creates, writes and reads both ends of a connection.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"

namespace svc::fakes {

inline constexpr int kPatienceMs = 300'000;  // guards against a hang; never the measured time

inline std::pair<base::UniqueFd, base::UniqueFd> socket_pair() {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
  return {base::UniqueFd(ends[0]), base::UniqueFd(ends[1])};
}

// Returns an empty descriptor if no process listens at `path`.
inline base::UniqueFd connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  base::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fd.reset();
  }
  return fd;
}

// Returns false if not all bytes could be sent immediately.
inline bool send_all(int fd, std::string_view bytes) {
  return send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(bytes.size());
}

// Returns the bytes that have arrived; does not wait.
inline std::string read_some(int fd) {
  std::string all;
  std::array<char, 16 * 1024> piece;  // NOLINT: filled below
  ssize_t got = 0;
  while ((got = recv(fd, piece.data(), piece.size(), MSG_DONTWAIT)) > 0) {
    all.append(piece.data(), static_cast<std::size_t>(got));
  }
  return all;
}

// Waits for bytes or the end. Returns true if the other end has closed and all
// its bytes were read.
inline bool at_end(int fd) {
  pollfd one{fd, POLLIN, 0};
  char byte = 0;
  return poll(&one, 1, kPatienceMs) == 1 && recv(fd, &byte, 1, MSG_DONTWAIT) <= 0;
}

inline bool is_open(int fd) {
  char byte = 0;
  const ssize_t got = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

}  // namespace svc::fakes
