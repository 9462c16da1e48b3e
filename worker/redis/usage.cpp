#include "redis/usage.h"

#include <charconv>
#include <chrono>
#include <cstdio>

#include "base/unavailable.h"
#include "redis/keys.h"

namespace svc::redis {
namespace {

using std::chrono::days;
using std::chrono::system_clock;

constexpr std::string_view kKeepSeconds = "34560000";  // 400 days: a year, and time to bill it

std::string date_of(system_clock::time_point time) {
  const std::chrono::year_month_day date(std::chrono::floor<days>(time));
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text;
}

}  // namespace

void Usage::count_manifest(media::AccountId account) {
  const std::string date = date_of(system_clock::now());
  const std::string key = keys::usage_manifest(date);
  try {
    connection_.send_and_forget({"HINCRBY", key, std::to_string(account.number), "1"});
    if (date == expiring_) return;
    connection_.send_and_forget({"EXPIRE", key, kKeepSeconds, "NX"});
    expiring_ = date;
  } catch (const base::Unavailable&) {
    // Said in the log by the connection. The answer goes out all the same.
  }
}

bool Usage::add_manifests(media::AccountId account, std::uint64_t count) {
  const std::string date = date_of(system_clock::now());
  const std::string key = keys::usage_manifest(date);
  try {
    if (!connection_.try_command(
            {"HINCRBY", key, std::to_string(account.number), std::to_string(count)}))
      return false;
  } catch (const base::Unavailable&) {
    return false;
  }
  try {
    if (date != expiring_ && connection_.try_command({"EXPIRE", key, kKeepSeconds, "NX"}))
      expiring_ = date;
  } catch (const base::Unavailable&) {
    // With the next one.
  }
  return true;
}

std::vector<Usage::Day> Usage::manifests(media::AccountId account, int count) {
  std::vector<Day> result;
  const auto now = system_clock::now();
  for (int ago = count - 1; ago >= 0; --ago) {
    result.push_back({date_of(now - days(ago)), 0});
    connection_.send(
        {"HGET", keys::usage_manifest(result.back().date), std::to_string(account.number)});
  }
  for (Day& day : result) {
    const Reply reply = connection_.receive();
    const std::string_view text = reply.text().value_or("0");
    std::from_chars(text.data(), text.data() + text.size(), day.manifests);
  }
  return result;
}

}  // namespace svc::redis
