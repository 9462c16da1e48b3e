#include "redis/tracking.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/inet_address.h"
#include "base/log.h"
#include "base/unix_address.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kInvalidations = "__redis__:invalidate";
constexpr base::Duration kTrackingPing = 1s;
constexpr std::size_t kTrackingRead = 16 * 1024;  // bytes

// "message", the channel, and the keys; nil for all keys.
constexpr ReplyShape kInvalidation{"[$$?[;$]]"};

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

Tracking::Tracking(ConnectionSettings settings, std::vector<std::string> prefixes,
                   cache::InvalidationListener& listener, loop::Loop& loop)
    : settings_(std::move(settings)),
      prefixes_(std::move(prefixes)),
      listener_(listener),
      loop_(loop),
      timer_(loop, [this] { run_timer(); }),
      locator_(locator_for(settings_, loop)),
      locating_(loop) {}

base::Duration Tracking::patience() const {
  return std::max<base::Duration>(settings_.timeout, kTrackingPing);
}

void Tracking::lose(const std::string& why) {
  if (!said_lost_ && state_ != State::Down) {
    said_lost_ = true;
    base::log::warn("tracking.lost", {{"store", settings_.address.to_text()}, {"reason", why}});
  }
  transport_.close();
  reader_.reset();
  state_ = State::Down;
  ping_unanswered_ = false;
  delay_ = std::clamp(delay_ * 2, settings_.first_delay, settings_.longest_delay);
  try_at_ = loop_.clock().now() + delay_;
}

// ---- time ----

void Tracking::run_timer() {
  const base::TimePoint now = loop_.clock().now();
  switch (state_) {
    case State::Down:
      if (now >= try_at_) start();
      break;
    case State::Asking:
    case State::Subscribing: {
      if (now - since_ < patience()) break;
      const bool is_found = locating_.is_empty();
      locating_.cancel();
      lose(is_found ? "no reply" : "it was not found in time");
      break;
    }
    case State::Up:
      if (!ping_unanswered_ && now - pinged_ >= kTrackingPing) {
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
    case State::Asking:
    case State::Subscribing: return timer_.set(since_ + patience());
    case State::Up: return timer_.set(pinged_ + (ping_unanswered_ ? patience() : kTrackingPing));
  }
}

// ---- connecting ----

void Tracking::start() {
  since_ = loop_.clock().now();
  state_ = State::Asking;
  if (locator_) {
    locating_.spawn(locate());
  } else {
    connect();
  }
  set_timer();
}

void Tracking::move() {
  if (state_ == State::Down) return;
  locating_.cancel();
  lose("the primary changed");
  addresses_.clear();
  try_at_ = loop_.clock().now();
  set_timer();
}

// Each attempt takes the next address of the host.
loop::Task<> Tracking::locate() {
  if (addresses_.empty()) {
    loop::Task<Locator::Found> finding = locator_->find();
    Locator::Found found = co_await finding;
    if (found) {
      addresses_ = std::move(*found);
    } else {
      lose(found.error());
    }
  }
  if (!addresses_.empty()) connect();
  set_timer();
}

void Tracking::connect() {
  since_ = loop_.clock().now();
  is_connected_ = false;
  out_.clear();
  written_ = 0;
  expected_.clear();
  reader_ = new_reader();
  if (!reader_) return lose("not enough memory for a connection");
  const Transport::Progress progress = connect_to_address();
  if (progress == Transport::Progress::Failed) return lose(transport_.error());
  greet();
  if (progress != Transport::Progress::Done) return;
  is_connected_ = true;
  write_out();
}

Transport::Progress Tracking::connect_to_address() {
  if (!locator_) {
    const auto path = base::UnixAddress::of(settings_.address.path);
    if (!path) return transport_.fail("the path is too long");
    return transport_.connect(path->get(), path->size(), nullptr, nullptr);
  }
  const Located server = std::move(addresses_.front());
  addresses_.erase(addresses_.begin());
  const auto address = base::InetAddress::of(server.literal, server.port);
  if (!address) return transport_.fail(server.literal + " is not an address");
  const std::string* certified = settings_.address.tls ? &server.host : nullptr;
  return transport_.connect(address->get(), address->size(), certified, settings_.tls);
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
  append_command(out_, words);
  expected_.push_back(shape_of(words));
}

void Tracking::ping() {
  pinged_ = loop_.clock().now();
  ping_unanswered_ = true;
  send({"PING"});
}

void Tracking::ready(std::uint32_t) {
  if (is_connected_) {
    read_in();
  } else {
    const Transport::Progress progress = transport_.go_on();
    if (progress == Transport::Progress::Failed) lose(transport_.error());
    is_connected_ = progress == Transport::Progress::Done;
  }
  if (reader_ && is_connected_) write_out();
  set_timer();
}

void Tracking::write_out() {
  switch (transport_.write(out_, written_)) {
    case Transport::Progress::Pending: return;
    case Transport::Progress::Closed: return lose("the connection was closed");
    case Transport::Progress::Failed: return lose(transport_.error());
    case Transport::Progress::Done: break;
  }
  out_.clear();
  written_ = 0;
}

void Tracking::read_in() {
  std::array<char, kTrackingRead> buffer;
  while (reader_) {
    std::size_t count = 0;
    const Transport::Progress progress = transport_.read(buffer, count);
    // Process what arrived before the connection closed.
    take_replies({buffer.data(), count});
    if (!reader_ || progress == Transport::Progress::Pending) return;
    if (progress == Transport::Progress::Closed) return lose("the connection was closed");
    if (progress == Transport::Progress::Failed) return lose(transport_.error());
  }
}

void Tracking::take_replies(std::span<const char> bytes) {
  if (!bytes.empty() && redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK)
    return lose(reader_->errstr);
  while (reader_) {
    void* raw = nullptr;
    if (redisReaderGetReply(reader_.get(), &raw) != REDIS_OK) return lose(reader_->errstr);
    if (raw == nullptr) return;
    take(*static_cast<redisReply*>(raw));
    freeReplyObject(raw);
  }
}

void Tracking::take(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_ERROR) return lose(std::string(text_of(reply)));
  if (kInvalidation.matches(reply) && text_of(*reply.element[0]) == "message")
    return take_message(*reply.element[2]);
  if (expected_.empty() || !expected_.front().matches(reply))
    return lose("a reply of another shape than its command's");
  expected_.pop_front();
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
    send({"SUBSCRIBE", kInvalidations});
    state_ = State::Subscribing;
    since_ = loop_.clock().now();
    return;
  }
  // Arrays: "subscribe" channel count; "pong" text. The reply to CLIENT TRACKING
  // is not an array.
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements < 2) return;
  const std::string_view kind = text_of(*reply.element[0]);
  if (kind == "subscribe" && state_ == State::Subscribing) {
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
