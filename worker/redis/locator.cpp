#include "redis/locator.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "redis/channel.h"
#include "redis/topology.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

// How long one Sentinel may take. The documents for clients ask for a few hundred
// milliseconds: the others must be asked in time.
constexpr std::chrono::milliseconds kMostPerSentinel = 200ms;

}  // namespace

std::unique_ptr<Locator> locator_for(const ConnectionSettings& settings, loop::Loop& loop) {
  const Address& address = settings.address;
  if (!address.path.empty()) return nullptr;
  if (address.kind == Address::Kind::Sentinel)
    return std::make_unique<SentinelLocator>(settings, loop);
  return std::make_unique<HostLocator>(address.endpoints.empty() ? Endpoint{}
                                                                 : address.endpoints.front());
}

std::optional<Locator::Found> HostLocator::poll() {
  const auto found = resolver_.poll(server_.host);
  if (!found) return std::nullopt;
  if (!*found) return base::Refusal{found->error()};
  std::vector<Located> located;
  for (const std::string& literal : **found)
    located.push_back({literal, server_.port, server_.host});
  return located;
}

// ---- Sentinel ----

// The connection to one Sentinel, and the question that was sent on it.
struct SentinelLocator::Sentinel {
  Sentinel(ConnectionSettings settings, loop::Loop& loop) : channel(std::move(settings), loop) {}

  Channel channel;
  std::unique_ptr<Channel::Call> question;
};

SentinelLocator::SentinelLocator(const ConnectionSettings& settings, loop::Loop& loop)
    : primary_(settings.address.primary) {
  for (ConnectionSettings& sentinel : settings_of_sentinels(settings)) {
    sentinel.timeout = std::min(sentinel.timeout, kMostPerSentinel);
    sentinels_.push_back(std::make_unique<Sentinel>(std::move(sentinel), loop));
  }
}

SentinelLocator::~SentinelLocator() = default;

std::vector<ConnectionSettings> settings_of_sentinels(const ConnectionSettings& settings) {
  std::vector<ConnectionSettings> all;
  for (const Endpoint& sentinel : settings.address.endpoints) {
    ConnectionSettings one = settings;
    one.address = Address::of(sentinel, settings.address.tls);
    one.username = settings.sentinel_username;
    one.password = settings.sentinel_password;
    one.observer = nullptr;
    one.is_quiet = true;
    all.push_back(std::move(one));
  }
  return all;
}

void SentinelLocator::begin() {
  searching_ = true;
  asked_ = 0;
  answers_.clear();
  strangers_ = 0;
  why_.clear();
  ask();
}

void SentinelLocator::ask() {
  Sentinel& sentinel = *sentinels_[asked_];
  sentinel.question.reset(
      new Channel::Call(sentinel.channel.read({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", primary_})));
}

void SentinelLocator::take_reply() {
  Sentinel& sentinel = *sentinels_[asked_];
  try {
    const Reply reply = sentinel.question->take();
    if (const auto primary = read_primary(reply)) {
      auto at = std::ranges::find(answers_, *primary, &Answer::primary);
      if (at == answers_.end()) at = answers_.insert(at, {*primary, {}});
      at->from.push_back(asked_);
    } else {
      ++strangers_;
    }
  } catch (const base::Unavailable& error) {
    why_ = error.what();
  }
  sentinel.question.reset();
  sentinel.channel.close();
  ++asked_;
}

bool SentinelLocator::decide() {
  const auto most = std::ranges::max_element(
      answers_, {}, [](const Answer& answer) { return answer.from.size(); });
  const bool all_asked = asked_ == sentinels_.size();
  if (most == answers_.end() || (most->from.size() < kAgreeingSentinels && !all_asked))
    return all_asked;
  last_from_ = most->from;
  host_ = std::make_unique<HostLocator>(most->primary);
  // The Sentinels that answered are asked first next time.
  std::stable_partition(
      sentinels_.begin(), sentinels_.end(), [&](const std::unique_ptr<Sentinel>& sentinel) {
        const auto index = static_cast<std::size_t>(&sentinel - sentinels_.data());
        return std::ranges::find(last_from_, index) != last_from_.end();
      });
  for (std::size_t i = 0; i < last_from_.size(); ++i) last_from_[i] = i;
  return true;
}

std::string SentinelLocator::problem() const {
  if (strangers_ != 0) return "no Sentinel knows a primary named " + primary_;
  return "no Sentinel answered; the last one: " + why_;
}

std::optional<Locator::Found> SentinelLocator::poll() {
  if (!searching_) begin();
  while (!host_) {
    if (!sentinels_[asked_]->question->is_done()) return std::nullopt;
    take_reply();
    if (!decide()) {
      ask();
    } else if (!host_) {
      searching_ = false;
      return base::Refusal{problem()};
    }
  }
  auto found = host_->poll();
  if (!found) return std::nullopt;
  host_.reset();
  searching_ = false;
  return found;
}

void SentinelLocator::was_wrong() {
  if (last_from_.size() < sentinels_.size())
    std::rotate(sentinels_.begin(),
                sentinels_.begin() + static_cast<std::ptrdiff_t>(last_from_.size()),
                sentinels_.end());
  last_from_.clear();
}

}  // namespace svc::redis
