// svc-delay-relay LISTEN TARGET MS: simulates the network to a remote store.
//
// Accepts connections at the unix socket LISTEN, opens one to the unix socket
// TARGET for each, and forwards bytes in both directions after MS milliseconds:
// a round trip takes twice as long. Order and throughput do not change. While 4
// MiB are in transit in one direction, the sender waits. Prints `ready` on
// standard output; ends on SIGTERM.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Duration = Clock::duration;

constexpr std::size_t kMostOnItsWay = 4 << 20;  // bytes in one direction
constexpr std::size_t kReadAtOnce = 64 * 1024;
// Delay before the next attempt to send to a peer that accepts no bytes.
constexpr Duration kRetry = std::chrono::microseconds(100);

struct Piece {
  Clock::time_point due;
  std::string bytes;
};

// One direction of a connection.
struct Way {
  int from;
  int to;
  std::deque<Piece> pieces{};
  std::size_t held = 0;
  bool ended = false;  // the sender has closed its end

  bool wants_more() const { return !ended && held < kMostOnItsWay; }
  bool is_over() const { return ended && pieces.empty(); }

  void take_in(Clock::time_point due, std::vector<char>& buffer) {
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
      ended = true;
      return;
    }
    pieces.push_back({due, std::string(buffer.data(), static_cast<std::size_t>(got))});
    held += static_cast<std::size_t>(got);
  }

  // Returns false if the receiver has closed the connection.
  bool deliver(Clock::time_point now) {
    while (!pieces.empty() && pieces.front().due <= now) {
      Piece& piece = pieces.front();
      const ssize_t sent = send(to, piece.bytes.data(), piece.bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
      if (sent > 0) held -= static_cast<std::size_t>(sent);
      if (sent == static_cast<ssize_t>(piece.bytes.size())) {
        pieces.pop_front();
        continue;
      }
      if (sent > 0) piece.bytes.erase(0, static_cast<std::size_t>(sent));
      piece.due = now + kRetry;
      break;
    }
    return true;
  }
};

struct Connection {
  Way there;
  Way back;

  Connection(int near, int far) : there{near, far}, back{far, near} {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    close(there.from);
    close(there.to);
  }
};

sockaddr_un address_of(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (std::strlen(path) >= sizeof address.sun_path) {
    std::fprintf(stderr, "svc-delay-relay: %s: too long for a socket's path\n", path);
    std::exit(2);
  }
  std::strcpy(address.sun_path, path);
  return address;
}

int listen_at(const char* path) {
  const sockaddr_un address = address_of(path);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(fd, SOMAXCONN) != 0) {
    std::fprintf(stderr, "svc-delay-relay: %s: %s\n", path, std::strerror(errno));
    std::exit(1);
  }
  return fd;
}

std::optional<int> connect_to(const char* path) {
  const sockaddr_un address = address_of(path);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(fd);
    return std::nullopt;
  }
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

timespec to_timespec(Duration duration) {
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
  return {ns / 1'000'000'000, ns % 1'000'000'000};
}

[[noreturn]] void relay(int listener, const char* target, Duration delay) {
  std::list<Connection> connections;
  std::vector<char> buffer(kReadAtOnce);
  std::vector<pollfd> watched;
  while (true) {
    watched.assign(1, {listener, POLLIN, 0});
    std::optional<Clock::time_point> next;
    for (const Connection& one : connections) {
      for (const Way* way : {&one.there, &one.back}) {
        watched.push_back({way->wants_more() ? way->from : -1, POLLIN, 0});
        if (!way->pieces.empty() && (!next || way->pieces.front().due < *next))
          next = way->pieces.front().due;
      }
    }
    timespec wait{};
    if (next) wait = to_timespec(std::max(Duration::zero(), *next - Clock::now()));
    ppoll(watched.data(), watched.size(), next ? &wait : nullptr, nullptr);

    const Clock::time_point now = Clock::now();
    std::size_t at = 1;
    for (auto one = connections.begin(); one != connections.end();) {
      bool gone = false;
      for (Way* way : {&one->there, &one->back}) {
        if (watched[at++].revents != 0) way->take_in(now + delay, buffer);
        gone = !way->deliver(now) || way->is_over() || gone;
      }
      one = gone ? connections.erase(one) : std::next(one);
    }
    if (watched[0].revents == 0) continue;
    while (true) {
      const int near = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (near < 0) break;
      const std::optional<int> far = connect_to(target);
      if (far) {
        connections.emplace_back(near, *far);
      } else {
        close(near);
      }
    }
  }
}

}  // namespace

int main(int count, char** words) {
  char* end = nullptr;
  const double ms = count == 4 ? std::strtod(words[3], &end) : -1;
  if (count != 4 || end == words[3] || *end != '\0' || !(ms >= 0 && ms <= 60'000)) {
    std::fprintf(stderr, "svc-delay-relay LISTEN TARGET MS; MS from 0 to 60000\n");
    return 2;
  }
  const int listener = listen_at(words[1]);
  std::puts("ready");
  std::fflush(stdout);
  relay(listener, words[2],
        std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms)));
}
