// Gathering: the calls of a command that was split by key, whose replies become
// the outcome of one call.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "loop/loop.h"
#include "redis/channel.h"
#include "redis/slot.h"

namespace svc::redis {

class Gathering {
 public:
  Gathering(SplitCommand::Reply kind, loop::Loop& loop) : kind_(kind), loop_(loop) {}
  // Coroutines that still await the call are never resumed.
  ~Gathering();
  Gathering(const Gathering&) = delete;
  Gathering& operator=(const Gathering&) = delete;

  // Adds parts, in the order of their keys; before call().
  void read(Channel& channel, const std::vector<std::string_view>& words);
  void command(Channel& channel, const std::vector<std::string_view>& words);
  // Returns the call of the whole. Called once.
  Channel::Call call();

  // Called by each part when its outcome is known.
  void part_finished();
  bool is_over() const { return is_over_; }

 private:
  void add(std::unique_ptr<Channel::Call> part);
  // Returns the reply that the parts' replies become. Throws the exception of
  // the first failed part.
  Reply join();

  const SplitCommand::Reply kind_;
  loop::Loop& loop_;
  std::vector<std::unique_ptr<Channel::Call>> parts_;
  std::size_t left_ = 0;
  Channel::Pending whole_{.kind = Channel::Kind::Once, .bytes = {}, .since = {}};
  bool is_called_ = false;
  bool is_over_ = false;
};

}  // namespace svc::redis
