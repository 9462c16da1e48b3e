#include "redis/channel.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/log.h"

namespace svc::redis {
namespace {

// "message", the channel, and its content: a text, or keys. Nil: all keys.
constexpr ReplyShape kMessage{"[$$$][$$?[;$]]"};
// The part of the timeout that a WAIT may take.
constexpr std::int64_t kWaitNumerator = 2;
constexpr std::int64_t kWaitDenominator = 5;

}  // namespace

// ---- calls ----

Channel::Call::Call(Pending& pending) : pending_(&pending), next_(pending.calls) {
  pending.calls = this;
}

Channel::Call::Call(Pending& pending, loop::Scope& scope, loop::Task<> task) : Call(pending) {
  scope.spawn(std::move(task));
}

Channel::Call::~Call() {
  if (pending_ == nullptr) return;
  for (Call** at = &pending_->calls; *at != nullptr; at = &(*at)->next_) {
    if (*at != this) continue;
    *at = next_;
    return;
  }
}

Reply Channel::Call::take() {
  if (error_) std::rethrow_exception(error_);
  return std::move(*reply_);
}

Channel::Pending::Pending(Pending&& other) noexcept
    : kind(other.kind),
      repeated(other.repeated),
      redirected(other.redirected),
      shape(other.shape),
      bytes(std::move(other.bytes)),
      since(other.since),
      calls(std::exchange(other.calls, nullptr)) {
  for (Call* call = calls; call != nullptr; call = call->next_) call->pending_ = this;
}

Channel::Pending::~Pending() {
  for (Call* call = calls; call != nullptr; call = call->next_) call->pending_ = nullptr;
}

// Returns the calls with the earliest first, the order in which their
// coroutines resume.
Channel::Call* Channel::Pending::take_calls() {
  Call* first = nullptr;
  for (Call* call = std::exchange(calls, nullptr); call != nullptr;) {
    call->pending_ = nullptr;
    first = std::exchange(call, std::exchange(call->next_, first));
  }
  return first;
}

void Channel::Pending::end(const Reply& reply, loop::Loop& loop) {
  for (Call* call = take_calls(); call != nullptr; call = call->next_) {
    call->reply_ = reply;
    call->wait_.resume_soon(loop);
  }
}

void Channel::Pending::end(const std::exception_ptr& error, loop::Loop& loop) {
  for (Call* call = take_calls(); call != nullptr; call = call->next_) {
    call->error_ = error;
    call->wait_.resume_soon(loop);
  }
}

// ---- commands ----

Channel::Channel(ConnectionSettings settings, loop::Loop& loop, Redirector* redirector,
                 OnMessage on_message)
    : settings_(std::move(settings)),
      loop_(loop),
      redirector_(redirector),
      on_message_(std::move(on_message)),
      connection_(settings_, loop, *this),
      timer_(loop, [this] { check_time(); }),
      running_(loop) {}

Channel::~Channel() { loop_.forget(*this); }

Channel::Call Channel::call(Kind kind, Words words, ReplyShape shape) {
  if (!ensure_connected()) return Call(last_outage_);
  std::string bytes;
  append_command(bytes, words);
  if (kind == Kind::SharedRead) {
    if (const auto at = shared_.find(bytes); at != shared_.end()) return Call(*at->second);
  }
  if (shape.form.empty()) shape = shape_of(words);
  return Call(enqueue({kind, shape, std::move(bytes)}));
}

void Channel::adopt(Pending pending, bool asking) {
  if (!ensure_connected()) return pending.end(last_outage_, loop_);
  if (asking) {
    const std::array<std::string_view, 1> words{"ASKING"};
    std::string bytes;
    append_command(bytes, words);
    enqueue({Kind::Forgotten, shape_of(words), std::move(bytes)});
  }
  // After ASKING, no other command may come in between, and no other may share the reply.
  if (pending.kind == Kind::SharedRead) pending.kind = Kind::Repeatable;
  ++pending.redirected;
  enqueue(std::move(pending));
}

Channel::Pending& Channel::enqueue(Pending pending) {
  // A read after a write must not share the reply of an earlier read.
  if (pending.kind != Kind::SharedRead) shared_.clear();
  pending.since = loop_.clock().now();
  if (settings_.observer != nullptr && !asked_at_ && pending.kind != Kind::Forgotten)
    asked_at_ = pending.since;
  if (!timer_.is_set()) timer_.set(pending.since + settings_.timeout);
  loop_.before_wait(*this);
  if (pending.kind == Kind::Replicated) is_wait_due_ = true;
  out_ += pending.bytes;
  // A redirected command was not executed, so any kind can be sent elsewhere.
  if (!pending.may_repeat() && redirector_ == nullptr) pending.bytes = {};
  Pending& queued = queue_.emplace_back(std::move(pending));
  if (queued.kind == Kind::SharedRead) shared_.emplace(queued.bytes, &queued);
  return queued;
}

// Commands are held back until the handshake has succeeded: a server that hangs
// could otherwise execute commands whose callers have timed out.
void Channel::before_wait() {
  shared_.clear();
  if (state_ != State::Up || (is_waiting_ && !connection_.is_blocked())) return;
  if (is_wait_due_ && !is_waiting_) {
    // The commands of the turn have waited for the last WAIT, then for their own.
    const std::string most = std::to_string(
        std::max<std::int64_t>(1, settings_.timeout.count() * kWaitNumerator / kWaitDenominator));
    const std::string replicas = std::to_string(settings_.wait_replicas);
    const std::array<std::string_view, 3> words{"WAIT", replicas, most};
    append_command(out_, words);
    Pending& wait = queue_.emplace_back(Kind::Wait, shape_of(words));
    wait.since = loop_.clock().now();
    if (!timer_.is_set()) timer_.set(wait.since + settings_.timeout);
    is_wait_due_ = false;
    is_waiting_ = true;
  }
  if (!connection_.write(out_, written_)) return;
  out_.clear();
  written_ = 0;
}

// ---- the connection ----

bool Channel::is_broken() const {
  return state_ == State::Down && loop_.clock().now() < closed_until_;
}

bool Channel::ensure_connected() {
  if (state_ == State::Down && !is_broken()) begin();
  return state_ != State::Down;
}

void Channel::begin() {
  state_ = State::Opening;
  said_refused_ = false;
  open_until_ = loop_.clock().now() + settings_.timeout;
  timer_.set(open_until_);
  running_.spawn(run());
}

loop::Task<> Channel::run() {
  bool is_closed = false;
  std::string why;
  try {
    loop::Task<> opening = connection_.open();
    co_await opening;
    opened();
    while (true) {
      while (redisReply* const reply = connection_.next()) take(reply);
      co_await connection_.readable();
    }
  } catch (const Connection::Closed& closed) {
    is_closed = true;
    why = closed.what();
  } catch (const base::Unavailable& error) {
    why = error.what();
  }
  if (!is_closed || state_ != State::Up) co_return fail(why);
  if (settings_.observer != nullptr) settings_.observer->closed();
  start_again(why);
}

void Channel::opened() {
  state_ = State::Up;
  next_delay_ = {};
  if (asked_at_) asked_at_ = loop_.clock().now();
  loop_.before_wait(*this);
  if (std::exchange(said_lost_, false))
    base::log::info("store.back", {{"store", settings_.address.to_text()}});
}

void Channel::take(redisReply* raw) {
  const Reply reply(raw);
  if (on_message_ && kMessage.matches(*raw) && reply.at(0).text() == "message")
    return on_message_(reply.at(2));
  if (queue_.empty()) throw base::Unavailable("a reply without a command");
  Pending& pending = queue_.front();
  if (asked_at_ && pending.kind != Kind::Forgotten) {
    settings_.observer->answered(loop_.clock().now() - *asked_at_);
    asked_at_.reset();
  }
  if (raw->type == REDIS_REPLY_ERROR) {
    const std::string why(raw->str, raw->len);
    if (!was_redirected(why)) take_error(pending, why);
  } else if (!pending.shape.matches(*raw)) {
    throw base::Unavailable("a reply of another shape than its command's");
  } else if (pending.kind == Kind::Replicated) {
    held_.push_back({std::move(pending), reply});
  } else if (pending.kind == Kind::Wait) {
    take_wait(reply);
  } else {
    pending.end(reply, loop_);
  }
  queue_.pop_front();
  if (queue_.empty()) timer_.stop();
}

bool Channel::was_redirected(const std::string& why) {
  return redirector_ != nullptr && redirector_->redirect(*this, queue_.front(), why);
}

void Channel::take_error(Pending& pending, const std::string& why) {
  // A primary that was demoted. It did not execute the command.
  if (settings_.address.kind == Address::Kind::Sentinel && why.starts_with("READONLY"))
    throw base::Unavailable(why);
  if (pending.kind == Kind::Forgotten && !std::exchange(said_refused_, true))
    base::log::warn("store.refused", {{"store", settings_.address.to_text()}, {"reason", why}});
  if (pending.kind == Kind::Wait) {
    is_waiting_ = false;
    end_held(why);
  }
  pending.end(std::make_exception_ptr(ErrorReply(why)), loop_);
}

void Channel::take_wait(const Reply& reply) {
  is_waiting_ = false;
  loop_.before_wait(*this);
  if (reply.integer() < static_cast<std::int64_t>(settings_.wait_replicas)) {
    return end_held(std::to_string(reply.integer()) + " of " +
                    std::to_string(settings_.wait_replicas) + " replicas have the change");
  }
  said_unreplicated_ = false;
  for (Held& held : std::exchange(held_, {})) held.pending.end(held.reply, loop_);
}

void Channel::end_held(const std::string& why) {
  if (held_.empty()) return;
  loop_.before_wait(*this);
  if (!std::exchange(said_unreplicated_, true)) {
    base::log::warn("store.unreplicated",
                    {{"store", settings_.address.to_text()}, {"reason", why}});
  }
  const auto error =
      std::make_exception_ptr(NotReplicated(settings_.address.to_text() + ": " + why));
  for (Held& held : std::exchange(held_, {})) held.pending.end(error, loop_);
}

// ---- failing ----

// The first command in the queue is the oldest.
void Channel::check_time() {
  const base::TimePoint now = loop_.clock().now();
  const bool is_up = state_ == State::Up;
  if (is_up && queue_.empty()) return;
  const base::TimePoint until = is_up ? queue_.front().since + settings_.timeout : open_until_;
  if (now < until) return timer_.set(until);
  running_.cancel();
  fail(std::string(is_up ? "no reply" : connection_.missing()) + " within " +
       std::to_string(settings_.timeout.count()) + " ms");
}

void Channel::close(const std::string& why) {
  if (state_ == State::Down) return;
  running_.cancel();
  start_again(why);
}

// A restarted server closes its connections. Repeatable commands are sent
// again, once. All others fail: it is unknown whether they were executed.
void Channel::start_again(const std::string& why) {
  std::deque<Pending> before = shut();
  end_held(why);
  const auto is_sent_again = [](const Pending& pending) {
    return pending.may_repeat() && !pending.repeated;
  };
  if (std::ranges::any_of(before, is_sent_again)) begin();
  const std::exception_ptr lost = outage(why);
  for (Pending& pending : before) {
    if (!is_sent_again(pending)) {
      pending.end(lost, loop_);
    } else if (state_ == State::Down) {
      pending.end(last_outage_, loop_);
    } else {
      pending.repeated = true;
      enqueue(std::move(pending));
    }
  }
}

void Channel::fail(const std::string& why) {
  const bool was_up = state_ == State::Up;
  std::deque<Pending> failed = shut();
  next_delay_ = std::clamp(next_delay_ * 2, settings_.first_delay, settings_.longest_delay);
  closed_until_ = loop_.clock().now() + next_delay_;
  if (!said_lost_ && !settings_.is_quiet) {
    said_lost_ = true;
    base::log::error("store.lost", {{"store", settings_.address.to_text()}, {"reason", why}});
  }
  last_outage_ = outage(why);
  if (settings_.observer != nullptr) settings_.observer->failed();
  end_held(why);
  for (Pending& pending : failed) {
    if (!was_up && redirector_ != nullptr && redirector_->take_unsent(*this, pending)) continue;
    pending.end(last_outage_, loop_);
  }
}

std::deque<Channel::Pending> Channel::shut() {
  loop_.forget(*this);
  connection_.close();
  timer_.stop();
  shared_.clear();
  out_.clear();
  written_ = 0;
  is_wait_due_ = false;
  is_waiting_ = false;
  asked_at_.reset();
  state_ = State::Down;
  return std::exchange(queue_, {});
}

std::exception_ptr Channel::outage(const std::string& why) const {
  return std::make_exception_ptr(base::Unavailable(settings_.address.to_text() + ": " + why));
}

}  // namespace svc::redis
