#include "fastcgi/listener.h"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/log.h"

namespace svc::fastcgi {
namespace {

using namespace std::chrono_literals;

constexpr int kTickMs = 1000;  // how often time limits are looked at
// While others should take the new connections: how soon to look whether they still can.
constexpr int kStandBackMs = 20;
constexpr auto kPause = 100ms;  // without descriptors: until it is tried again
// A connection that has more GET_VALUES at once is flooding us, and is closed: nobody needs a
// second answer, and everybody else would wait.
constexpr int kMostValuesAtOnce = 32;
// Bytes that a parked connection keeps room for.
constexpr std::size_t kKeptRoom = 8192;
constexpr std::uint64_t kSocketMark = ~std::uint64_t{0};
constexpr std::uint64_t kOtherMark = kSocketMark - 1;

void must(bool ok, const char* what) {
  if (ok) return;
  base::log::error("listener.failed", {{"call", what}, {"reason", std::strerror(errno)}});
  std::abort();
}

void give_room_back(std::string& parked) {
  if (parked.capacity() > kKeptRoom) parked.shrink_to_fit();
}

}  // namespace

Listener::Listener(int socket, const ListenerSettings& settings, AcceptPolicy& policy,
                   const base::Clock& clock)
    : socket_(socket),
      settings_(settings),
      policy_(policy),
      clock_(clock),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      last_sweep_(clock.now()),
      buffer_(std::make_unique<std::array<char, 64 * 1024>>()) {
  must(static_cast<bool>(epoll_), "epoll_create1");
}

Listener::~Listener() = default;

// Exclusive: one new connection wakes one worker, the first in the socket's queue that waits.
// Taking the socket out and in again moves this worker to the end of that queue, so that new
// connections go round.
void Listener::watch_socket(bool wanted) {
  if (watching_ && (!wanted || rotate_)) {
    must(epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket_, nullptr) == 0, "epoll_ctl");
    watching_ = false;
  }
  rotate_ = false;
  if (wanted && !watching_) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLEXCLUSIVE;
    event.data.u64 = kSocketMark;
    must(epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket_, &event) == 0, "epoll_ctl");
    watching_ = true;
  }
}

void Listener::watch_too(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kOtherMark;
  must(epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
}

std::span<Ready> Listener::wait(const sigset_t& waiting, base::Duration at_most) {
  ready_.clear();
  other_is_ready_ = false;
  refused_.clear();
  const base::TimePoint now = clock_.now();
  if (now - last_sweep_ >= 1s) sweep(now);
  const bool wanted = accepting_ && policy_.may_accept(connections_.size()) && now >= paused_until_;
  if (wanted != watching_ || rotate_) watch_socket(wanted);
  const auto most = std::chrono::duration_cast<std::chrono::milliseconds>(at_most).count();
  const int timeout =
      std::min(accepting_ && !wanted ? kStandBackMs : kTickMs, static_cast<int>(most));
  const int count = epoll_pwait(epoll_.get(), events_.data(), static_cast<int>(events_.size()),
                                timeout, &waiting);
  must(count >= 0 || errno == EINTR, "epoll_pwait");
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events_[static_cast<std::size_t>(i)];
    if (event.data.u64 == kSocketMark) {
      accept_one();
      continue;
    }
    if (event.data.u64 == kOtherMark) {
      other_is_ready_ = true;
      continue;
    }
    // A connection may have been closed since the wait, and its number be another's by now; then
    // there is nothing on it yet, and that is what look() will see.
    const auto found = connections_.find(static_cast<int>(event.data.u64));
    if (found == connections_.end()) continue;
    const bool hung_up = (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
    if (look(found->second, hung_up) == Look::Gone) connections_.erase(found);
  }
  return ready_;
}

void Listener::accept_one() {
  base::UniqueFd fd(accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC));
  if (!fd) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      // The connection stays in the queue, and would wake us again at once.
      paused_until_ = clock_.now() + kPause;
      if (!said_paused_) base::log::error("accept.failed", {{"reason", std::strerror(errno)}});
      said_paused_ = true;
    }
    return;  // else another worker was faster, or the peer is gone again
  }
  ++accepted_;
  rotate_ = true;
  said_paused_ = false;
  const auto time = std::chrono::duration_cast<std::chrono::microseconds>(settings_.write_timeout);
  const timeval timeout{time.count() / 1'000'000, time.count() % 1'000'000};
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);

  if (!watch(fd.get())) return;
  const int number = fd.get();
  Connection& connection = connections_[number];
  connection = Connection{std::move(fd), clock_.now(), {}, false};
  // The request is usually there already: no need to wait for it.
  if (look(connection, false) == Look::Gone) connections_.erase(number);
}

// The bytes are taken out of the socket at once: half a request left in would wake us until the
// rest is there, and a sender of many small pieces would never get the rest in.
Listener::Look Listener::look(Connection& connection, bool hung_up) {
  values_left_ = kMostValuesAtOnce;
  while (true) {
    const ssize_t got = recv(connection.fd.get(), buffer_->data(), buffer_->size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return hung_up ? Look::Gone : Look::Wait;
    if (got <= 0) return Look::Gone;
    const bool begins = connection.bytes.empty();
    connection.bytes.append(buffer_->data(), static_cast<std::size_t>(got));
    const Look judged = judge(connection);
    if (judged != Look::Wait) return judged;
    if (begins) connection.since = clock_.now();
    // With less than there was room for, the socket is empty.
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
        if (!answer_values(connection, std::string_view(bytes).substr(0, inspection.size)))
          return Look::Gone;
        bytes.erase(0, inspection.size);
        // A peer that asks again once it has its answer does not ask "at once", however fast it is:
        // the next wait finds what it sent meanwhile.
        if (bytes.empty()) return give_room_back(bytes), Look::Wait;
        continue;
      case Verdict::Pass: {
        const bool alone = inspection.size == bytes.size();
        bytes.resize(inspection.size);
        if (inspection.padded) bytes = without_padding(bytes);
        ready_.push_back({connection.fd.get(), alone, bytes});
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

bool Listener::answer_values(const Connection& connection, std::string_view record) {
  if (values_left_-- <= 0) return false;
  const std::string answer = answer_get_values(record);
  return send(connection.fd.get(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(answer.size());
}

// What is still unread is read away before the connection closes, else the peer might be told of a
// reset before it has read the answer.
void Listener::send_last(int fd, const std::string& bytes) {
  [[maybe_unused]] const ssize_t sent =
      send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(fd, SHUT_WR);
  constexpr int kMaxReads = 64;
  for (int i = 0; i < kMaxReads && recv(fd, buffer_->data(), buffer_->size(), MSG_DONTWAIT) > 0;
       ++i) {
  }
}

void Listener::keep(int fd) {
  const auto found = connections_.find(fd);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  connection.since = clock_.now();
  connection.bytes.clear();
  give_room_back(connection.bytes);
  if (!connection.aside) return;
  connection.aside = false;
  if (!watch(fd)) connections_.erase(found);
}

void Listener::set_aside(int fd) {
  const auto found = connections_.find(fd);
  if (found == connections_.end() || found->second.aside) return;
  found->second.aside = true;
  must(epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr) == 0, "epoll_ctl");
}

bool Listener::watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.u64 = static_cast<std::uint64_t>(fd);
  return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void Listener::drop(int fd) { connections_.erase(fd); }

void Listener::stop_accepting() {
  accepting_ = false;
  watch_socket(false);
}

void Listener::drop_idle() {
  std::erase_if(connections_, [](const auto& entry) {
    int waiting = 0;
    const Connection& connection = entry.second;
    return connection.bytes.empty() &&
           (ioctl(connection.fd.get(), FIONREAD, &waiting) != 0 || waiting == 0);
  });
}

void Listener::sweep(base::TimePoint now) {
  last_sweep_ = now;
  std::erase_if(connections_, [&](const auto& entry) {
    const Connection& connection = entry.second;
    if (connection.aside) return false;
    return now - connection.since >
           (connection.bytes.empty() ? settings_.idle_timeout : settings_.read_timeout);
  });
}

}  // namespace svc::fastcgi
