#include "redis/transport.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace svc::redis {
namespace {

constexpr std::size_t kTransportRead = 64 * 1024;  // bytes

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

Transport::Progress Transport::fail(std::string why) {
  error_ = std::move(why);
  return Progress::Failed;
}

Transport::Progress Transport::fail_by_errno(const char* what) {
  return fail(std::string(what) + ": " + std::strerror(errno));
}

void Transport::watch(std::uint32_t events) {
  if (watched_ == events) return;
  loop_.watch(fd_.get(), events, watcher_);
  watched_ = events;
}

// ---- connecting ----

Transport::Progress Transport::connect(const sockaddr* address, socklen_t length,
                                       const std::string* certified, const base::TlsClient* tls) {
  close();
  if (certified != nullptr) {
    if (tls == nullptr) return fail("TLS is not configured");
    try {
      tls_.emplace(*tls, *certified);
    } catch (const std::runtime_error& error) {
      return fail(error.what());
    }
  }
  fd_.reset(socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd_) return fail_by_errno("socket");
  if (address->sa_family != AF_UNIX) {
    const int on = 1;
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  is_connected_ = ::connect(fd_.get(), address, length) == 0;
  if (!is_connected_ && errno != EINPROGRESS) return fail_by_errno("connect");
  watch(is_connected_ ? EPOLLIN : EPOLLOUT);
  if (!is_connected_) return Progress::Pending;
  return tls_ ? shake_hands() : Progress::Done;
}

Transport::Progress Transport::go_on() {
  if (!is_connected_) {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
    if (error != 0) return fail(std::string("connect: ") + std::strerror(error));
    is_connected_ = true;
  }
  return tls_ ? shake_hands() : Progress::Done;
}

Transport::Progress Transport::shake_hands() {
  while (true) {
    const base::TlsSession::State state = tls_->shake_hands();
    // Also after a failure, so that the server can log the reason.
    tls_->take_output(sealed_);
    const Progress sent = send_sealed();
    if (state == base::TlsSession::State::Failed) return fail(tls_->error());
    if (state == base::TlsSession::State::Open) return Progress::Done;
    if (sent == Progress::Failed) return sent;
    bool is_drained = false;
    const Progress received = receive(is_drained);
    if (received == Progress::Closed) return fail("the connection was closed in the TLS handshake");
    if (received == Progress::Failed) return received;
    if (received == Progress::Pending) {
      watch(sent == Progress::Pending ? EPOLLIN | EPOLLOUT : EPOLLIN);
      return Progress::Pending;
    }
  }
}

void Transport::close() {
  if (tls_ && fd_ && sealed_.empty()) {
    tls_->close();
    tls_->take_output(sealed_);
    if (!sealed_.empty()) send(fd_.get(), sealed_.data(), sealed_.size(), MSG_NOSIGNAL);
  }
  loop_.forget(fd_.get());
  fd_.reset();
  watched_ = 0;
  is_connected_ = false;
  tls_.reset();
  sealed_.clear();
  sealed_sent_ = 0;
}

// ---- bytes ----

Transport::Progress Transport::send_all(std::string_view bytes, std::size_t& sent) {
  while (sent < bytes.size()) {
    const ssize_t count = send(fd_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && would_block()) return Progress::Pending;
    if (count < 0 && (errno == EPIPE || errno == ECONNRESET)) return Progress::Closed;
    if (count < 0) return fail_by_errno("write");
    sent += static_cast<std::size_t>(count);
  }
  return Progress::Done;
}

Transport::Progress Transport::send_sealed() {
  const Progress progress = send_all(sealed_, sealed_sent_);
  if (progress != Progress::Done) return progress;
  sealed_.clear();
  sealed_sent_ = 0;
  return progress;
}

Transport::Progress Transport::write(std::string_view bytes, std::size_t& written) {
  Progress progress = Progress::Done;
  if (tls_) {
    if (written < bytes.size() && !tls_->write(bytes.substr(written))) return fail(tls_->error());
    written = bytes.size();
    tls_->take_output(sealed_);
    progress = send_sealed();
    if (progress == Progress::Closed) return read_last_alert();
  } else {
    progress = send_all(bytes, written);
  }
  if (progress == Progress::Done) watch(EPOLLIN);
  if (progress == Progress::Pending) watch(EPOLLIN | EPOLLOUT);
  return progress;
}

// A server that refuses the client's certificate sends an alert, after the
// client's handshake (RFC 8446 §4.4.2.4), and closes. The alert has the reason.
Transport::Progress Transport::read_last_alert() {
  std::array<char, 4096> dropped{};
  bool is_drained = false;
  while (receive(is_drained) == Progress::Done) {
    while (tls_->read(dropped) > 0) {
    }
  }
  return tls_->state() == base::TlsSession::State::Failed ? fail(tls_->error()) : Progress::Closed;
}

// Reads encrypted bytes once. `is_drained` is set if nothing more has arrived.
Transport::Progress Transport::receive(bool& is_drained) {
  static thread_local std::array<char, kTransportRead> buffer;
  while (true) {
    const ssize_t count = recv(fd_.get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && would_block()) return Progress::Pending;
    if (count == 0 || (count < 0 && errno == ECONNRESET)) return Progress::Closed;
    if (count < 0) return fail_by_errno("read");
    is_drained = static_cast<std::size_t>(count) < buffer.size();
    tls_->receive({buffer.data(), static_cast<std::size_t>(count)});
    return Progress::Done;
  }
}

Transport::Progress Transport::read(std::span<char> into, std::size_t& count) {
  count = 0;
  if (tls_) return read_tls(into, count);
  while (true) {
    const ssize_t got = recv(fd_.get(), into.data(), into.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && would_block()) return Progress::Pending;
    if (got == 0 || (got < 0 && errno == ECONNRESET)) return Progress::Closed;
    if (got < 0) return fail_by_errno("read");
    count = static_cast<std::size_t>(got);
    // Saves a call that would only return EAGAIN.
    return count == into.size() ? Progress::Done : Progress::Pending;
  }
}

// A record has at most 16 KiB, so several are decrypted into one buffer.
Transport::Progress Transport::read_tls(std::span<char> into, std::size_t& count) {
  Progress progress = Progress::Done;
  bool is_drained = false;
  while (count < into.size() && progress == Progress::Done) {
    const std::size_t got = tls_->read(into.subspan(count));
    count += got;
    if (got > 0) continue;
    switch (tls_->state()) {
      case base::TlsSession::State::Closed: progress = Progress::Closed; break;
      case base::TlsSession::State::Failed: progress = fail(tls_->error()); break;
      default: progress = is_drained ? Progress::Pending : receive(is_drained);
    }
  }
  // Reading can produce output: the answer to a KeyUpdate (RFC 8446 §4.6.3), or
  // an alert.
  tls_->take_output(sealed_);
  if (!sealed_.empty() && send_sealed() == Progress::Pending) watch(EPOLLIN | EPOLLOUT);
  return progress;
}

}  // namespace svc::redis
