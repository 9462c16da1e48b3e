#include "redis/locator.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/inet_address.h"
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
    one.functions = 0;  // a Sentinel runs none
    one.observer = nullptr;
    one.is_quiet = true;
    all.push_back(std::move(one));
  }
  return all;
}

Locator::Locator(const ConnectionSettings& settings, loop::Loop& loop, LookUp look_up)
    : loop_(loop),
      look_up_(std::move(look_up)),
      server_(settings.address.endpoints.empty() ? Endpoint{} : settings.address.endpoints.front()),
      primary_(settings.address.primary),
      searched_(loop),
      searching_(loop) {
  if (settings.address.kind != Address::Kind::Sentinel) return;
  for (ConnectionSettings& sentinel : settings_of_sentinels(settings)) {
    sentinel.timeout = std::min(sentinel.timeout, kMostPerSentinel);
    sentinels_.push_back(std::make_unique<Channel>(std::move(sentinel), loop));
  }
}

Locator::~Locator() = default;

loop::Task<std::vector<Located>> Locator::find() {
  const auto is_known = [this] { return !found_.empty() || failure_; };
  if (!is_known() && searching_.is_empty()) searching_.spawn(search());
  if (!is_known()) {
    loop::Event::Next outcome(searched_);
    co_await outcome;
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  co_return std::exchange(found_, {});
}

loop::Task<> Locator::search() {
  try {
    Endpoint server = server_;
    if (!sentinels_.empty()) {
      server = co_await ask_sentinels();
    }
    const Literals literals = co_await look_up(server.host);
    for (const std::string& literal : literals)
      found_.push_back({literal, server.port, server.host});
  } catch (const base::Unavailable&) {
    failure_ = std::current_exception();
  }
  searched_.happen();
}

loop::Task<Locator::Literals> Locator::look_up(std::string host) {
  if (base::InetAddress::of(host, 0)) co_return Literals{host};
  std::function<base::Result<Literals, std::string>()> work = [look_up = look_up_, host] {
    return look_up(host);
  };
  try {
    if (!threads_) threads_.emplace(loop_);
    const base::Result<Literals, std::string> found =
        co_await threads_->run<base::Result<Literals, std::string>>(std::move(work));
    if (!found) throw base::Unavailable(found.error());
    co_return *found;
  } catch (const std::system_error&) {
    throw base::Unavailable(host + ": no thread could be started to look it up");
  }
}

loop::Task<Endpoint> Locator::ask_sentinels() {
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
  throw base::Unavailable(is_unknown ? "no Sentinel knows a primary named " + primary_
                                     : "no Sentinel answered; the last one: " + why);
}

void Locator::was_wrong() {
  std::rotate(sentinels_.begin(), sentinels_.begin() + static_cast<std::ptrdiff_t>(agreed_),
              sentinels_.end());
  agreed_ = 0;
}

}  // namespace svc::redis
