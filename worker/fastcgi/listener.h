// Listener: the socket nginx connects to, and the kept connections parked beside it.
//
// A connection costs no worker until one whole request has arrived on it (fastcgi/gate). Then it is
// ready; whoever takes it says afterwards whether it is kept. One epoll set a worker; a kept
// connection stays in it, so a request on it costs one wait and one read.
#pragma once

#include <signal.h>
#include <sys/epoll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "fastcgi/gate.h"

namespace svc::fastcgi {

struct ListenerSettings {
  Limits limits;
  base::Duration read_timeout = std::chrono::seconds(5);  // from a request's first byte to its last
  base::Duration write_timeout = std::chrono::seconds(5);   // for a peer that does not read
  base::Duration idle_timeout = std::chrono::seconds(120);  // longer than nginx keeps its own side
};

// Asked before waiting: whether this worker should take new connections just now. Declared here,
// because the answer lies in the scoreboard, which this folder does not know.
class AcceptPolicy {
 public:
  virtual ~AcceptPolicy() = default;
  virtual bool may_accept(std::size_t held) = 0;
};

// A connection with one whole request on it, still owned by the Listener.
struct Ready {
  int fd = -1;
  bool alone = true;         // false: bytes of a next request were behind it already, and are lost
  std::string_view request;  // its bytes, without padding; until keep() or drop()
};

// A request that was answered without anybody having seen it, for the log of requests.
struct Refused {
  std::string path;
  int status = 0;
};

class Listener {
 public:
  // `socket` is listening and shared with the other workers. The policy outlives the listener.
  Listener(int socket, const ListenerSettings& settings, AcceptPolicy& policy,
           const base::Clock& clock);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Another descriptor that ends a wait while it is readable. Once; it outlives the listener.
  void watch_too(int fd);

  // Waits, with the signal mask `waiting`, until requests are ready: all that are, at most one of
  // each connection. None when a signal came, the other descriptor is readable, or some time
  // passed: a second, or `at_most`. The span lives until the next call.
  std::span<Ready> wait(const sigset_t& waiting, base::Duration at_most = std::chrono::seconds(1));
  // Whether that wait found the other descriptor readable.
  bool other_is_ready() const { return other_is_ready_; }
  // What that wait answered by itself.
  std::span<const Refused> refused() const { return refused_; }

  void keep(int fd);  // parks it again for its next request
  void drop(int fd);  // closes it

  // Its request is not answered yet: until keep() or drop() it is neither watched nor closed.
  void set_aside(int fd);

  // No new connections from here on; those that are held go on.
  void stop_accepting();
  // Closes every connection on which no request has begun.
  void drop_idle();
  std::size_t connections() const { return connections_.size(); }
  std::uint64_t accepted() const { return accepted_; }  // since it was made

 private:
  struct Connection {
    base::UniqueFd fd;
    base::TimePoint since;  // parked, or the first byte of a request that came in pieces
    std::string bytes;      // of a request that has begun; nothing while it is parked
    bool aside = false;
  };
  enum class Look { Ready, Wait, Gone };

  void watch_socket(bool wanted);
  void accept_one();
  bool watch(int fd);  // false when the kernel cannot
  // Adds to the requests that are ready, when one is.
  Look look(Connection& connection, bool hung_up);
  Look judge(Connection& connection);
  bool answer_values(const Connection& connection, std::string_view record);
  void send_last(int fd, const std::string& bytes);
  void sweep(base::TimePoint now);

  const int socket_;
  const ListenerSettings settings_;
  AcceptPolicy& policy_;
  const base::Clock& clock_;
  base::UniqueFd epoll_;
  std::unordered_map<int, Connection> connections_;
  std::uint64_t accepted_ = 0;
  bool accepting_ = true;
  bool watching_ = false;           // the socket is in the epoll set
  base::TimePoint paused_until_{};  // no descriptors were left
  bool said_paused_ = false;
  bool other_is_ready_ = false;
  bool rotate_ = false;  // it has to go to the end of the socket's queue of waiters
  std::array<epoll_event, 32> events_{};  // and so many requests in one go, at most
  std::vector<Ready> ready_;
  std::vector<Refused> refused_;
  int values_left_ = 0;  // GET_VALUES that the connection in hand may still ask
  base::TimePoint last_sweep_;
  std::unique_ptr<std::array<char, 64 * 1024>> buffer_;
};

}  // namespace svc::fastcgi
