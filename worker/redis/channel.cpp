#include "redis/channel.h"

#include <hiredis/hiredis.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/inet_address.h"
#include "base/log.h"
#include "base/unix_address.h"
#include "redis/gathering.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kChannelRead = 64 * 1024;  // bytes
// "message", the channel, and its content: a text, or keys. Nil: all keys.
constexpr ReplyShape kMessage{"[$$$][$$?[;$]]"};
// The part of the timeout that a WAIT may take.
constexpr std::int64_t kWaitNumerator = 2;
constexpr std::int64_t kWaitDenominator = 5;

// The reply to ROLE is the only array of a handshake. Its first element is
// "master" for a primary.
bool is_wrong_role(bool of_handshake, const redisReply& reply) {
  if (!of_handshake || reply.type != REDIS_REPLY_ARRAY || reply.elements == 0) return false;
  const redisReply& role = *reply.element[0];
  return role.str == nullptr || std::string_view(role.str, role.len) != "master";
}

}  // namespace

// ---- Call ----

Channel::Call::Call(Pending& pending) : pending_(&pending), next_(pending.calls) {
  pending.calls = this;
}

Channel::Call::~Call() {
  if (pending_ == nullptr) return;
  for (Call** at = &pending_->calls; *at != nullptr; at = &(*at)->next_) {
    if (*at != this) continue;
    *at = next_;
    return;
  }
}

void Channel::Call::finish(loop::Loop& loop) {
  pending_ = nullptr;
  done_ = true;
  wait_.resume_soon(loop);
  if (gathering_ != nullptr) gathering_->part_finished();
}

Reply Channel::Call::take() {
  if (reply_) return std::move(*reply_);
  switch (failure_) {
    case Failure::ErrorReply: throw ErrorReply(error_);
    case Failure::NotReplicated: throw NotReplicated(error_);
    case Failure::NoReply: break;
  }
  throw base::Unavailable(error_);
}

// ---- commands ----

Channel::Channel(ConnectionSettings settings, loop::Loop& loop, Redirector* redirector,
                 OnMessage on_message)
    : settings_(std::move(settings)),
      loop_(loop),
      redirector_(redirector),
      on_message_(std::move(on_message)),
      locator_(locator_for(settings_, loop)),
      timer_(loop, [this] { check_time(); }),
      locating_(loop) {}

Channel::~Channel() {
  shut();
  for (Pending& pending : queue_) abandon(pending);
  for (Held& held : held_) abandon(held.pending);
}

Channel::Call Channel::read(std::span<const std::string_view> words) {
  return call(Kind::SharedRead, words, {});
}
Channel::Call Channel::read(Words words) {
  return call(Kind::SharedRead, std::span(words.begin(), words.size()), {});
}
Channel::Call Channel::get(std::string_view key) {
  const std::array<std::string_view, 2> words{"GET", key};
  return call(Kind::SharedRead, words, {});
}
Channel::Call Channel::command(std::span<const std::string_view> words, ReplyShape shape) {
  return call(Kind::Once, words, shape);
}
Channel::Call Channel::command(Words words) {
  return call(Kind::Once, std::span(words.begin(), words.size()), {});
}

Channel::Call Channel::call(Kind kind, std::span<const std::string_view> words, ReplyShape shape) {
  if (!ensure_connected()) return Call(last_error_);
  std::string bytes;
  append_command(bytes, words);
  if (kind == Kind::SharedRead) {
    if (const auto at = shared_.find(bytes); at != shared_.end()) return Call(*at->second);
  }
  return Call(enqueue(kind, bytes, shape.form.empty() ? shape_of(words) : shape));
}

Channel::Call Channel::repeatable(std::span<const std::string_view> words, ReplyShape shape) {
  return call(Kind::Repeatable, words, shape);
}

Channel::Call Channel::replicated(std::span<const std::string_view> words, ReplyShape shape) {
  return call(Kind::Replicated, words, shape);
}

void Channel::send_and_forget(std::span<const std::string_view> words, ReplyShape shape) {
  if (!ensure_connected()) return;
  std::string bytes;
  append_command(bytes, words);
  enqueue(Kind::Forgotten, bytes, shape.form.empty() ? shape_of(words) : shape);
}
void Channel::send_and_forget(Words words) {
  send_and_forget(std::span(words.begin(), words.size()));
}

Channel::Pending& Channel::enqueue(Kind kind, std::string_view bytes, ReplyShape shape) {
  // A read after a write must not share the reply of an earlier read.
  if (kind != Kind::SharedRead) shared_.clear();
  const base::TimePoint now = loop_.clock().now();
  if (settings_.observer != nullptr && !asked_at_ && kind != Kind::Forgotten) asked_at_ = now;
  if (!timer_.is_set()) timer_.set(now + settings_.timeout);
  loop_.before_wait(*this);
  if (kind == Kind::Replicated) is_wait_due_ = true;
  // Hold commands back until the handshake has succeeded: a server that hangs
  // could otherwise execute commands whose callers have timed out.
  (kind != Kind::Handshake && in_handshake_ ? behind_handshake_ : out_) += bytes;
  Pending& pending = queue_.emplace_back(Pending{.kind = kind, .bytes = {}, .since = now});
  pending.shape = shape;
  // A redirected command was not executed, so any kind can be sent elsewhere.
  if (pending.may_repeat() || redirector_ != nullptr) pending.bytes = bytes;
  if (kind == Kind::SharedRead) shared_.emplace(pending.bytes, &pending);
  return pending;
}

// ---- connecting ----

bool Channel::ensure_connected() {
  if (state_ != State::Down) return true;
  if (loop_.clock().now() < closed_until_) return false;
  connect();
  return state_ != State::Down;
}

void Channel::connect() {
  reader_ = new_reader();
  if (!reader_) return fail("not enough memory for a connection");
  connect_until_ = loop_.clock().now() + settings_.timeout;
  said_refused_ = false;
  out_.clear();
  written_ = 0;
  state_ = State::Connecting;
  in_handshake_ = true;
  handshake();
  const Address& address = settings_.address;
  if (address.path.empty()) return locating_.spawn(locate());
  const auto unix_address = base::UnixAddress::of(address.path);
  if (!unix_address) return fail("the path is too long");
  const std::string why = connect_to(unix_address->get(), unix_address->size(), {});
  if (!why.empty()) fail(why);
}

// Queues the handshake's commands before all others. The connection need not be
// established yet.
void Channel::handshake() {
  const auto add = [this](Words words) {
    std::string bytes;
    const std::span all(words.begin(), words.size());
    append_command(bytes, all);
    enqueue(Kind::Handshake, bytes, shape_of(all));
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
  // The Sentinels may not know of a failover yet.
  if (settings_.address.kind == Address::Kind::Sentinel) add({"ROLE"});
}

loop::Task<> Channel::locate() {
  loop::Task<Locator::Found> finding = locator_->find();
  Locator::Found found = co_await finding;
  if (!found) {
    fail(found.error());
    co_return;
  }
  addresses_ = std::move(*found);
  connect_to_next("no address");
}

void Channel::connect_to_next(std::string why) {
  while (!addresses_.empty()) {
    const Located server = std::move(addresses_.front());
    addresses_.erase(addresses_.begin());
    const auto address = base::InetAddress::of(server.literal, server.port);
    why = address ? connect_to(address->get(), address->size(), server.host)
                  : server.literal + " is not an address";
    if (why.empty()) return;
  }
  fail(why);
}

std::string Channel::connect_to(const sockaddr* address, unsigned length, const std::string& host) {
  const Transport::Progress progress =
      transport_.connect(address, length, settings_.address.tls ? &host : nullptr, settings_.tls);
  if (progress == Transport::Progress::Failed) return transport_.error();
  const bool connected = progress == Transport::Progress::Done;
  state_ = connected ? State::Up : State::Connecting;
  if (!connected) timer_.set(connect_until_);
  return {};
}

// ---- bytes ----

void Channel::before_wait() {
  if (state_ != State::Up || is_waiting_ || transport_.is_blocked()) return;
  if (is_wait_due_ && !in_handshake_) {
    const base::TimePoint now = loop_.clock().now();
    // The commands of the turn have waited for the last WAIT, then for their own.
    const std::string most = std::to_string(
        std::max<std::int64_t>(1, settings_.timeout.count() * kWaitNumerator / kWaitDenominator));
    const std::string replicas = std::to_string(settings_.wait_replicas);
    const std::array<std::string_view, 3> words{"WAIT", replicas, most};
    append_command(out_, words);
    queue_.push_back({.kind = Kind::Wait, .bytes = {}, .since = now});
    queue_.back().shape = shape_of(words);
    if (!timer_.is_set()) timer_.set(now + settings_.timeout);
    is_wait_due_ = false;
    is_waiting_ = true;
  }
  write_out();
}

void Channel::write_out() {
  shared_.clear();
  switch (transport_.write(out_, written_)) {
    case Transport::Progress::Pending: return;
    case Transport::Progress::Closed: return closed_by_peer();
    case Transport::Progress::Failed: return fail(transport_.error());
    case Transport::Progress::Done: break;
  }
  out_.clear();
  written_ = 0;
}

void Channel::ready(std::uint32_t events) {
  if (state_ == State::Connecting) {
    const Transport::Progress progress = transport_.go_on();
    if (progress == Transport::Progress::Failed) return connect_to_next(transport_.error());
    if (progress == Transport::Progress::Pending) return;
    state_ = State::Up;
    write_out();
    return;
  }
  if ((events & EPOLLOUT) != 0 && state_ == State::Up) {
    write_out();
    if (is_wait_due_) loop_.before_wait(*this);
  }
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && state_ == State::Up) read_in();
}

void Channel::read_in() {
  static thread_local std::array<char, kChannelRead> buffer;
  while (true) {
    std::size_t count = 0;
    const Transport::Progress progress = transport_.read(buffer, count);
    if (count > 0 && redisReaderFeed(reader_.get(), buffer.data(), count) != REDIS_OK)
      return fail(reader_->errstr);
    while (count > 0) {
      void* reply = nullptr;
      if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK) return fail(reader_->errstr);
      if (reply == nullptr) break;
      take(static_cast<redisReply*>(reply));
      if (state_ != State::Up) return;
    }
    switch (progress) {
      case Transport::Progress::Pending: return;
      case Transport::Progress::Closed: return closed_by_peer();
      case Transport::Progress::Failed: return fail(transport_.error());
      case Transport::Progress::Done: break;
    }
  }
}

void Channel::take(redisReply* raw) {
  const Reply reply(raw);
  if (on_message_ && kMessage.matches(*raw) && reply.at(0).text() == "message")
    return on_message_(reply.at(2));
  if (queue_.empty()) return fail("a reply without a command");
  if (asked_at_ && queue_.front().kind != Kind::Forgotten) {
    settings_.observer->answered(loop_.clock().now() - *asked_at_);
    asked_at_.reset();
  }
  Pending& pending = queue_.front();
  if (raw->type == REDIS_REPLY_ERROR) {
    const std::string why(raw->str, raw->len);
    if (pending.kind == Kind::Handshake) return fail(why);
    if (was_redirected(why)) return;
    // A primary that was demoted. It did not execute the command.
    if (settings_.address.kind == Address::Kind::Sentinel && why.starts_with("READONLY"))
      return fail(why);
    if (pending.kind == Kind::Forgotten && !said_refused_) {
      said_refused_ = true;
      base::log::warn("store.refused", {{"store", settings_.address.to_text()}, {"reason", why}});
    }
    if (pending.kind == Kind::Wait) {
      is_waiting_ = false;
      end_held(why);
    }
    end(pending, why, Failure::ErrorReply, loop_);
  } else if (!pending.shape.matches(*raw)) {
    return fail("a reply of another shape than its command's");
  } else if (is_wrong_role(pending.kind == Kind::Handshake, *raw)) {
    locator_->was_wrong();
    return fail("the server is not a primary");
  } else if (pending.kind == Kind::Replicated) {
    hold(pending, reply);
  } else if (pending.kind == Kind::Wait) {
    take_wait(reply);
  } else {
    end(pending, reply, loop_);
  }
  const bool was_handshake = pending.kind == Kind::Handshake;
  queue_.pop_front();
  if (queue_.empty()) timer_.stop();
  if (was_handshake && (queue_.empty() || queue_.front().kind != Kind::Handshake)) {
    in_handshake_ = false;
    out_ += std::exchange(behind_handshake_, {});
    loop_.before_wait(*this);
    next_delay_ = {};
    if (said_lost_) {
      said_lost_ = false;
      base::log::info("store.back", {{"store", settings_.address.to_text()}});
    }
  }
}

void Channel::hold(Pending& pending, const Reply& reply) {
  Call* const calls = std::exchange(pending.calls, nullptr);
  Held& held = held_.emplace_back(Held{std::move(pending), reply});
  held.pending.calls = calls;
  relink(held.pending);
}

void Channel::take_wait(const Reply& reply) {
  is_waiting_ = false;
  loop_.before_wait(*this);
  if (reply.integer() < static_cast<std::int64_t>(settings_.wait_replicas)) {
    return end_held(std::to_string(reply.integer()) + " of " +
                    std::to_string(settings_.wait_replicas) + " replicas have the change");
  }
  said_unreplicated_ = false;
  std::deque<Held> confirmed;
  confirmed.swap(held_);
  for (Held& held : confirmed) end(held.pending, held.reply, loop_);
}

void Channel::end_held(const std::string& why) {
  if (held_.empty()) return;
  loop_.before_wait(*this);
  if (!said_unreplicated_) {
    said_unreplicated_ = true;
    base::log::warn("store.unreplicated",
                    {{"store", settings_.address.to_text()}, {"reason", why}});
  }
  std::deque<Held> unconfirmed;
  unconfirmed.swap(held_);
  for (Held& held : unconfirmed) {
    end(held.pending, settings_.address.to_text() + ": " + why, Failure::NotReplicated, loop_);
  }
}

bool Channel::was_redirected(const std::string& why) {
  if (redirector_ == nullptr) return false;
  Pending pending = std::move(queue_.front());
  if (!redirector_->redirect(*this, pending, why)) {
    queue_.front() = std::move(pending);
    return false;
  }
  queue_.pop_front();
  if (queue_.empty()) timer_.stop();
  return true;
}

void Channel::adopt(Pending pending, bool asking) {
  if (!ensure_connected()) return end(pending, last_error_, Failure::NoReply, loop_);
  if (asking) {
    std::string bytes;
    const std::array<std::string_view, 1> words{"ASKING"};
    append_command(bytes, words);
    enqueue(Kind::Forgotten, bytes, shape_of(words));
  }
  const std::string bytes = std::move(pending.bytes);
  // After ASKING, no other command may come in between, and no other may share the reply.
  Pending& again = enqueue(pending.kind == Kind::SharedRead ? Kind::Repeatable : pending.kind,
                           bytes, pending.shape);
  again.repeated = pending.repeated;
  again.redirected = static_cast<std::uint8_t>(pending.redirected + 1);
  again.calls = pending.calls;
  relink(again);
}

void Channel::relink(Pending& pending) {
  for (Call* call = pending.calls; call != nullptr; call = call->next_) call->pending_ = &pending;
}

void Channel::abandon(Pending& pending) {
  for (Call* call = pending.calls; call != nullptr; call = call->next_) call->pending_ = nullptr;
}

bool Channel::is_broken() const {
  return state_ == State::Down && loop_.clock().now() < closed_until_;
}

void Channel::close() {
  if (queue_.empty() && held_.empty()) shut();
}

void Channel::move() {
  if (state_ == State::Down) return;
  locating_.cancel();
  start_again(settings_.address.to_text() + ": the primary changed");
}

Channel::Call* Channel::take_calls(Pending& pending) {
  Call* first = nullptr;
  for (Call* call = std::exchange(pending.calls, nullptr); call != nullptr;)
    first = std::exchange(call, std::exchange(call->next_, first));
  return first;
}

void Channel::end(Pending& pending, const Reply& reply, loop::Loop& loop) {
  for (Call* call = take_calls(pending); call != nullptr;) {
    Call* const next = call->next_;  // finishing a part of a Gathering may end the call's owner
    call->reply_ = reply;
    call->finish(loop);
    call = next;
  }
}

void Channel::end(Pending& pending, const std::string& error, Failure failure, loop::Loop& loop) {
  for (Call* call = take_calls(pending); call != nullptr;) {
    Call* const next = call->next_;
    call->error_ = error;
    call->failure_ = failure;
    call->finish(loop);
    call = next;
  }
}

// ---- failing ----

// A restarted server closes its connections. Repeatable commands are sent
// again, once. All others fail: it is unknown whether they were executed.
void Channel::closed_by_peer() {
  if (settings_.observer != nullptr) settings_.observer->closed();
  if (queue_.empty() && held_.empty()) return shut();
  const bool was_handshake = !queue_.empty() && queue_.front().kind == Kind::Handshake;
  if (was_handshake) return fail("the connection was closed");
  start_again(settings_.address.to_text() + ": the connection was closed");
}

void Channel::start_again(const std::string& why) {
  std::deque<Pending> before;
  before.swap(queue_);
  shared_.clear();
  shut();
  asked_at_.reset();
  end_held(why);
  const auto is_sent_again = [](const Pending& pending) {
    return pending.may_repeat() && !pending.repeated;
  };
  const bool any = std::ranges::any_of(before, is_sent_again);
  if (any) connect();
  for (Pending& pending : before) {
    if (!is_sent_again(pending) || state_ == State::Down) {
      end(pending, state_ == State::Down && any ? last_error_ : why, Failure::NoReply, loop_);
      continue;
    }
    Pending& again = enqueue(pending.kind, pending.bytes, pending.shape);
    again.repeated = true;
    again.calls = pending.calls;
    relink(again);
  }
}

// The first command in the queue is the oldest.
void Channel::check_time() {
  const base::TimePoint now = loop_.clock().now();
  const std::string within = " within " + std::to_string(settings_.timeout.count()) + " ms";
  if (state_ == State::Connecting) {
    if (now < connect_until_) return timer_.set(connect_until_);
    locating_.cancel();
    return fail((transport_.shakes_hands() ? "no TLS handshake" : "no connection") + within);
  }
  if (queue_.empty()) return;
  const base::TimePoint until = queue_.front().since + settings_.timeout;
  if (now >= until) return fail("no reply" + within);
  timer_.set(until);
}

void Channel::fail(const std::string& why) {
  const bool is_sent = !in_handshake_;
  std::deque<Pending> failed;
  failed.swap(queue_);
  shared_.clear();
  shut();
  asked_at_.reset();
  if (settings_.observer != nullptr) settings_.observer->failed();
  next_delay_ = std::clamp(next_delay_ * 2, settings_.first_delay, settings_.longest_delay);
  closed_until_ = loop_.clock().now() + next_delay_;
  if (!said_lost_ && !settings_.is_quiet) {
    said_lost_ = true;
    base::log::error("store.lost", {{"store", settings_.address.to_text()}, {"reason", why}});
  }
  last_error_ = settings_.address.to_text() + ": " + why;
  end_held(why);
  for (Pending& pending : failed) {
    const bool is_unsent = !is_sent && pending.kind != Kind::Handshake;
    if (is_unsent && redirector_ != nullptr && redirector_->take_unsent(*this, pending)) continue;
    end(pending, last_error_, Failure::NoReply, loop_);
  }
}

void Channel::shut() {
  loop_.forget(*this);
  transport_.close();
  reader_.reset();
  timer_.stop();
  addresses_.clear();
  out_.clear();
  behind_handshake_.clear();
  written_ = 0;
  is_wait_due_ = false;
  is_waiting_ = false;
  state_ = State::Down;
}

}  // namespace svc::redis
