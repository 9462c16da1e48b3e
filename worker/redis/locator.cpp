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
constexpr std::size_t kEnough = 2;  // Sentinels that name the same server

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
struct SentinelLocator::Question {
  Question(ConnectionSettings settings, loop::Loop& loop, const std::string& primary)
      : channel(std::move(settings), loop),
        call(channel.read({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", primary})) {}

  Channel channel;
  Channel::Call call;
};

SentinelLocator::SentinelLocator(const ConnectionSettings& settings, loop::Loop& loop)
    : settings_(settings), loop_(loop), sentinels_(settings.address.endpoints) {}

SentinelLocator::~SentinelLocator() = default;

void SentinelLocator::begin() {
  searching_ = true;
  asked_ = 0;
  answers_.clear();
  strangers_ = 0;
  why_.clear();
  ask();
}

void SentinelLocator::ask() {
  ConnectionSettings settings = settings_;
  settings.address = Address::of(sentinels_[asked_], settings_.address.tls);
  settings.username = settings_.sentinel_username;
  settings.password = settings_.sentinel_password;
  settings.timeout = std::min(settings_.timeout, kMostPerSentinel);
  settings.observer = nullptr;
  settings.is_quiet = true;
  question_ = std::make_unique<Question>(std::move(settings), loop_, settings_.address.primary);
}

void SentinelLocator::take_reply() {
  try {
    const Reply reply = question_->call.take();
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
  question_.reset();
  ++asked_;
}

bool SentinelLocator::decide() {
  const auto most = std::ranges::max_element(
      answers_, {}, [](const Answer& answer) { return answer.from.size(); });
  const bool all_asked = asked_ == sentinels_.size();
  if (most == answers_.end() || (most->from.size() < kEnough && !all_asked)) return all_asked;
  last_from_ = most->from;
  host_ = std::make_unique<HostLocator>(most->primary);
  // Who answers is asked first next time.
  std::stable_partition(sentinels_.begin(), sentinels_.end(), [&](const Endpoint& sentinel) {
    const auto index = static_cast<std::size_t>(&sentinel - sentinels_.data());
    return std::ranges::find(last_from_, index) != last_from_.end();
  });
  for (std::size_t i = 0; i < last_from_.size(); ++i) last_from_[i] = i;
  return true;
}

std::string SentinelLocator::problem() const {
  if (strangers_ != 0) return "no Sentinel knows a primary named " + settings_.address.primary;
  return "no Sentinel answered; the last one: " + why_;
}

std::optional<Locator::Found> SentinelLocator::poll() {
  if (!searching_) begin();
  while (!host_) {
    if (!question_->call.is_done()) return std::nullopt;
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
