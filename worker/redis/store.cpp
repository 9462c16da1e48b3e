#include "redis/store.h"

#include <array>
#include <utility>

#include "redis/cluster.h"
#include "redis/sentinel_watch.h"
#include "redis/slot.h"

namespace svc::redis {

Store::Store(ConnectionSettings settings, loop::Loop& loop) : settings_(std::move(settings)) {
  if (settings_.address.kind == Address::Kind::Cluster) {
    cluster_ = std::make_unique<Cluster>(settings_, loop);
    return;
  }
  only_ = std::make_unique<Channel>(settings_, loop);
  if (settings_.wait_replicas > 0) replicated_ = std::make_unique<Channel>(settings_, loop);
  if (settings_.address.kind == Address::Kind::Sentinel) {
    watch_ = std::make_unique<SentinelWatch>(settings_, loop, [this] {
      only_->move();
      if (replicated_) replicated_->move();
      if (moved_) moved_();
    });
  }
}

Store::~Store() = default;

Channel& Store::channel_for(std::span<const std::string_view> words) {
  if (!only_) return cluster_->channel_for(words);
  if (watch_) watch_->start();
  return *only_;
}

Store::Call Store::read(std::span<const std::string_view> words) {
  if (cluster_) {
    if (auto split = split_by_key(words)) return cluster_->split(std::move(*split), true);
  }
  return channel_for(words).read(words);
}
Store::Call Store::read(Words words) { return read(std::span(words.begin(), words.size())); }
Store::Call Store::get(std::string_view key) {
  const std::array<std::string_view, 2> words{"GET", key};
  return channel_for(words).read(words);
}
Store::Call Store::command(std::span<const std::string_view> words, ReplyShape shape) {
  if (cluster_) {
    if (auto split = split_by_key(words)) return cluster_->split(std::move(*split), false);
  }
  return channel_for(words).command(words, shape);
}
Store::Call Store::command(Words words) { return command(std::span(words.begin(), words.size())); }

Store::Call Store::repeatable(std::span<const std::string_view> words, Durability durability,
                              ReplyShape shape) {
  if (durability == Durability::Primary || settings_.wait_replicas == 0)
    return channel_for(words).repeatable(words, shape);
  if (cluster_) return cluster_->channel_for(words, true).replicated(words, shape);
  if (watch_) watch_->start();
  return replicated_->replicated(words, shape);
}

loop::Task<Reply> Store::eval(const Script& script, std::vector<std::string> keys,
                              std::vector<std::string> arguments, Durability durability) {
  const std::string count = std::to_string(keys.size());
  std::vector<std::string_view> words{"EVALSHA", script.sha1(), count};
  words.insert(words.end(), keys.begin(), keys.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  try {
    Call call = repeatable(words, durability, script.reply());
    Reply reply = co_await call;
    co_return reply;
  } catch (const ErrorReply& error) {
    // A restart or a failover empties the script cache.
    if (!std::string_view(error.what()).starts_with("NOSCRIPT")) throw;
  }
  words[0] = "EVAL";
  words[1] = script.text();
  Call call = repeatable(words, durability, script.reply());
  Reply reply = co_await call;
  co_return reply;
}

void Store::send_and_forget(std::span<const std::string_view> words, ReplyShape shape) {
  channel_for(words).send_and_forget(words, shape);
}
void Store::send_and_forget(Words words) {
  send_and_forget(std::span(words.begin(), words.size()));
}

loop::Task<std::vector<Channel*>> Store::primaries() {
  if (cluster_) return cluster_->primaries();
  return only_primary();
}

loop::Task<std::vector<Channel*>> Store::only_primary() {
  if (watch_) watch_->start();
  co_return std::vector<Channel*>{only_.get()};
}

loop::Task<> Store::ping() {
  const std::vector<Channel*> all = co_await primaries();
  std::vector<std::unique_ptr<Call>> calls;
  for (Channel* primary : all) calls.emplace_back(new Call(primary->read({"PING"})));
  for (const auto& call : calls) co_await *call;
}

std::size_t Store::pending() const {
  if (cluster_) return cluster_->pending();
  return only_->pending() + (replicated_ ? replicated_->pending() : 0);
}

}  // namespace svc::redis
