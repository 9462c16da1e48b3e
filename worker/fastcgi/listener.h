// Listener: the socket nginx connects to, and the kept connections parked beside it.
//
// A connection costs no worker until one whole request has arrived on it (fastcgi/gate). Then it is
// ready; whoever takes it answers it or drops it, now or many turns of the loop later. A kept
// connection stays in the loop's set, so a request on it costs one wait, one read and one write.
#pragma once

#include <array>
#include <chrono>
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
#include "loop/loop.h"

namespace svc::fastcgi {

struct ListenerSettings {
  Limits limits;
  base::Duration read_timeout = std::chrono::seconds(5);  // from a request's first byte to its last
  base::Duration write_timeout = std::chrono::seconds(2);   // for a peer that does not read
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
  std::uint16_t id = 0;      // of the request, §3.3
  bool keeps = false;        // the peer asks for the connection to be kept
  bool alone = true;         // false: bytes of a next request were behind it already, and are lost
  std::string_view request;  // its bytes, without padding; until answer() or drop()
};

// A request that was answered without anybody having seen it, for the log of requests.
struct Refused {
  std::string path;
  int status = 0;
};

// A whole answer: a head as http::append_head() writes it, and a body, empty for a HEAD.
struct Answer {
  std::string_view head;
  std::string_view body;
};

class Listener : private loop::Watcher {
 public:
  // `socket` is listening and shared with the other workers. All outlive the listener.
  Listener(int socket, const ListenerSettings& settings, AcceptPolicy& policy, loop::Loop& loop);
  ~Listener() override;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Before each turn of the loop: whether this worker takes new connections, and who has taken too
  // long. Returns how long the turn may wait at most.
  base::Duration prepare_wait();
  // The requests that became ready since the last call, at most one of each connection. The span
  // lives until the next turn.
  std::span<Ready> take_ready();
  // What was answered by itself since the last call.
  std::vector<Refused> take_refused();

  // Answers the request that is in hand there, without waiting: what the peer does not take at once
  // goes out later. Then the connection is parked for its next request, or closed.
  enum class Then : std::uint8_t { Keep, Close };
  void answer(int fd, std::uint16_t id, Answer answer, Then then);
  // Closes it.
  void drop(int fd);
  // Whether the peer of a request in hand has closed its side, so that nobody would read an answer.
  bool has_left(int fd) const;

  // No new connections from here on; those that are held go on.
  void stop_accepting();
  // Closes every connection on which no request has begun.
  void drop_idle();
  std::size_t connections() const { return connections_.size(); }
  std::uint64_t accepted() const { return accepted_; }  // since it was made

 private:
  enum class Stage : std::uint8_t { Reads, InHand, Writes };
  struct Connection : loop::Watcher {
    Connection(Listener& listener, base::UniqueFd owned, base::TimePoint now)
        : owner(listener), fd(std::move(owned)), since(now) {}
    void ready(std::uint32_t events) override { owner.ready(*this, events); }

    Listener& owner;
    base::UniqueFd fd;
    base::TimePoint since;  // parked, the first byte of a request that came in pieces, or answered
    std::string bytes;      // of a request that has begun, or of an answer that is not sent yet
    std::size_t sent = 0;   // of those of an answer
    Stage stage = Stage::Reads;
    Then then = Then::Keep;
    bool watched = true;  // for what the stage waits for
    bool left = false;
  };
  enum class Look { Ready, Wait, Gone };

  void ready(std::uint32_t events) override;  // the socket
  void ready(Connection& connection, std::uint32_t events);
  void watch_socket(bool wanted);
  void accept_one();
  bool watch(Connection& connection, std::uint32_t events);  // false when the kernel cannot
  // Adds to the requests that are ready, when one is.
  Look look(Connection& connection, bool hung_up);
  Look judge(Connection& connection);
  bool answer_values(const Connection& connection, std::string_view record);
  void send_last(int fd, const std::string& bytes);
  void write_more(Connection& connection);
  void answered(Connection& connection);
  void close(Connection& connection);
  void sweep(base::TimePoint now);

  const int socket_;
  const ListenerSettings settings_;
  AcceptPolicy& policy_;
  loop::Loop& loop_;
  const base::Clock& clock_;
  std::unordered_map<int, std::unique_ptr<Connection>> connections_;
  std::uint64_t accepted_ = 0;
  bool accepting_ = true;
  bool watching_ = false;           // the socket is in the loop's set
  base::TimePoint paused_until_{};  // no descriptors were left
  bool said_paused_ = false;
  bool rotate_ = false;  // it has to go to the end of the socket's queue of waiters
  std::vector<Ready> ready_;
  std::vector<Ready> taken_;
  std::vector<Refused> refused_;
  int values_left_ = 0;  // GET_VALUES that the connection in hand may still ask
  base::TimePoint last_sweep_;
  std::unique_ptr<std::array<char, 64 * 1024>> buffer_;
};

}  // namespace svc::fastcgi
