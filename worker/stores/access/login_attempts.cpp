#include "stores/access/login_attempts.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/address_group.h"
#include "loop/all.h"
#include "media/email.h"
#include "stores/access/count.h"
#include "stores/access/count.lua.h"
#include "stores/access/login_attempts.lua.h"
#include "stores/keys.h"
#include "text/ascii.h"

namespace svc::stores {
namespace {

constexpr std::string_view kEmailLabel = "login email";
constexpr std::int64_t kAddressKeeps = 600;  // s

}  // namespace

std::string LoginAttempts::mac_of(std::string_view email) const {
  return keys_.mac(kEmailLabel, text::to_lower(media::canonical_email(email)));
}

std::vector<std::string> LoginAttempts::known_lists(std::string_view email) const {
  std::vector<std::string> lists;
  const std::string canonical = text::to_lower(media::canonical_email(email));
  for (const std::string& mac : keys_.macs(kEmailLabel, canonical))
    lists.push_back(keys::login_known(mac));
  return lists;
}

loop::Task<std::optional<std::int64_t>> LoginAttempts::last_login(std::string_view email) {
  std::optional<std::int64_t> last;
  for (const std::string& list : known_lists(email)) {
    redis::Store::Call call = store_.read({"ZRANGE", list, "-1", "-1", "WITHSCORES"});
    const redis::Reply newest = co_await call;
    if (newest.size() == 2) last = std::max(last.value_or(0), newest.at(1).number());
  }
  co_return last;
}

loop::Task<> LoginAttempts::forget_addresses(std::string_view email) {
  for (const std::string& list : known_lists(email)) {
    redis::Store::Call call = store_.command({"UNLINK", list});
    co_await call;
  }
}

loop::Task<> LoginAttempts::count(std::string key) {
  co_await count_event(store_, std::move(key), kAddressKeeps);
}

loop::Task<> LoginAttempts::take_back(std::string key) {
  functions::UncountEvent change{.counter = std::move(key)};
  co_await store_.call(std::move(change));
}

loop::Task<login::AttemptHistory::Counted> LoginAttempts::look(std::string key) {
  functions::CountedEvents counter{.counter = std::move(key)};
  const redis::Reply counted = co_await store_.call(std::move(counter));
  login::AttemptHistory::Counted found{counted.at(0).number(), counted.at(1).integer()};
  co_return found;
}

loop::Task<login::AttemptHistory> LoginAttempts::history(std::string_view email,
                                                         std::string_view address) {
  const std::string mac = mac_of(email);
  const std::string group = base::address_group(address);
  functions::LoginHistory stored{.pair = keys::login_pair(mac, group),
                                 .email = keys::login_email(mac),
                                 .known = keys::login_known(mac),
                                 .address = group,
                                 .now = clock_.now()};
  std::vector<loop::Task<login::AttemptHistory::Counted>> looks;
  looks.push_back(look(keys::login_address(group)));
  for (const std::string& network : base::wider_networks(address))
    looks.push_back(look(keys::login_network(network)));
  auto both = loop::all(store_.call(std::move(stored)), loop::all(std::move(looks)));
  const auto answers = co_await both;
  const auto& [reply, counted] = answers;
  login::AttemptHistory history;
  history.pair_failures = reply.at(0).number();
  history.pair_last = reply.at(1).number();
  history.pair_told = reply.at(2).number();
  history.email_failures = reply.at(3).number();
  history.email_knows_address = reply.at(4).text() == "1";
  history.address_failures = counted.front().failures;
  history.address_ends_in = counted.front().ends_in;
  history.networks.assign(counted.begin() + 1, counted.end());
  co_return history;
}

loop::Task<> LoginAttempts::told_to_wait(std::string_view email, std::string_view address) {
  functions::ToldToWait told{.pair = keys::login_pair(mac_of(email), base::address_group(address)),
                             .now = clock_.now()};
  co_await store_.call(std::move(told));
}

loop::Task<bool> LoginAttempts::begin(std::string_view email, std::string_view address,
                                      const login::AttemptHistory& seen) {
  const std::string mac = mac_of(email);
  functions::BeginLogin attempt{.pair = keys::login_pair(mac, base::address_group(address)),
                                .email = keys::login_email(mac),
                                .failures = seen.pair_failures,
                                .last = seen.pair_last,
                                .told = seen.pair_told,
                                .now = clock_.now()};
  const redis::Reply begun = co_await store_.call(std::move(attempt));
  if (begun.integer() != 1) co_return false;
  co_await count_for(address);
  co_return true;
}

loop::Task<> LoginAttempts::was_busy(std::string_view address) { co_await count_for(address); }

loop::Task<> LoginAttempts::count_for(std::string_view address) {
  std::vector<loop::Task<>> counts;
  counts.push_back(count(keys::login_address(base::address_group(address))));
  for (const std::string& network : base::wider_networks(address))
    counts.push_back(count(keys::login_network(network)));
  co_await loop::all(std::move(counts));
}

loop::Task<> LoginAttempts::succeeded(std::string_view email, std::string_view address) {
  const std::string mac = mac_of(email);
  const std::string group = base::address_group(address);
  functions::LoginSucceeded success{.pair = keys::login_pair(mac, group),
                                    .email = keys::login_email(mac),
                                    .known = keys::login_known(mac),
                                    .address = group,
                                    .now = clock_.now()};
  std::vector<loop::Task<>> counters;
  counters.push_back(take_back(keys::login_address(group)));
  for (const std::string& network : base::wider_networks(address))
    counters.push_back(take_back(keys::login_network(network)));
  auto both = loop::all(store_.call(std::move(success)), loop::all(std::move(counters)));
  co_await both;
}

}  // namespace svc::stores
