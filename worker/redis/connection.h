// Connection: one connection to a Redis server: its socket, TLS for rediss://,
// and the handshake.
//
// It never blocks. One coroutine awaits open() and then takes replies:
//
//   while (true) {
//     while (redisReply* const reply = connection.next()) take(reply);
//     co_await connection.readable();
//   }
//
// If that coroutine is cancelled, call close().
#pragma once

#include <sys/socket.h>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/tls.h"
#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "redis/connection_settings.h"
#include "redis/protocol.h"

struct redisReply;

namespace svc::redis {

class Locator;

class Connection : private loop::Watcher {
 public:
  // The peer closed it.
  class Closed : public base::Unavailable {
   public:
    Closed() : Unavailable("the connection was closed") {}
  };
  struct Readable {
    Connection& connection;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) noexcept { connection.waiting_ = waiting; }
    void await_resume() const noexcept {}
  };

  // The references must outlive the connection.
  Connection(const ConnectionSettings& settings, loop::Loop& loop);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Connects to the server that the settings name, at the first of its
  // addresses that accepts, and logs in. Throws base::Unavailable.
  loop::Task<> open();
  // Returns what open() still waits for: "no connection", "no TLS handshake" or
  // "no reply".
  std::string_view missing() const { return missing_; }

  // Writes the bytes, as soon as the socket's buffer has room for them. If the
  // connection has ended, they are dropped: next() throws.
  void write(std::string_view bytes);
  // Returns true if the socket's buffer is full.
  bool is_blocked() const { return (watched_ & EPOLLOUT) != 0; }

  // Returns the next reply, whose owner is the caller; nullptr if it has not
  // arrived. Throws base::Unavailable if the connection has ended.
  redisReply* next();
  // Awaits more bytes, or the end.
  Readable readable() { return {*this}; }

  // Sends a close_notify, if TLS is established, without waiting; closes.
  void close();

 private:
  void ready(std::uint32_t events) override;
  void watch(std::uint32_t events);

  loop::Task<> connect_to_server();
  loop::Task<> connect(const sockaddr* address, socklen_t length, const std::string* certified);
  loop::Task<> shake_hands();
  loop::Task<> greet();

  // Closes the socket.
  void disconnect();
  // Ends a connection that cannot be written to: next() then throws.
  void end(std::string why);
  // Sends out_, or the part for which the socket's buffer has room.
  void flush();
  // Returns the number of bytes that were read; 0 sets is_drained_ or
  // is_closed_.
  std::size_t receive(std::span<char> into);
  bool receive_sealed();
  std::size_t read_tls(std::span<char> into);

  const ConnectionSettings& settings_;
  loop::Loop& loop_;
  const std::unique_ptr<Locator> locator_;  // nullptr: a unix socket, which needs none
  std::string_view missing_;
  ReplyReader reader_;
  base::UniqueFd fd_;
  std::uint32_t watched_ = 0;
  std::coroutine_handle<> waiting_;
  bool is_drained_ = false;  // everything that arrived was read
  bool is_closed_ = false;   // by the peer
  std::string broken_;       // why it cannot be written to
  std::optional<base::TlsSession> tls_;
  std::string out_;  // encrypted with TLS
  std::size_t sent_ = 0;
};

}  // namespace svc::redis
