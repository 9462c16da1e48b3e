#include "ctl/usage.h"

#include <cstdint>
#include <iostream>
#include <optional>

#include "base/number.h"
#include "base/unavailable.h"
#include "ctl/arguments.h"
#include "redis/keys.h"
#include "redis/usage.h"
#include "text/json.h"

namespace svc::ctl {
namespace {

constexpr int kNoSuchAccount = 1;
constexpr int kWrongCall = 2;
constexpr int kStoreAway = 3;
constexpr int kMaxDays = 400;

void print_json(std::int64_t account, const std::vector<redis::Usage::Day>& days,
                std::int64_t total) {
  std::string out;
  text::json::ObjectWriter writer(out);
  writer.integer("account_id", account);
  text::json::ArrayWriter array(writer.raw("days"));
  for (const auto& day : days) {
    text::json::ObjectWriter(array.next())
        .string("date", day.date)
        .integer("manifests", day.manifests)
        .end();
  }
  array.end();
  writer.integer("manifests", total).end();
  std::cout << out << "\n";
}

}  // namespace

int usage(const std::vector<std::string>& arguments, const Store& store) {
  std::optional<std::int64_t> account;
  int days = 30;
  bool json = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--json") {
      json = true;
    } else if (argument == "--days") {
      if (i + 1 == arguments.size()) {
        std::cerr << "svcctl usage: --days needs a value\n" << kUsageUsage;
        return kWrongCall;
      }
      const auto number = base::parse_number<int>(arguments[++i], 1, kMaxDays);
      if (!number) {
        std::cerr << "svcctl usage: --days must be an integer from 1 to " << kMaxDays << "\n";
        return kWrongCall;
      }
      days = *number;
    } else if (!account &&
               (account = base::parse_number<std::int64_t>(argument, 1, media::kMaxIntegerId))) {
      continue;
    } else {
      std::cerr << "svcctl usage: " << why_not_understood(argument) << "\n" << kUsageUsage;
      return kWrongCall;
    }
  }
  if (!account) {
    std::cerr << "svcctl usage: the account's id is missing\n" << kUsageUsage;
    return kWrongCall;
  }
  try {
    const redis::Reply exists =
        store.run(store.channel.read({"EXISTS", redis::keys::account({*account})}));
    if (exists.integer() == 0) {
      std::cerr << "svcctl usage: there is no account " << *account << "\n";
      return kNoSuchAccount;
    }
    const auto counted = store.run(redis::Usage(store.channel).manifests({*account}, days));
    std::int64_t total = 0;
    for (const auto& day : counted) total += day.manifests;
    if (json) {
      print_json(*account, counted, total);
      return 0;
    }
    for (const auto& day : counted) {
      if (day.manifests > 0) std::cout << day.date << "  " << day.manifests << "\n";
    }
    std::cout << "manifests in " << days << (days == 1 ? " day: " : " days: ") << total << "\n";
    return 0;
  } catch (const base::Unavailable& outage) {
    std::cerr << "svcctl usage: the store is away: " << outage.what() << "\n";
    return kStoreAway;
  }
}

}  // namespace svc::ctl
