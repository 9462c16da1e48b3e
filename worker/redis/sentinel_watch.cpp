#include "redis/sentinel_watch.h"

#include <chrono>
#include <utility>

#include "base/unavailable.h"
#include "redis/topology.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kPingEvery = 1s;
constexpr std::string_view kChannel = "+switch-master";

}  // namespace

SentinelWatch::SentinelWatch(const ConnectionSettings& settings, loop::Loop& loop,
                             std::function<void()> moved)
    : name_(settings.address.primary),
      loop_(loop),
      moved_(std::move(moved)),
      timer_(loop, [this] { step(); }) {
  for (ConnectionSettings& sentinel : settings_of_sentinels(settings)) {
    sentinels_.push_back(std::make_unique<Channel>(
        std::move(sentinel), loop, nullptr, [this](std::string_view text) { take_message(text); }));
  }
}

void SentinelWatch::start() {
  if (std::exchange(started_, true)) return;
  subscribe();
}

// The Sentinel executes both commands at once, so no change is missed between them.
void SentinelWatch::subscribe() {
  question_.reset();
  call_.reset();
  sentinels_[at_]->close();
  at_ = (at_ + 1) % sentinels_.size();
  Channel& sentinel = *sentinels_[at_];
  question_.reset(new Channel::Call(sentinel.read({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", name_})));
  call_.reset(new Channel::Call(sentinel.command({"SUBSCRIBE", kChannel})));
  timer_.set(loop_.clock().now() + kPingEvery);
}

void SentinelWatch::step() {
  timer_.set(loop_.clock().now() + kPingEvery);
  if (!call_->is_done()) return;  // the channel's own timeout ends it
  try {
    take_answer();
    call_->take();
    call_.reset(new Channel::Call(sentinels_[at_]->command({"PING"})));
  } catch (const base::Unavailable&) {
    subscribe();
  }
}

void SentinelWatch::take_answer() {
  if (!question_ || !question_->is_done()) return;
  const std::unique_ptr<Channel::Call> question = std::move(question_);
  take_primary(read_primary(question->take()));
}

void SentinelWatch::take_primary(const std::optional<Endpoint>& primary) {
  if (!primary || primary == primary_) return;
  const bool is_known = primary_.has_value();
  primary_ = primary;
  if (is_known) moved_();
}

void SentinelWatch::take_message(std::string_view text) {
  try {
    take_answer();
  } catch (const base::Unavailable&) {  // then the message is the first that it says
  }
  const auto switched = parse_switch(text);
  if (switched && switched->name == name_) take_primary(switched->primary);
}

}  // namespace svc::redis
