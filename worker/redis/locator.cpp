#include "redis/locator.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/unavailable.h"
#include "redis/channel.h"
#include "redis/topology.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

// How long one Sentinel may take. The documents for clients ask for a few hundred
// milliseconds: the others must be asked in time.
constexpr std::chrono::milliseconds kMostPerSentinel = 200ms;

// What Sentinels answered.
struct Answer {
  Endpoint primary;
  std::vector<const Channel*> from;
};

}  // namespace

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

std::unique_ptr<Locator> locator_for(const ConnectionSettings& settings, loop::Loop& loop) {
  return settings.address.path.empty() ? std::make_unique<Locator>(settings, loop) : nullptr;
}

Locator::Locator(const ConnectionSettings& settings, loop::Loop& loop, Resolver::LookUp look_up)
    : server_(settings.address.endpoints.empty() ? Endpoint{} : settings.address.endpoints.front()),
      primary_(settings.address.primary),
      resolver_(loop, std::move(look_up)),
      searched_(loop),
      searching_(loop) {
  if (settings.address.kind != Address::Kind::Sentinel) return;
  for (ConnectionSettings& sentinel : settings_of_sentinels(settings)) {
    sentinel.timeout = std::min(sentinel.timeout, kMostPerSentinel);
    sentinels_.push_back(std::make_unique<Channel>(std::move(sentinel), loop));
  }
}

Locator::~Locator() = default;

loop::Task<Locator::Found> Locator::find() {
  if (!found_ && searching_.is_empty()) searching_.spawn(search());
  if (!found_) {
    loop::Event::Next outcome(searched_);
    co_await outcome;
  }
  Found found = std::move(*found_);
  found_.reset();
  co_return found;
}

loop::Task<> Locator::search() {
  Endpoint server = server_;
  std::string why;
  if (!sentinels_.empty()) {
    loop::Task<Primary> asking = ask_sentinels();
    Primary primary = co_await asking;
    if (primary) {
      server = std::move(*primary);
    } else {
      why = primary.error();
    }
  }
  if (why.empty()) {
    loop::Task<Found> looking = look_up(std::move(server));
    found_ = co_await looking;
  } else {
    found_ = base::Refusal{why};
  }
  searched_.happen();
}

loop::Task<Locator::Found> Locator::look_up(Endpoint server) {
  loop::Task<Resolver::Found> looking = resolver_.find(server.host);
  const Resolver::Found found = co_await looking;
  if (!found) co_return base::Refusal{found.error()};
  std::vector<Located> located;
  for (const std::string& literal : *found) located.push_back({literal, server.port, server.host});
  co_return located;
}

loop::Task<Locator::Primary> Locator::ask_sentinels() {
  std::vector<Answer> answers;
  std::string why;
  bool is_unknown = false;
  for (std::size_t asked = 0; asked < sentinels_.size(); ++asked) {
    Channel& sentinel = *sentinels_[asked];
    try {
      Channel::Call question = sentinel.call(Channel::Kind::SharedRead,
                                             {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", primary_});
      const Reply reply = co_await question;
      if (const auto primary = read_primary(reply)) {
        auto at = std::ranges::find(answers, *primary, &Answer::primary);
        if (at == answers.end()) at = answers.insert(at, {*primary, {}});
        at->from.push_back(&sentinel);
      } else {
        is_unknown = true;
      }
    } catch (const base::Unavailable& error) {
      why = error.what();
    }
    sentinel.close("it has answered");
    const bool is_last = asked + 1 == sentinels_.size();
    const auto most = std::ranges::max_element(
        answers, {}, [](const Answer& answer) { return answer.from.size(); });
    if (most == answers.end() || (most->from.size() < kAgreeingSentinels && !is_last)) continue;
    std::stable_partition(sentinels_.begin(), sentinels_.end(),
                          [&](const std::unique_ptr<Channel>& one) {
                            return std::ranges::find(most->from, one.get()) != most->from.end();
                          });
    agreed_ = most->from.size();
    co_return most->primary;
  }
  co_return base::Refusal{is_unknown ? "no Sentinel knows a primary named " + primary_
                                     : "no Sentinel answered; the last one: " + why};
}

void Locator::was_wrong() {
  std::rotate(sentinels_.begin(), sentinels_.begin() + static_cast<std::ptrdiff_t>(agreed_),
              sentinels_.end());
  agreed_ = 0;
}

}  // namespace svc::redis
