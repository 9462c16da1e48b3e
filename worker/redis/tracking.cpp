#include "redis/tracking.h"

#include <fcntl.h>
#include <hiredis/hiredis.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kChannel = "__redis__:invalidate";
constexpr base::Duration kPingEvery = 1s;
constexpr base::Duration kFirstDelay = 20ms;
constexpr base::Duration kLongestDelay = 500ms;
// Interval at which a running search for the server is polled.
constexpr base::Duration kLocatorStep = 10ms;

std::string_view text_of(const redisReply& reply) {
  const bool text = reply.type == REDIS_REPLY_STRING || reply.type == REDIS_REPLY_STATUS ||
                    reply.type == REDIS_REPLY_ERROR;
  return text ? std::string_view(reply.str, reply.len) : std::string_view();
}

// The reply to ROLE is the only array before the subscription.
bool is_replica(const redisReply& reply) {
  return reply.type == REDIS_REPLY_ARRAY && reply.elements > 0 &&
         text_of(*reply.element[0]) != "master";
}

}  // namespace

void Tracking::Free::operator()(redisContext* context) const { redisFree(context); }

Tracking::Tracking(ConnectionSettings settings, std::vector<std::string> prefixes,
                   cache::InvalidationListener& listener, loop::Loop& loop)
    : settings_(std::move(settings)),
      prefixes_(std::move(prefixes)),
      listener_(listener),
      loop_(loop),
      timer_(loop, [this] { run_timer(); }),
      locator_(locator_for(settings_, loop)) {}

Tracking::~Tracking() {
  if (context_) loop_.forget(context_->fd);
}

base::Duration Tracking::patience() const {
  return std::max<base::Duration>(settings_.timeout, kPingEvery);
}

void Tracking::lose(const std::string& why) {
  if (!said_lost_ && state_ != State::Down) {
    said_lost_ = true;
    base::log::warn("tracking.lost", {{"store", settings_.address.to_text()}, {"reason", why}});
  }
  if (context_) loop_.forget(context_->fd);
  context_.reset();
  state_ = State::Down;
  ping_unanswered_ = false;
  delay_ = std::clamp(delay_ * 2, kFirstDelay, kLongestDelay);
  try_at_ = loop_.clock().now() + delay_;
}

// ---- time ----

void Tracking::run_timer() {
  const base::TimePoint now = loop_.clock().now();
  switch (state_) {
    case State::Down:
      if (now >= try_at_) start();
      break;
    case State::Locating: locate(); break;
    case State::Asking:
    case State::Subscribing:
      if (now - since_ >= patience()) lose("no reply");
      break;
    case State::Up:
      if (!ping_unanswered_ && now - pinged_ >= kPingEvery) {
        ping();
        write_out();
      } else if (ping_unanswered_ && now - pinged_ >= patience()) {
        lose("no reply");
      }
      break;
  }
  set_timer();
}

void Tracking::set_timer() {
  switch (state_) {
    case State::Down: return timer_.set(try_at_);
    case State::Locating: return timer_.set(loop_.clock().now() + kLocatorStep);
    case State::Asking:
    case State::Subscribing: return timer_.set(since_ + patience());
    case State::Up: return timer_.set(pinged_ + (ping_unanswered_ ? patience() : kPingEvery));
  }
}

// ---- connecting ----

void Tracking::start() {
  since_ = loop_.clock().now();
  if (!locator_) {
    connect();
  } else {
    state_ = State::Locating;
    locate();
  }
  set_timer();
}

void Tracking::move() {
  if (state_ == State::Down) return;
  lose("the primary changed");
  addresses_.clear();
  try_at_ = loop_.clock().now();
  set_timer();
}

// Each attempt takes the next address of the host. A search that takes too long
// continues, and the next attempt may find its result.
void Tracking::locate() {
  if (addresses_.empty()) {
    auto found = locator_->poll();
    if (!found) {
      if (loop_.clock().now() - since_ >= patience()) lose("it was not found in time");
      return;
    }
    if (!*found) return lose(found->error());
    addresses_ = std::move(**found);
  }
  connect();
}

void Tracking::connect() {
  state_ = State::Asking;
  since_ = loop_.clock().now();
  if (locator_) {
    const Endpoint server = std::move(addresses_.front());
    addresses_.erase(addresses_.begin());
    context_.reset(redisConnectNonBlock(server.host.c_str(), server.port));
  } else {
    context_.reset(redisConnectUnixNonBlock(settings_.address.path.c_str()));
  }
  if (!context_) return lose("not enough memory for a connection");
  if (context_->err != 0) return lose(context_->errstr);
  fcntl(context_->fd, F_SETFD, FD_CLOEXEC);
  // EPOLLOUT reports that the connection is established.
  loop_.watch(context_->fd, EPOLLIN | EPOLLOUT, *this);
  watches_out_ = true;
  greet();
}

void Tracking::greet() {
  to_confirm_ = 1;
  if (!settings_.password.empty()) {
    ++to_confirm_;
    if (settings_.username.empty()) {
      send({"AUTH", settings_.password});
    } else {
      send({"AUTH", settings_.username, settings_.password});
    }
  }
  // No SELECT: invalidations do not distinguish databases.
  send({"CLIENT", "SETNAME", settings_.name});
  if (settings_.address.kind == Address::Kind::Sentinel) {
    ++to_confirm_;
    send({"ROLE"});
  }
  send({"CLIENT", "ID"});
}

// ---- bytes ----

void Tracking::send(std::vector<std::string_view> words) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const std::string_view word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), texts.data(),
                         sizes.data());
}

void Tracking::ping() {
  pinged_ = loop_.clock().now();
  ping_unanswered_ = true;
  send({"PING"});
}

void Tracking::ready(std::uint32_t) {
  read_in();
  if (context_) write_out();
  set_timer();
}

// While the connection is not established, redisBufferWrite() succeeds with
// `done` = 0.
void Tracking::write_out() {
  int done = 0;
  if (redisBufferWrite(context_.get(), &done) != REDIS_OK) return lose(context_->errstr);
  if (watches_out_ == (done == 0)) return;
  watches_out_ = done == 0;
  loop_.watch(context_->fd, watches_out_ ? EPOLLIN | EPOLLOUT : EPOLLIN, *this);
}

void Tracking::read_in() {
  const bool open = redisBufferRead(context_.get()) == REDIS_OK;
  const std::string why = open ? std::string() : context_->errstr;
  // Process what arrived before the connection closed.
  take_replies();
  if (!open && context_) lose(why);
}

void Tracking::take_replies() {
  while (context_) {
    void* raw = nullptr;
    if (redisGetReplyFromReader(context_.get(), &raw) != REDIS_OK) return lose(context_->errstr);
    if (raw == nullptr) return;
    take(*static_cast<redisReply*>(raw));
    freeReplyObject(raw);
  }
}

void Tracking::take(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_ERROR) return lose(std::string(text_of(reply)));
  if (state_ == State::Asking) {
    if (is_replica(reply)) {
      locator_->was_wrong();
      addresses_.clear();
      return lose("the server is not a primary");
    }
    if (to_confirm_-- > 0) return;
    const std::string id = std::to_string(reply.integer);
    std::vector<std::string_view> words{"CLIENT", "TRACKING", "ON", "REDIRECT", id, "BCAST"};
    for (const std::string& prefix : prefixes_) words.insert(words.end(), {"PREFIX", prefix});
    send(words);
    send({"SUBSCRIBE", kChannel});
    state_ = State::Subscribing;
    since_ = loop_.clock().now();
    return;
  }
  // Arrays: "message" channel keys; "subscribe" channel count; "pong" text. The
  // reply to CLIENT TRACKING is not an array.
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements < 2) return;
  const std::string_view kind = text_of(*reply.element[0]);
  if (kind == "message" && reply.elements == 3) {
    take_message(*reply.element[2]);
  } else if (kind == "subscribe" && state_ == State::Subscribing) {
    state_ = State::Up;
    delay_ = {};
    addresses_.clear();
    listener_.feed_began();
    received_until_ = since_;
    if (std::exchange(said_lost_, false))
      base::log::info("tracking.back", {{"store", settings_.address.to_text()}});
    ping();
  } else if (kind == "pong") {
    ping_unanswered_ = false;
    received_until_ = pinged_;
  }
}

void Tracking::take_message(const redisReply& keys) {
  if (keys.type == REDIS_REPLY_NIL) return listener_.all_invalidated();
  for (std::size_t i = 0; i < keys.elements; ++i) listener_.invalidated(text_of(*keys.element[i]));
}

}  // namespace svc::redis
