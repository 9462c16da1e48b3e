// Transport: the socket of one connection to Redis: plain, or TLS for rediss://.
//
// It never blocks. The loop notifies the owner, which then calls go_on() until
// the connection is established, and read() and write() afterwards. The
// transport decides for which events the loop watches its socket.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/tls.h"
#include "base/unique_fd.h"
#include "loop/loop.h"

namespace svc::redis {

class Transport {
 public:
  enum class Progress : std::uint8_t {
    Done,
    Pending,  // the loop notifies the owner when it can continue
    Closed,   // by the peer
    Failed,   // error() has the reason
  };

  // `watcher` is notified. Both must outlive the transport.
  Transport(loop::Loop& loop, loop::Watcher& watcher) : loop_(loop), watcher_(watcher) {}
  ~Transport() { close(); }
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Begins to connect to a socket address, on a new socket. With `certified`, a
  // TLS handshake follows: the certificate must name that host, and `tls` must
  // outlive the connection. nullptr: plain.
  // Returns Done if the connection is established, Pending or Failed.
  Progress connect(const sockaddr* address, socklen_t length, const std::string* certified,
                   const base::TlsClient* tls);
  // Continues after connect() returned Pending. Returns Done, Pending or Failed.
  Progress go_on();
  // Writes the bytes after the first `written`, and adds their number. Pending
  // means that the socket's buffer is full; continue when it is ready. TLS
  // counts bytes as written that it keeps: call this again, even without new
  // bytes.
  Progress write(std::string_view bytes, std::size_t& written);
  // Reads into `into` and sets `count` to the number of bytes, which can be over 0 with any return
  // value. Done: there may be more. Pending: everything that arrived was read.
  Progress read(std::span<char> into, std::size_t& count);
  // Sends a close_notify, if TLS is established, without waiting; closes.
  void close();

  // Returns true while write() waits for the socket.
  bool is_blocked() const { return (watched_ & EPOLLOUT) != 0; }
  // Returns true after the socket is connected, if the TLS handshake is not
  // finished.
  bool shakes_hands() const {
    return tls_ && is_connected_ && tls_->state() == base::TlsSession::State::Handshake;
  }
  const std::string& error() const { return error_; }
  // Returns Failed with that error. The socket stays as it is.
  Progress fail(std::string why);

 private:
  Progress fail_by_errno(const char* what);
  void watch(std::uint32_t events);
  Progress shake_hands();
  Progress send_all(std::string_view bytes, std::size_t& sent);
  Progress send_sealed();
  Progress receive(bool& is_drained);
  Progress read_tls(std::span<char> into, std::size_t& count);
  Progress read_last_alert();

  loop::Loop& loop_;
  loop::Watcher& watcher_;
  base::UniqueFd fd_;
  std::uint32_t watched_ = 0;
  bool is_connected_ = false;
  std::optional<base::TlsSession> tls_;
  std::string sealed_;  // encrypted, not sent yet
  std::size_t sealed_sent_ = 0;
  std::string error_;
};

}  // namespace svc::redis
