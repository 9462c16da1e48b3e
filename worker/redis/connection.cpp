#include "redis/connection.h"

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "base/log.h"
#include "base/unavailable.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

timeval to_timeval(std::chrono::milliseconds duration) {
  return {duration.count() / 1000, (duration.count() % 1000) * 1000};
}

class WrongType : public base::Unavailable {
 public:
  using base::Unavailable::Unavailable;
};

class UnknownScript : public base::Unavailable {
 public:
  using base::Unavailable::Unavailable;
};

std::string one_text(std::initializer_list<std::string_view> words) {
  std::size_t length = 0;
  for (const std::string_view word : words) length += word.size() + 1;
  std::string text;
  text.reserve(length);
  for (const std::string_view word : words) {
    text += word;
    text += '\0';
  }
  return text;
}

std::size_t hash_of(std::string_view text) { return std::hash<std::string_view>{}(text); }

struct Arguments {
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
};

int append(redisContext* context, std::span<const std::string_view> arguments) {
  constexpr std::size_t kFew = 16;
  if (arguments.size() <= kFew) {
    const char* texts[kFew];
    std::size_t lengths[kFew];
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      texts[i] = arguments[i].data();
      lengths[i] = arguments[i].size();
    }
    return redisAppendCommandArgv(context, static_cast<int>(arguments.size()), texts, lengths);
  }
  Arguments many;
  for (const std::string_view argument : arguments) {
    many.texts.push_back(argument.data());
    many.lengths.push_back(argument.size());
  }
  return redisAppendCommandArgv(context, static_cast<int>(arguments.size()), many.texts.data(),
                                many.lengths.data());
}

}  // namespace

void Connection::Free::operator()(redisContext* context) const { redisFree(context); }

Connection::Connection(ConnectionSettings settings, const base::Clock& clock)
    : settings_(std::move(settings)), clock_(clock) {}
Connection::~Connection() = default;

void Connection::close() {
  context_.reset();
  asked_at_.reset();
  on_their_way_ = 0;
  unread_ = 0;
  forgotten_ = 0;
}

void Connection::abandon_pipeline() {
  if (unread_ > 0) close();
}

void Connection::fail(const std::string& why) {
  close();
  if (settings_.observer != nullptr) settings_.observer->failed();
  next_delay_ = std::clamp(next_delay_ * 2, settings_.first_delay, settings_.longest_delay);
  closed_until_ = clock_.now() + next_delay_;
  if (!said_lost_) {
    said_lost_ = true;
    base::log::error("store.lost", {{"store", settings_.address.to_text()}, {"reason", why}});
  }
  throw base::Unavailable(settings_.address.to_text() + ": " + why);
}

void Connection::ensure_connected() {
  if (context_) return;
  if (clock_.now() < closed_until_) {
    throw base::Unavailable(settings_.address.to_text() +
                            ": away a moment ago, not asked again yet");
  }
  connect();
}

// To the first of the host's addresses that takes it; all of them together within the timeout.
void Connection::connect_to_host() {
  using Steady = std::chrono::steady_clock;
  const auto until = Steady::now() + settings_.timeout;
  const auto addresses = resolver_.resolve(settings_.address.host, settings_.timeout);
  if (!addresses) fail(addresses.error());
  for (const std::string& literal : *addresses) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Steady::now());
    context_.reset(redisConnectWithTimeout(literal.c_str(), settings_.address.port,
                                           to_timeval(std::max(left, 1ms))));
    if (context_ && context_->err == 0) return;
  }
}

void Connection::connect() {
  close();
  said_refused_ = false;
  const timeval timeout = to_timeval(settings_.timeout);
  const Address& address = settings_.address;
  if (address.path.empty()) {
    connect_to_host();
  } else {
    context_.reset(redisConnectUnixWithTimeout(address.path.c_str(), timeout));
  }
  if (!context_) fail("not enough memory for a connection");
  if (context_->err != 0) fail(context_->errstr);
  // Not kept by hiredis over a new connection, so set every time.
  if (redisSetTimeout(context_.get(), timeout) != REDIS_OK) fail("cannot set a timeout");
  // hiredis lets its sockets be inherited.
  if (fcntl(context_->fd, F_SETFD, FD_CLOEXEC) != 0) fail("cannot set close-on-exec");
  if (!settings_.password.empty()) {
    if (settings_.username.empty()) {
      send({"AUTH", settings_.password});
    } else {
      send({"AUTH", settings_.username, settings_.password});
    }
    receive();
  }
  if (address.database != 0) {
    send({"SELECT", std::to_string(address.database)});
    receive();
  }
  send({"CLIENT", "SETNAME", settings_.name});
  receive();
  next_delay_ = {};
  if (said_lost_) {
    said_lost_ = false;
    base::log::info("store.back", {{"store", address.to_text()}});
  }
}

void Connection::send(std::span<const std::string_view> arguments) {
  if (on_their_way_ > 0) take_expected();
  ensure_connected();
  note_asked();
  if (append(context_.get(), arguments) != REDIS_OK) fail(context_->errstr);
  ++unread_;
}

void Connection::note_asked() {
  if (settings_.observer != nullptr && !asked_at_) asked_at_ = clock_.now();
}

void Connection::note_answered() {
  if (!asked_at_) return;
  settings_.observer->answered(clock_.now() - *asked_at_);
  asked_at_.reset();
}

redisReply* Connection::next_reply() {
  void* raw = nullptr;
  if (redisGetReply(context_.get(), &raw) == REDIS_OK) {
    note_answered();
    return static_cast<redisReply*>(raw);
  }
  const bool io = context_->err == REDIS_ERR_IO;
  if (context_->err == REDIS_ERR_EOF || (io && (errno == EPIPE || errno == ECONNRESET)))
    return nullptr;
  const bool late = io && (errno == EAGAIN || errno == EWOULDBLOCK);
  fail(late ? "no answer within " + std::to_string(settings_.timeout.count()) + " ms"
            : std::string(context_->errstr));
}

void Connection::note_refused(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_ERROR || said_refused_) return;
  said_refused_ = true;
  base::log::warn("store.refused", {{"store", settings_.address.to_text()},
                                    {"reason", std::string_view(reply.str, reply.len)}});
}

bool Connection::take_forgotten() {
  for (; forgotten_ > 0; --forgotten_) {
    redisReply* reply = next_reply();
    if (reply == nullptr) return false;
    const Reply owned(reply);
    note_refused(*reply);
  }
  return true;
}

bool Connection::try_command(std::initializer_list<std::string_view> arguments) {
  abandon_pipeline();
  send(arguments);
  redisReply* reply = take_forgotten() ? next_reply() : nullptr;
  if (reply == nullptr) fail("the connection was closed");
  --unread_;
  const Reply owned(reply);
  note_refused(*reply);
  return reply->type != REDIS_REPLY_ERROR;
}

std::optional<Reply> Connection::try_receive() {
  if (!context_) throw base::Unavailable("no connection to receive from");
  if (!take_forgotten()) return std::nullopt;
  redisReply* reply = next_reply();
  if (reply == nullptr) return std::nullopt;
  Reply owned(reply);
  if (reply->type == REDIS_REPLY_ERROR) {
    const std::string why(reply->str, reply->len);
    // The key's fault, not the store's: everything else goes on.
    if (why.starts_with("WRONGTYPE")) throw WrongType(settings_.address.to_text() + ": " + why);
    if (why.starts_with("NOSCRIPT")) throw UnknownScript(settings_.address.to_text() + ": " + why);
    fail(why);
  }
  return owned;
}

// What is unread behind an error belongs to the same pipeline, whose caller does not read it now.
std::optional<Reply> Connection::receive_unread() {
  --unread_;
  try {
    return try_receive();
  } catch (const base::Unavailable&) {
    abandon_pipeline();
    throw;
  }
}

Reply Connection::receive() {
  if (unread_ == 0) throw base::Unavailable(settings_.address.to_text() + ": no reply is to come");
  auto reply = receive_unread();
  if (!reply) fail("the connection was closed");
  return std::move(*reply);
}

// Whatever is expected was asked for before, so its answers come first and are taken in first.
void Connection::send_and_forget(std::initializer_list<std::string_view> arguments) {
  abandon_pipeline();
  send(std::span(arguments.begin(), arguments.size()));
  --unread_;
  ++forgotten_;
  flush();
  asked_at_.reset();  // its answer is taken in some day
}

void Connection::expect(Words read) {
  std::string text = one_text(read);
  const std::size_t hash = hash_of(text);
  for (const Fetched& fetched : fetched_) {
    if (fetched.hash == hash && fetched.read == text) return;
  }
  abandon_pipeline();
  ensure_connected();
  note_asked();
  if (append(context_.get(), std::span(read.begin(), read.size())) != REDIS_OK)
    fail(context_->errstr);
  fetched_.push_back({hash, std::move(text), std::nullopt});
  ++on_their_way_;
}

// Answers come in the order of the questions. Where the connection turns out to have been closed,
// what has not come is forgotten: get() will ask again.
void Connection::take_expected() {
  while (on_their_way_ > 0) {
    std::optional<Reply> reply;
    try {
      reply = try_receive();
    } catch (const WrongType&) {
      --on_their_way_;  // whoever asks for that key will ask again, and be told
      continue;
    } catch (const UnknownScript&) {
      --on_their_way_;  // finish() will send its text
      continue;
    }
    if (!reply) {
      fetched_.resize(fetched_.size() - on_their_way_);
      close();
      return;
    }
    fetched_[fetched_.size() - on_their_way_].reply = std::move(reply);
    --on_their_way_;
  }
}

Connection::Fetched* Connection::arrived(std::size_t hash, std::string_view read) {
  for (Fetched& fetched : fetched_) {
    if (fetched.hash == hash && fetched.read == read && fetched.reply) return &fetched;
  }
  return nullptr;
}

// What is here is not waited for, nor is what was started behind it.
ReplyView Connection::fetch(Words words) {
  std::string text = one_text(words);
  const std::size_t hash = hash_of(text);
  if (const Fetched* fetched = arrived(hash, text)) return *fetched->reply;
  if (on_their_way_ > 0) {
    take_expected();
    if (const Fetched* fetched = arrived(hash, text)) return *fetched->reply;
  }
  Reply reply = read(words);
  fetched_.push_back({hash, std::move(text), std::move(reply)});
  return *fetched_.back().reply;
}

void Connection::settle() {
  abandon_pipeline();
  if (on_their_way_ > 0) {
    try {
      take_expected();
    } catch (const base::Unavailable&) {
      // Nobody waits for these; the next who asks will be told.
    }
  }
  fetched_.clear();
}

void Connection::outdate(const std::string& key) {
  if (on_their_way_ > 0) take_expected();
  const std::string text = one_text({"GET", key});
  std::erase_if(fetched_, [&](const Fetched& fetched) { return fetched.read == text; });
}

void Connection::flush() {
  if (!context_) return;
  for (int done = 0; done == 0;) {
    if (redisBufferWrite(context_.get(), &done) != REDIS_OK) fail(context_->errstr);
  }
}

Reply Connection::read(std::span<const std::string_view> arguments) {
  abandon_pipeline();
  send(arguments);
  if (auto reply = receive_unread()) return std::move(*reply);
  connect();
  send(arguments);
  return receive();
}

namespace {

std::vector<std::string_view> evalsha(const Script& script, const std::string& count,
                                      std::span<const std::string> keys,
                                      std::span<const std::string> arguments) {
  std::vector<std::string_view> words{"EVALSHA", script.sha1(), count};
  words.insert(words.end(), keys.begin(), keys.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

}  // namespace

Connection::Started Connection::start(const Script& script, std::span<const std::string> keys,
                                      std::span<const std::string> arguments) {
  abandon_pipeline();
  ensure_connected();
  note_asked();
  const std::string count = std::to_string(keys.size());
  if (append(context_.get(), evalsha(script, count, keys, arguments)) != REDIS_OK)
    fail(context_->errstr);
  return note_started();
}

Connection::Started Connection::start(std::span<const std::string> words) {
  abandon_pipeline();
  ensure_connected();
  note_asked();
  const std::vector<std::string_view> views(words.begin(), words.end());
  if (append(context_.get(), views) != REDIS_OK) fail(context_->errstr);
  return note_started();
}

Connection::Started Connection::note_started() {
  fetched_.push_back({++last_started_, {}, std::nullopt});
  ++on_their_way_;
  return last_started_;
}

std::optional<Reply> Connection::finish(Started started) {
  if (on_their_way_ > 0 && arrived(started, {}) == nullptr) take_expected();
  Fetched* fetched = arrived(started, {});
  if (fetched == nullptr) return std::nullopt;
  Reply reply = std::move(*fetched->reply);
  fetched->reply.reset();
  return reply;
}

Reply Connection::finish(Started started, const Script& script, std::span<const std::string> keys,
                         std::span<const std::string> arguments) {
  if (auto reply = finish(started)) return std::move(*reply);
  return eval(script, keys, arguments);
}

std::optional<Reply> Connection::try_eval(const Script& script, std::span<const std::string> keys,
                                          std::span<const std::string> arguments) {
  const std::string count = std::to_string(keys.size());
  std::vector<std::string_view> words = evalsha(script, count, keys, arguments);
  abandon_pipeline();
  send(words);
  try {
    return receive_unread();
  } catch (const UnknownScript&) {
    // The cache of scripts is volatile: a restart or a failover empties it.
    words[0] = "EVAL";
    words[1] = script.text();
    send(words);
    return receive_unread();
  }
}

Reply Connection::eval(const Script& script, std::span<const std::string> keys,
                       std::span<const std::string> arguments) {
  if (auto reply = try_eval(script, keys, arguments)) return std::move(*reply);
  connect();
  if (auto reply = try_eval(script, keys, arguments)) return std::move(*reply);
  fail("the connection was closed");
}

}  // namespace svc::redis
