#include "redis/tracking.h"

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <sys/epoll.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "base/log.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kChannel = "__redis__:invalidate";
constexpr base::Duration kPingEvery = 1s;
constexpr base::Duration kFirstDelay = 20ms;
constexpr base::Duration kLongestDelay = 500ms;
constexpr base::Duration kSoonWhileDown = 50ms;

std::string_view text_of(const redisReply& reply) {
  const bool text = reply.type == REDIS_REPLY_STRING || reply.type == REDIS_REPLY_STATUS ||
                    reply.type == REDIS_REPLY_ERROR;
  return text ? std::string_view(reply.str, reply.len) : std::string_view();
}

}  // namespace

void Tracking::Free::operator()(redisContext* context) const { redisFree(context); }

Tracking::Tracking(ConnectionSettings settings, std::vector<std::string> prefixes,
                   cache::Changes& changes, const base::Clock& clock)
    : settings_(std::move(settings)),
      prefixes_(std::move(prefixes)),
      changes_(changes),
      clock_(clock),
      epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) std::abort();
}

Tracking::~Tracking() = default;

base::Duration Tracking::soon() const {
  return state_ == State::Up ? base::Duration(kPingEvery) : kSoonWhileDown;
}

void Tracking::lose(const std::string& why) {
  if (!said_lost_ && state_ != State::Down) {
    said_lost_ = true;
    base::log::warn("tracking.lost", {{"store", settings_.address.to_text()}, {"reason", why}});
  }
  context_.reset();
  state_ = State::Down;
  ping_unanswered_ = false;
  delay_ = std::clamp(delay_ * 2, kFirstDelay, kLongestDelay);
  try_at_ = clock_.now() + delay_;
}

// Without waiting: what the system has not done yet is looked at again.
void Tracking::open() {
  const Address& address = settings_.address;
  if (!address.path.empty()) {
    context_.reset(redisConnectUnixNonBlock(address.path.c_str()));
    return;
  }
  // A name that takes long is looked up beside, and is there at the next try.
  const auto found = resolver_.resolve(address.host, 0ms);
  if (found) context_.reset(redisConnectNonBlock(found->front().c_str(), address.port));
}

void Tracking::connect() {
  open();
  state_ = State::Asking;
  if (!context_) return lose("its address is not known yet");
  if (context_->err != 0) return lose(context_->errstr);
  fcntl(context_->fd, F_SETFD, FD_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, context_->fd, &event) != 0)
    return lose("cannot be watched");
  to_confirm_ = 1;
  if (!settings_.password.empty()) {
    ++to_confirm_;
    if (settings_.username.empty()) {
      send({"AUTH", settings_.password});
    } else {
      send({"AUTH", settings_.username, settings_.password});
    }
  }
  // No SELECT: keys are not told apart by database here.
  send({"CLIENT", "SETNAME", settings_.name});
  send({"CLIENT", "ID"});
  since_ = clock_.now();
}

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
  pinged_ = clock_.now();
  ping_unanswered_ = true;
  send({"PING"});
}

void Tracking::work() {
  const base::TimePoint now = clock_.now();
  if (state_ == State::Down) {
    if (now < try_at_) return;
    connect();
    if (state_ == State::Down) return;
  }
  if (state_ == State::Up && !ping_unanswered_ && now - pinged_ >= kPingEvery) ping();
  int done = 0;
  if (redisBufferWrite(context_.get(), &done) != REDIS_OK ||
      redisBufferRead(context_.get()) != REDIS_OK) {
    // What came before the end was heard all the same.
    const std::string why = context_->errstr;
    void* reply = nullptr;
    while (context_ && redisGetReplyFromReader(context_.get(), &reply) == REDIS_OK &&
           reply != nullptr) {
      take(*static_cast<redisReply*>(reply));
      freeReplyObject(reply);
    }
    return lose(why);
  }
  while (context_) {
    void* raw = nullptr;
    if (redisGetReplyFromReader(context_.get(), &raw) != REDIS_OK) return lose(context_->errstr);
    if (raw == nullptr) break;
    take(*static_cast<redisReply*>(raw));
    freeReplyObject(raw);
  }
  if (!context_) return;
  // A step may have made more to send.
  if (redisBufferWrite(context_.get(), &done) != REDIS_OK) return lose(context_->errstr);
  const base::TimePoint asked = state_ == State::Up ? pinged_ : since_;
  const bool waits = state_ != State::Up || ping_unanswered_;
  if (waits && clock_.now() - asked > std::max<base::Duration>(settings_.timeout, kPingEvery))
    lose("no answer");
}

void Tracking::take(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_ERROR) return lose(std::string(text_of(reply)));
  if (state_ == State::Asking) {
    if (to_confirm_-- > 0) return;
    const std::string id = std::to_string(reply.integer);
    std::vector<std::string_view> words{"CLIENT", "TRACKING", "ON", "REDIRECT", id, "BCAST"};
    for (const std::string& prefix : prefixes_) words.insert(words.end(), {"PREFIX", prefix});
    send(words);
    send({"SUBSCRIBE", kChannel});
    state_ = State::Subscribing;
    since_ = clock_.now();
    return;
  }
  // "message" channel keys, "subscribe" channel count, "pong" text; and the OK of the tracking.
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements < 2) return;
  const std::string_view kind = text_of(*reply.element[0]);
  if (kind == "message" && reply.elements == 3) {
    take_message(*reply.element[2]);
  } else if (kind == "subscribe" && state_ == State::Subscribing) {
    state_ = State::Up;
    delay_ = {};
    changes_.heard_from_now_on();
    heard_until_ = since_;
    if (std::exchange(said_lost_, false))
      base::log::info("tracking.back", {{"store", settings_.address.to_text()}});
    ping();
  } else if (kind == "pong") {
    ping_unanswered_ = false;
    heard_until_ = pinged_;
  }
}

void Tracking::take_message(const redisReply& keys) {
  if (keys.type == REDIS_REPLY_NIL) return changes_.everything_changed();
  for (std::size_t i = 0; i < keys.elements; ++i) changes_.changed(text_of(*keys.element[i]));
}

}  // namespace svc::redis
