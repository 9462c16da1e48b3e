#include "fastcgi/listener.h"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "fastcgi/answer_records.h"

namespace svc::fastcgi {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 1s;  // interval of checks of timeouts
// While other workers should accept: interval of checks whether they still
// should.
constexpr auto kStandBack = 20ms;
constexpr auto kPause = 100ms;  // after running out of descriptors: delay until the next accept()
// A connection that sends more management records or aborts in one go is
// closed: no peer needs a second reply, and all others would wait.
constexpr int kMostRepliesAtOnce = 32;
// Bytes of buffer that an idle connection may keep.
constexpr std::size_t kKeptRoom = 8192;
// Events of a connection that waits for a request, and of one with a request.
constexpr std::uint32_t kReads = EPOLLIN | EPOLLRDHUP;
constexpr std::uint32_t kLeaves = EPOLLRDHUP;

// Returns the reply to the records at the beginning of `bytes` that are not a
// request; empty if they are ignored.
std::string reply_to(const Inspection& inspection, std::string_view bytes) {
  switch (inspection.verdict) {
    case Verdict::GetValues: return answer_get_values(bytes.substr(0, inspection.size));
    case Verdict::UnknownType: return unknown_type(inspection.type);
    case Verdict::Abort: return aborted(inspection.request_id);
    default: return {};
  }
}

void give_room_back(std::string& parked) {
  if (parked.capacity() > kKeptRoom) parked.shrink_to_fit();
}

}  // namespace

Listener::Listener(int socket, const ListenerSettings& settings, AcceptPolicy& policy,
                   loop::Loop& loop)
    : socket_(socket),
      settings_(settings),
      policy_(policy),
      loop_(loop),
      clock_(loop.clock()),
      last_sweep_(clock_.now()),
      buffer_(std::make_unique<std::array<char, 64 * 1024>>()) {}

Listener::~Listener() {
  if (watching_) loop_.forget(socket_);
  for (const auto& [fd, connection] : connections_) loop_.forget(fd);
}

// EPOLLEXCLUSIVE: a new connection wakes one worker, the first waiting one in
// the socket's queue. Removing and adding the socket moves this worker to the
// end of that queue, so that the workers take turns.
void Listener::watch_socket(bool wanted) {
  if (watching_ && (!wanted || rotate_)) {
    loop_.forget(socket_);
    watching_ = false;
  }
  rotate_ = false;
  if (wanted && !watching_) {
    loop_.watch(socket_, EPOLLIN | EPOLLEXCLUSIVE, *this);
    watching_ = true;
  }
}

base::Duration Listener::prepare_wait() {
  const base::TimePoint now = clock_.now();
  if (now - last_sweep_ >= 1s) sweep(now);
  const bool wanted = accepting_ && policy_.may_accept(connections_.size()) && now >= paused_until_;
  if (wanted != watching_ || rotate_) watch_socket(wanted);
  return accepting_ && !wanted ? base::Duration(kStandBack) : base::Duration(kTick);
}

std::span<Ready> Listener::take_ready() {
  std::swap(taken_, ready_);
  ready_.clear();
  // Omit requests whose connection was dropped since.
  std::erase_if(taken_, [&](const Ready& one) { return !connections_.contains(one.fd); });
  return taken_;
}

std::vector<Refused> Listener::take_refused() { return std::exchange(refused_, {}); }

void Listener::ready(std::uint32_t) { accept_one(); }

void Listener::ready(Connection& connection, std::uint32_t events) {
  const bool hung_up = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  switch (connection.stage) {
    case Stage::Reads:
      if (look(connection, hung_up) == Look::Gone) close(connection);
      return;
    case Stage::InHand:
      connection.left |= hung_up;
      connection.gone |= (events & (EPOLLHUP | EPOLLERR)) != 0;
      any_gone_ |= connection.gone;
      // Stop watching for its next request, which would wake us until the
      // current request is answered. A disconnection wakes us only once per side.
      if (connection.gone || !watch(connection, connection.left ? 0U : kLeaves)) {
        loop_.forget(connection.fd.get());
        connection.watched = false;
      }
      return;
    case Stage::Writes: write_more(connection);
  }
}

void Listener::accept_one() {
  base::UniqueFd fd(accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC));
  if (!fd) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      // The connection stays in the queue and would wake us again immediately.
      paused_until_ = clock_.now() + kPause;
      if (!said_paused_) base::log::error("accept.failed", {{"reason", std::strerror(errno)}});
      said_paused_ = true;
    }
    return;  // otherwise another worker took it, or the peer has left
  }
  ++accepted_;
  rotate_ = true;
  said_paused_ = false;
  const int number = fd.get();
  const auto [at, fresh] = connections_.insert_or_assign(
      number, std::make_unique<Connection>(*this, std::move(fd), clock_.now()));
  Connection& connection = *at->second;
  if (!watch(connection, kReads)) {
    connections_.erase(number);
    return;
  }
  // The request has usually arrived already.
  if (look(connection, false) == Look::Gone) close(connection);
}

// Reads everything from the socket: the rest of a partial request would wake us
// until it is complete, and a request in many small pieces would never fit into
// the socket's buffer.
Listener::Look Listener::look(Connection& connection, bool hung_up) {
  replies_left_ = kMostRepliesAtOnce;
  while (true) {
    const ssize_t got = recv(connection.fd.get(), buffer_->data(), buffer_->size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return hung_up ? Look::Gone : Look::Wait;
    if (got <= 0) return Look::Gone;
    const bool begins = connection.bytes.empty();
    connection.bytes.append(buffer_->data(), static_cast<std::size_t>(got));
    const Look judged = judge(connection);
    if (judged != Look::Wait) return judged;
    if (begins) connection.since = clock_.now();
    // A short read means that the socket is empty.
    if (!hung_up && static_cast<std::size_t>(got) < buffer_->size()) return Look::Wait;
  }
}

Listener::Look Listener::judge(Connection& connection) {
  std::string& bytes = connection.bytes;
  while (true) {
    const Inspection inspection = inspect(bytes, settings_.limits);
    switch (inspection.verdict) {
      case Verdict::NeedMore: return Look::Wait;
      case Verdict::GetValues:
      case Verdict::UnknownType:
      case Verdict::Abort:
      case Verdict::Ignore:
        if (!reply(connection, reply_to(inspection, bytes))) return Look::Gone;
        if (inspection.verdict == Verdict::Abort && !inspection.keeps) {
          send_last(connection.fd.get(), "");
          return Look::Gone;
        }
        bytes.erase(0, inspection.size);
        // A peer that waits for each reply must not hit kMostRepliesAtOnce: its
        // next record is read in the next turn.
        if (bytes.empty()) return give_room_back(bytes), Look::Wait;
        continue;
      case Verdict::Pass: {
        const bool alone = inspection.size == bytes.size();
        bytes.resize(inspection.size);
        if (inspection.padded) bytes = without_padding(bytes);
        connection.stage = Stage::InHand;
        ready_.push_back({.fd = connection.fd.get(),
                          .id = inspection.request_id,
                          .keeps = inspection.keeps,
                          .alone = alone,
                          .request = bytes});
        return Look::Ready;
      }
      case Verdict::UnknownRole:
        send_last(connection.fd.get(), unknown_role(inspection.request_id));
        return Look::Gone;
      case Verdict::TooLarge:
        send_last(connection.fd.get(),
                  refusal(inspection.request_id, 413, "the request body is too large"));
        refused_.push_back({parameter(bytes, "DOCUMENT_URI"), 413});
        return Look::Gone;
      case Verdict::Refuse: return Look::Gone;
    }
  }
}

bool Listener::reply(const Connection& connection, std::string_view bytes) {
  if (replies_left_-- <= 0) return false;
  return bytes.empty() || send(connection.fd.get(), bytes.data(), bytes.size(),
                               MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes.size());
}

// Reads the rest before closing: otherwise the peer could get a reset before it
// has read the response.
void Listener::send_last(int fd, const std::string& bytes) {
  [[maybe_unused]] const ssize_t sent =
      send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(fd, SHUT_WR);
  constexpr int kMaxReads = 64;
  for (int i = 0; i < kMaxReads && recv(fd, buffer_->data(), buffer_->size(), MSG_DONTWAIT) > 0;
       ++i) {
  }
}

void Listener::answer(int fd, std::uint16_t id, Answer answer, Then then) {
  const auto found = connections_.find(fd);
  if (found == connections_.end()) return;
  Connection& connection = *found->second;
  const AnswerRecords records(id, answer.head, answer.body);
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(records.pieces().data());
  message.msg_iovlen = records.pieces().size();
  const ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  connection.then = then;
  connection.bytes.clear();
  if (sent == static_cast<ssize_t>(records.size())) return answered(connection);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) return close(connection);
  records.append_from(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)), connection.bytes);
  connection.sent = 0;
  connection.stage = Stage::Writes;
  connection.since = clock_.now();
  if (!watch(connection, EPOLLOUT)) close(connection);
}

void Listener::write_more(Connection& connection) {
  const std::string_view rest = std::string_view(connection.bytes).substr(connection.sent);
  const ssize_t sent =
      send(connection.fd.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) return close(connection);
  if (sent <= 0) return;
  connection.sent += static_cast<std::size_t>(sent);
  // The timeout is for each piece that the peer takes.
  connection.since = clock_.now();
  if (connection.sent < connection.bytes.size()) return;
  connection.bytes.clear();
  connection.watched = false;
  answered(connection);
}

void Listener::answered(Connection& connection) {
  if (connection.then == Then::Close || connection.left || !accepting_) return close(connection);
  connection.stage = Stage::Reads;
  connection.since = clock_.now();
  give_room_back(connection.bytes);
  if (!connection.watched && !watch(connection, kReads)) close(connection);
}

bool Listener::watch(Connection& connection, std::uint32_t events) {
  try {
    loop_.watch(connection.fd.get(), events, connection);
  } catch (const std::system_error&) {
    return false;
  }
  connection.watched = events == kReads;
  return true;
}

void Listener::close(Connection& connection) { drop(connection.fd.get()); }

void Listener::drop(int fd) {
  loop_.forget(fd);
  connections_.erase(fd);
}

bool Listener::has_left(int fd) const {
  const auto found = connections_.find(fd);
  return found == connections_.end() || found->second->left;
}

bool Listener::has_gone(int fd) const {
  const auto found = connections_.find(fd);
  return found == connections_.end() || found->second->gone;
}

void Listener::stop_accepting() {
  accepting_ = false;
  watch_socket(false);
}

void Listener::drop_idle() {
  std::vector<int> idle;
  for (const auto& [fd, connection] : connections_) {
    int waiting = 0;
    if (connection->stage == Stage::Reads && connection->bytes.empty() &&
        (ioctl(fd, FIONREAD, &waiting) != 0 || waiting == 0))
      idle.push_back(fd);
  }
  for (const int fd : idle) drop(fd);
}

void Listener::sweep(base::TimePoint now) {
  last_sweep_ = now;
  std::vector<int> late;
  for (const auto& [fd, connection] : connections_) {
    if (connection->stage == Stage::InHand) continue;
    const base::Duration patience = connection->stage == Stage::Writes ? settings_.write_timeout
                                    : connection->bytes.empty()        ? settings_.idle_timeout
                                                                       : settings_.read_timeout;
    if (now - connection->since > patience) late.push_back(fd);
  }
  for (const int fd : late) drop(fd);
}

}  // namespace svc::fastcgi
