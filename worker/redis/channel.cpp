#include "redis/channel.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/unreadable.h"
#include "redis/slot.h"

namespace svc::redis {
namespace {

// "message", the channel, and its content: a text, or keys. Nil: all keys.
constexpr ReplyShape kMessage{"[$$$][$$?[;$]]"};
// Bytes of a command that are kept for what names its keys.
constexpr std::size_t kNamed = 512;
// The part of the timeout that a WAIT may take.
constexpr std::int64_t kWaitNumerator = 2;
constexpr std::int64_t kWaitDenominator = 5;

// Returns the problem if an error reply is about the value of a key; otherwise "". A function that
// meets such a value fails where it computes with it.
std::string_view why_wrong_value(std::string_view error) {
  constexpr std::string_view kNoNumber = "its value cannot be used";
  if (error.starts_with("WRONGTYPE")) return base::kForeignType;
  if (error.starts_with("INVALIDOBJ")) return kNoNumber;
  for (const std::string_view part :
       {"is not an integer", "is not a valid float", "is not a float"}) {
    if (error.find(part) != std::string_view::npos) return kNoNumber;
  }
  const bool is_of_function = error.find("@user_function") != std::string_view::npos ||
                              error.find("user_function:") != std::string_view::npos;
  return is_of_function && error.find("attempt to") != std::string_view::npos ? kNoNumber : "";
}

// The keys of a command, of which `bytes` are the first, with a space in between.
std::string keys_in(std::string_view bytes) {
  std::string names;
  const std::vector<std::string_view> words = words_in(bytes);
  for (const std::string_view key : keys_of(words)) (names += names.empty() ? "" : " ") += key;
  return names;
}

}  // namespace

// ---- calls ----

Reply Channel::Call::take() const {
  if (outcome_->error) std::rethrow_exception(outcome_->error);
  return *outcome_->reply;
}

void Channel::Outcome::set(const Reply& value) {
  reply = value;
  known.happen();
}

void Channel::Outcome::fail(const std::exception_ptr& why) {
  error = why;
  known.happen();
}

// ---- commands ----

Channel::Channel(ConnectionSettings settings, loop::Loop& loop, Redirector* redirector,
                 OnMessage on_message)
    : settings_(std::move(settings)),
      loop_(loop),
      redirector_(redirector),
      on_message_(std::move(on_message)),
      connection_(settings_, loop),
      timer_(loop, [this] { check_time(); }),
      running_(loop) {}

Channel::~Channel() { loop_.forget(*this); }

Channel::Call Channel::call(Kind kind, Words words, ReplyShape shape) {
  Pending pending = command(kind, words, shape);
  if (!ensure_connected()) {
    pending.outcome->fail(last_outage_);
    return Call(std::move(pending.outcome));
  }
  if (kind == Kind::SharedRead) {
    if (const auto at = shared_.find(pending.bytes); at != shared_.end())
      return Call(at->second->outcome);
  }
  return Call(enqueue(std::move(pending)));
}

Channel::Pending Channel::command(Kind kind, Words words, ReplyShape shape) const {
  Pending pending{
      kind, shape.form.empty() ? shape_of(words) : shape, std::make_shared<Outcome>(loop_), {}};
  append_command(pending.bytes, words);
  return pending;
}

void Channel::adopt(Pending pending, bool asking) {
  if (!ensure_connected()) return pending.outcome->fail(last_outage_);
  if (asking) enqueue(command(Kind::Forgotten, {"ASKING"}));
  // After ASKING, no other command may come in between, and no other may share the reply.
  if (pending.kind == Kind::SharedRead) pending.kind = Kind::Repeatable;
  ++pending.redirected;
  enqueue(std::move(pending));
}

std::shared_ptr<Channel::Outcome> Channel::enqueue(Pending pending) {
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
  if (!pending.may_repeat() && redirector_ == nullptr && pending.bytes.size() > kNamed)
    pending.bytes = pending.bytes.substr(0, kNamed);
  Pending& queued = queue_.emplace_back(std::move(pending));
  if (queued.kind == Kind::SharedRead) shared_.emplace(queued.bytes, &queued);
  return queued.outcome;
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
    is_wait_due_ = false;
    is_waiting_ = true;
    enqueue(command(Kind::Wait, {"WAIT", replicas, most}));
  }
  connection_.write(out_);
  out_.clear();
}

// ---- the connection ----

bool Channel::is_broken() const {
  return state_ == State::Down && loop_.clock().now() < closed_until_;
}

bool Channel::ensure_connected() {
  if (state_ == State::Down && !is_broken()) {
    state_ = State::Opening;
    said_refused_ = false;
    timer_.set(loop_.clock().now() + settings_.timeout);
    running_.spawn(run());
  }
  return state_ != State::Down;
}

loop::Task<> Channel::run() {
  bool is_closed = false;
  std::string why;
  try {
    co_await connection_.open();
    state_ = State::Up;
    next_delay_ = {};
    if (asked_at_) asked_at_ = loop_.clock().now();
    loop_.before_wait(*this);
    if (std::exchange(said_lost_, false))
      base::log::info("store.back", {{"store", settings_.address.to_text()}});
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
    if (redirector_ == nullptr || !redirector_->redirect(*this, pending, why))
      take_error(pending, why);
  } else if (!pending.shape.matches(*raw)) {
    throw base::Unavailable("a reply of another shape than its command's");
  } else if (pending.kind == Kind::Replicated) {
    held_.push_back({std::move(pending.outcome), reply});
  } else if (pending.kind == Kind::Wait) {
    take_wait(reply);
  } else {
    pending.outcome->set(reply);
  }
  queue_.pop_front();
  if (queue_.empty()) timer_.stop();
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
  const std::string_view wrong = why_wrong_value(why);
  if (wrong.empty()) return pending.outcome->fail(std::make_exception_ptr(ErrorReply(why)));
  base::log_unreadable(keys_in(pending.bytes), wrong);
  pending.outcome->fail(std::make_exception_ptr(WrongValue(why)));
}

void Channel::take_wait(const Reply& reply) {
  is_waiting_ = false;
  loop_.before_wait(*this);
  if (reply.integer() < static_cast<std::int64_t>(settings_.wait_replicas)) {
    return end_held(std::to_string(reply.integer()) + " of " +
                    std::to_string(settings_.wait_replicas) + " replicas have the change");
  }
  said_unreplicated_ = false;
  for (Held& held : std::exchange(held_, {})) held.outcome->set(held.reply);
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
  for (Held& held : std::exchange(held_, {})) held.outcome->fail(error);
}

// ---- failing ----

// The first command in the queue is the oldest.
void Channel::check_time() {
  const bool is_up = state_ == State::Up;
  if (is_up) {
    if (queue_.empty()) return;
    const base::TimePoint until = queue_.front().since + settings_.timeout;
    if (loop_.clock().now() < until) return timer_.set(until);
  }
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
  const std::exception_ptr lost = outage(why);
  for (Pending& pending : before) {
    if (!pending.may_repeat() || std::exchange(pending.repeated, true)) {
      pending.outcome->fail(lost);
    } else if (!ensure_connected()) {
      pending.outcome->fail(last_outage_);
    } else {
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
    pending.outcome->fail(last_outage_);
  }
}

std::deque<Channel::Pending> Channel::shut() {
  loop_.forget(*this);
  connection_.close();
  timer_.stop();
  shared_.clear();
  out_.clear();
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
