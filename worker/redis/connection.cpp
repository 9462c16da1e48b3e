#include "redis/connection.h"

#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/inet_address.h"
#include "base/unix_address.h"
#include "redis/function.h"
#include "redis/locator.h"
#include "redis/reply.h"
#include "redis/reply_shape.h"

namespace svc::redis {
namespace {

constexpr std::size_t kReadAtOnce = 64 * 1024;  // bytes

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

std::string with_errno(const char* what, int error) {
  return std::string(what) + ": " + std::strerror(error);
}

}  // namespace

Connection::Connection(const ConnectionSettings& settings, loop::Loop& loop)
    : settings_(settings),
      loop_(loop),
      locator_(settings.address.path.empty() ? std::make_unique<Locator>(settings, loop)
                                             : nullptr) {}

Connection::~Connection() { close(); }

void Connection::watch(std::uint32_t events) {
  if (watched_ == events) return;
  loop_.watch(fd_.get(), events, *this);
  watched_ = events;
}

void Connection::ready(std::uint32_t events) {
  if ((events & EPOLLOUT) != 0 && !out_.empty()) flush();
  if (const auto waiting = std::exchange(waiting_, nullptr)) waiting.resume();
}

// ---- opening ----

loop::Task<> Connection::open() {
  close();
  missing_ = "no connection";
  reader_ = new_reader();
  if (!reader_) throw base::Unavailable("not enough memory for a connection");
  co_await connect_to_server();
  missing_ = "no reply";
  co_await greet();
}

loop::Task<> Connection::connect_to_server() {
  if (!locator_) {
    const auto path = base::UnixAddress::of(settings_.address.path);
    if (!path) throw base::Unavailable("the path is too long");
    co_await connect(path->get(), path->size(), nullptr);
    co_return;
  }
  const std::vector<Located> servers = co_await locator_->find();
  std::string why;
  for (const Located& server : servers) {
    try {
      const auto address = base::InetAddress::of(server.literal, server.port);
      if (!address) throw base::Unavailable(server.literal + " is not an address");
      const std::string* const certified = settings_.address.tls ? &server.host : nullptr;
      co_await connect(address->get(), address->size(), certified);
      co_return;
    } catch (const base::Unavailable& error) {
      why = error.what();
    }
  }
  throw base::Unavailable(why);
}

loop::Task<> Connection::connect(const sockaddr* address, socklen_t length,
                                 const std::string* certified) {
  disconnect();
  if (certified != nullptr) {
    if (settings_.tls == nullptr) throw base::Unavailable("TLS is not configured");
    try {
      tls_.emplace(*settings_.tls, *certified);
    } catch (const std::runtime_error& error) {
      throw base::Unavailable(error.what());
    }
  }
  fd_.reset(socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd_) throw base::Unavailable(with_errno("socket", errno));
  if (address->sa_family != AF_UNIX) {
    const int on = 1;
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  int error = ::connect(fd_.get(), address, length) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    watch(EPOLLOUT);
    co_await readable();
    socklen_t size = sizeof error;
    if (getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  }
  if (error != 0) throw base::Unavailable(with_errno("connect", error));
  watch(EPOLLIN);
  if (!tls_) co_return;
  co_await shake_hands();
}

loop::Task<> Connection::shake_hands() {
  missing_ = "no TLS handshake";
  while (true) {
    const base::TlsSession::State state = tls_->shake_hands();
    // Also after a failure, so that the server can log the reason.
    tls_->take_output(out_);
    flush();
    if (state == base::TlsSession::State::Failed) throw base::Unavailable(tls_->error());
    if (state == base::TlsSession::State::Open) break;
    if (receive_sealed()) continue;
    if (!broken_.empty()) throw base::Unavailable(broken_);
    if (is_closed_) throw base::Unavailable("the connection was closed in the TLS handshake");
    co_await readable();
  }
  is_drained_ = false;
}

// Logs in. The server may answer all of it at once.
loop::Task<> Connection::greet() {
  std::string bytes;
  std::vector<ReplyShape> shapes;
  const auto add = [&](Words words) {
    append_command(bytes, words);
    shapes.push_back(shape_of(words));
  };
  if (!settings_.password.empty()) {
    if (settings_.username.empty()) {
      add({"AUTH", settings_.password});
    } else {
      add({"AUTH", settings_.username, settings_.password});
    }
  }
  if (settings_.address.database != 0) add({"SELECT", std::to_string(settings_.address.database)});
  add({"CLIENT", "SETNAME", settings_.name});
  const std::string protocol = std::to_string(settings_.functions);
  if (settings_.functions != 0) add({"FCALL", "protocol", "0", protocol});
  // The Sentinels may not know of a failover yet.
  if (settings_.address.kind == Address::Kind::Sentinel) add({"ROLE"});
  write(bytes);
  for (const ReplyShape& shape : shapes) {
    redisReply* raw = next();
    while (raw == nullptr) {
      co_await readable();
      raw = next();
    }
    const Reply reply(raw);
    if (raw->type == REDIS_REPLY_ERROR) {
      const std::string_view why(raw->str, raw->len);
      throw base::Unavailable(std::string(are_functions_missing(why) ? kFunctionsMissing : why));
    }
    if (!shape.matches(*raw))
      throw base::Unavailable("a reply of another shape than its command's");
    // The reply to ROLE is the only array.
    if (raw->type == REDIS_REPLY_ARRAY && reply.at(0).text() != "master") {
      locator_->was_wrong();
      throw base::Unavailable("the server is not a primary");
    }
  }
}

void Connection::close() {
  disconnect();
  reader_.reset();
  waiting_ = nullptr;
}

void Connection::disconnect() {
  if (tls_ && fd_ && out_.empty()) {
    tls_->close();
    tls_->take_output(out_);
    if (!out_.empty()) send(fd_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
  }
  loop_.forget(fd_.get());
  fd_.reset();
  watched_ = 0;
  is_drained_ = is_closed_ = false;
  broken_.clear();
  tls_.reset();
  out_.clear();
  sent_ = 0;
}

// ---- writing ----

void Connection::write(std::string_view bytes) {
  if (bytes.empty()) return;
  if (!tls_) {
    out_ += bytes;
  } else if (tls_->write(bytes)) {
    tls_->take_output(out_);
  } else {
    return end(tls_->error());
  }
  flush();
}

void Connection::flush() {
  while (sent_ < out_.size()) {
    const ssize_t count = send(fd_.get(), out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
    if (count >= 0) {
      sent_ += static_cast<std::size_t>(count);
    } else if (would_block()) {
      return watch(EPOLLIN | EPOLLOUT);
    } else if (errno != EINTR) {
      // What the peer sent before it closed the connection is read first: TLS
      // may tell why.
      const bool is_by_peer = errno == EPIPE || errno == ECONNRESET;
      end(is_by_peer ? "" : with_errno("write", errno));
      break;
    }
  }
  out_.clear();
  sent_ = 0;
  watch(EPOLLIN);
}

// The reader finds the end.
void Connection::end(std::string why) {
  broken_ = std::move(why);
  shutdown(fd_.get(), SHUT_RDWR);
}

// ---- reading ----

redisReply* Connection::next() {
  static thread_local std::array<char, kReadAtOnce> buffer;
  while (true) {
    void* reply = nullptr;
    if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK)
      throw base::Unavailable(reader_->errstr);
    if (reply != nullptr) return static_cast<redisReply*>(reply);
    if (tls_ && tls_->state() == base::TlsSession::State::Failed)
      throw base::Unavailable(tls_->error());
    if (is_closed_ && !broken_.empty()) throw base::Unavailable(broken_);
    if (is_closed_) throw Closed();
    if (std::exchange(is_drained_, false)) return nullptr;
    const std::size_t count = tls_ ? read_tls(buffer) : receive(buffer);
    if (count > 0 && redisReaderFeed(reader_.get(), buffer.data(), count) != REDIS_OK)
      throw base::Unavailable(reader_->errstr);
  }
}

std::size_t Connection::receive(std::span<char> into) {
  while (true) {
    const ssize_t count = recv(fd_.get(), into.data(), into.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && !would_block() && errno != ECONNRESET) broken_ = with_errno("read", errno);
    is_closed_ = count == 0 || (count < 0 && !would_block());
    const std::size_t got = count > 0 ? static_cast<std::size_t>(count) : 0;
    // Saves a call that would only return EAGAIN.
    is_drained_ = got < into.size();
    return got;
  }
}

// Reads encrypted bytes once. Returns false if there were none.
bool Connection::receive_sealed() {
  static thread_local std::array<char, kReadAtOnce> buffer;
  const std::size_t count = receive(buffer);
  tls_->receive({buffer.data(), count});
  return count > 0;
}

// A record has at most 16 KiB, so several are decrypted into one buffer.
std::size_t Connection::read_tls(std::span<char> into) {
  std::size_t count = 0;
  while (count < into.size()) {
    const std::size_t got = tls_->read(into.subspan(count));
    const bool is_more = got > 0 || (tls_->state() == base::TlsSession::State::Open &&
                                     !is_drained_ && receive_sealed());
    if (!is_more) break;
    count += got;
  }
  is_drained_ = count < into.size();
  is_closed_ = is_closed_ || tls_->state() == base::TlsSession::State::Closed;
  // Reading can produce output: the answer to a KeyUpdate (RFC 8446 §4.6.3), or
  // an alert.
  tls_->take_output(out_);
  if (!out_.empty()) flush();
  return count;
}

}  // namespace svc::redis
