#include "redis/store.h"

#include <utility>

#include "base/unavailable.h"
#include "redis/cluster.h"
#include "redis/sentinel_watch.h"
#include "redis/slot.h"

namespace svc::redis {

Store::Store(ConnectionSettings settings, loop::Loop& loop)
    : settings_(std::move(settings)), loop_(loop) {
  if (settings_.address.kind == Address::Kind::Cluster) {
    cluster_ = std::make_unique<Cluster>(settings_, loop);
    return;
  }
  only_ = std::make_unique<Channel>(settings_, loop);
  if (settings_.wait_replicas > 0) replicated_ = std::make_unique<Channel>(settings_, loop);
  if (settings_.address.kind == Address::Kind::Sentinel) {
    watch_ = std::make_unique<SentinelWatch>(settings_, loop, [this] {
      only_->close("the primary changed");
      if (replicated_) replicated_->close("the primary changed");
      for (const auto& moved : moved_) moved();
    });
  }
}

Store::~Store() = default;

Channel& Store::channel_for(Words words, bool is_replicated) {
  if (cluster_) return cluster_->channel_for(words, is_replicated);
  if (watch_) watch_->start();
  return is_replicated ? *replicated_ : *only_;
}

Store::Call Store::send(Channel::Kind kind, Words words, ReplyShape shape) {
  if (cluster_) {
    if (const auto split = split_by_key(words)) return cluster_->split(*split, kind);
  }
  return channel_for(words).call(kind, words, shape);
}

Store::Call Store::read(Words words) { return send(Channel::Kind::SharedRead, words, {}); }

Store::Call Store::command(Words words, ReplyShape shape) {
  return send(Channel::Kind::Once, words, shape);
}

Store::Call Store::repeatable(Words words, Durability durability, ReplyShape shape) {
  const bool is_replicated = durability == Durability::Replicated && waits_for_replicas();
  const auto kind = is_replicated ? Channel::Kind::Replicated : Channel::Kind::Repeatable;
  return channel_for(words, is_replicated).call(kind, words, shape);
}

loop::Task<Reply> Store::run(FunctionCall function, Durability durability) {
  const std::vector<std::string_view> words(function.words().begin(), function.words().end());
  Call call = repeatable(words, durability, function.reply());
  try {
    Reply reply = co_await call;
    co_return reply;
  } catch (const ErrorReply& error) {
    const std::string why = error.what();
    if (!are_functions_missing(why)) throw;
    // The next connection asks for them, and says so once.
    channel_for(words, durability == Durability::Replicated && waits_for_replicas()).close(why);
  }
  throw base::Unavailable(settings_.address.to_text() + ": " + std::string(kFunctionsMissing));
}

void Store::forget(const FunctionCall& function) {
  const std::vector<std::string_view> words(function.words().begin(), function.words().end());
  send_and_forget(words, function.reply());
}

void Store::send_and_forget(Words words, ReplyShape shape) {
  channel_for(words).call(Channel::Kind::Forgotten, words, shape);
}

loop::Task<std::vector<Channel*>> Store::primaries() {
  if (cluster_) {
    std::vector<Channel*> found = co_await cluster_->primaries();
    co_return found;
  }
  if (watch_) watch_->start();
  co_return std::vector<Channel*>{only_.get()};
}

loop::Task<> Store::ping() {
  const std::vector<Channel*> all = co_await primaries();
  std::vector<std::unique_ptr<Call>> calls;
  for (Channel* primary : all)
    calls.emplace_back(new Call(primary->call(Channel::Kind::SharedRead, {"PING"})));
  for (const auto& call : calls) co_await *call;
}

std::size_t Store::pending() const {
  if (cluster_) return cluster_->pending();
  return only_->pending() + (replicated_ ? replicated_->pending() : 0);
}

}  // namespace svc::redis
