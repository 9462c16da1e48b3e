#include "redis/gathering.h"

#include <utility>

namespace svc::redis {

Gathering::~Gathering() { Channel::abandon(whole_); }

void Gathering::read(Channel& channel, const std::vector<std::string_view>& words) {
  add(std::unique_ptr<Channel::Call>(new Channel::Call(channel.read(words))));
}

void Gathering::command(Channel& channel, const std::vector<std::string_view>& words) {
  add(std::unique_ptr<Channel::Call>(new Channel::Call(channel.command(words))));
}

void Gathering::add(std::unique_ptr<Channel::Call> part) {
  if (!part->is_done()) {
    part->gathering_ = this;
    ++left_;
  }
  parts_.push_back(std::move(part));
}

Channel::Call Gathering::call() {
  is_called_ = true;
  if (left_ > 0) return Channel::Call(whole_);
  is_over_ = true;
  try {
    return Channel::Call(join());
  } catch (const ErrorReply& error) {
    return Channel::Call(error.what(), Channel::Failure::ErrorReply);
  } catch (const base::Unavailable& error) {
    return Channel::Call(error.what());
  }
}

void Gathering::part_finished() {
  if (--left_ > 0 || !is_called_) return;
  is_over_ = true;
  try {
    Channel::end(whole_, join(), loop_);
  } catch (const ErrorReply& error) {
    Channel::end(whole_, error.what(), Channel::Failure::ErrorReply, loop_);
  } catch (const base::Unavailable& error) {
    Channel::end(whole_, error.what(), Channel::Failure::NoReply, loop_);
  }
}

Reply Gathering::join() {
  std::vector<Reply> replies;
  for (const auto& part : parts_) replies.push_back(part->take());
  switch (kind_) {
    case SplitCommand::Reply::Array: return Reply::concatenated(std::move(replies));
    case SplitCommand::Reply::Sum: return Reply::sum(replies);
    case SplitCommand::Reply::Ok: break;
  }
  return replies.front();
}

}  // namespace svc::redis
