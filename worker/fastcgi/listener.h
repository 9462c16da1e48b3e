// Listener: the socket that nginx connects to, and the open connections.
//
// A request is ready once all of it has arrived (fastcgi/request_inspection). The caller then
// answers it or drops its connection, in this turn of the loop or any later
// one. An idle keep-alive connection stays in the loop's set, so a request on
// it costs one wait, one read and one write.
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
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "fastcgi/request_inspection.h"
#include "loop/loop.h"

namespace svc::fastcgi {

struct ListenerSettings {
  Limits limits;
  base::Duration read_timeout = std::chrono::seconds(5);  // from a request's first byte to its last
  base::Duration write_timeout =
      std::chrono::seconds(2);  // without progress, because the peer does not read
  base::Duration idle_timeout =
      std::chrono::seconds(120);  // longer than nginx keeps idle connections
};

// Decides before each wait whether this worker accepts new connections.
// Declared here, because the implementation needs the scoreboard, which this
// folder must not use.
class AcceptPolicy {
 public:
  virtual ~AcceptPolicy() = default;
  virtual bool may_accept(std::size_t held) = 0;
};

// A whole request on a connection. The Listener owns the connection.
struct Ready {
  int fd = -1;
  std::uint16_t id = 0;      // id of the request, §3.3
  bool keeps = false;        // the peer requests keep-alive
  bool alone = true;         // false: bytes followed the request; they are lost
  std::string_view request;  // its bytes, without padding; valid until answer() or drop()
};

// A request that the Listener itself refused, for the log of requests.
struct Refused {
  std::string path;
  int status = 0;
};

// A whole response: a head as written by http::append_head(), and a body, empty
// for HEAD.
struct Answer {
  std::string_view head;
  std::string_view body;
};

class Listener : private loop::Watcher {
 public:
  // `socket` is listening and shared with the other workers. All references
  // must outlive the listener.
  Listener(int socket, const ListenerSettings& settings, AcceptPolicy& policy, loop::Loop& loop);
  ~Listener() override;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Called before each turn of the loop: starts or stops accepting, and closes
  // connections whose timeout has passed. Returns how long the turn may wait.
  base::Duration prepare_wait();
  // Returns the requests that became ready since the last call, at most one per
  // connection. The span is valid until the next turn.
  std::span<Ready> take_ready();
  // Returns the requests that the listener refused since the last call.
  std::vector<Refused> take_refused();

  // Sends the response to the current request of that connection. Does not
  // block: the rest of a response that the peer does not take immediately is
  // sent later. Then the connection waits for its next request, or is closed:
  // with Then::Close, if the peer has left, or after stop_accepting().
  enum class Then : std::uint8_t { Keep, Close };
  void answer(int fd, std::uint16_t id, Answer answer, Then then);
  // Closes the connection.
  void drop(int fd);
  // Returns true if the peer of the current request has closed its side: most
  // such peers would not read a response.
  bool has_left(int fd) const;
  // Returns true if that peer has closed both sides, so that it reads no response.
  bool has_gone(int fd) const;
  // Returns true if has_gone() became true for a connection since the last call.
  bool take_gone() { return std::exchange(any_gone_, false); }

  // Stops accepting. An open connection is closed after its next response.
  void stop_accepting();
  // Closes every connection on which no request has begun.
  void drop_idle();
  std::size_t connections() const { return connections_.size(); }
  std::uint64_t accepted() const { return accepted_; }  // number of accepted connections

 private:
  enum class Stage : std::uint8_t { Reads, InHand, Writes };
  struct Connection : loop::Watcher {
    Connection(Listener& listener, base::UniqueFd owned, base::TimePoint now)
        : owner(listener), fd(std::move(owned)), since(now) {}
    void ready(std::uint32_t events) override { owner.ready(*this, events); }

    Listener& owner;
    base::UniqueFd fd;
    base::TimePoint since;  // when the connection became idle, a partial request began, or the peer
                            // last took a piece of the response
    std::string bytes;      // a partial or the current request, or the rest of a response
    std::size_t sent = 0;   // bytes of that rest that were sent
    Stage stage = Stage::Reads;
    Then then = Then::Keep;
    bool watched = true;  // for requests (kReads)
    bool left = false;
    bool gone = false;
  };
  enum class Look { Ready, Wait, Gone };

  void ready(std::uint32_t events) override;  // the socket
  void ready(Connection& connection, std::uint32_t events);
  void watch_socket(bool wanted);
  void accept_one();
  bool watch(Connection& connection, std::uint32_t events);  // Returns false if the kernel refuses.
  // Reads and checks the connection's bytes. Adds a complete request to ready_.
  Look look(Connection& connection, bool hung_up);
  Look judge(Connection& connection);
  // Sends the reply to records that are not a request, if any. Returns false if
  // the connection is to be closed.
  bool reply(const Connection& connection, std::string_view bytes);
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
  base::TimePoint paused_until_{};  // no accept() before; set after running out of descriptors
  bool said_paused_ = false;
  bool any_gone_ = false;
  bool rotate_ = false;  // re-register the socket, so that this worker is last in its queue
  std::vector<Ready> ready_;
  std::vector<Ready> taken_;
  std::vector<Refused> refused_;
  int replies_left_ = 0;  // reply() to the current connection, before others get their turn
  base::TimePoint last_sweep_;
  std::unique_ptr<std::array<char, 64 * 1024>> buffer_;
};

}  // namespace svc::fastcgi
