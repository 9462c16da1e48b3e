#include "stores/usage.h"

#include <chrono>
#include <cstdio>
#include <utility>

#include "base/log.h"
#include "base/unavailable.h"
#include "stores/keys.h"

namespace svc::stores {
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
  store_.send_and_forget({"HINCRBY", key, std::to_string(account.value()), "1"});
  if (date == expiring_) return;
  store_.send_and_forget({"EXPIRE", key, kKeepSeconds, "NX"});
  expiring_ = date;
}

loop::Task<bool> Usage::add_manifests(media::AccountId account, std::uint64_t count) {
  const std::string date = date_of(system_clock::now());
  const std::string key = keys::usage_manifest(date);
  const bool expires = date == expiring_;  // already
  redis::Store::Calls calls(store_);
  calls.command({"HINCRBY", key, std::to_string(account.value()), std::to_string(count)});
  if (!expires) calls.command({"EXPIRE", key, kKeepSeconds, "NX"});
  try {
    const redis::Reply added = co_await calls.next();
  } catch (const redis::ErrorReply& error) {
    log_refused(error);
    co_return false;
  } catch (const base::Unavailable&) {
    co_return false;
  }
  try {
    if (!expires) {
      const redis::Reply set = co_await calls.next();
      expiring_ = date;
    }
    said_refused_ = false;
  } catch (const redis::ErrorReply& error) {
    log_refused(error);
  } catch (const base::Unavailable&) {
    // The count was added. The next call sets the time to live.
  }
  co_return true;
}

void Usage::log_refused(const redis::ErrorReply& error) {
  if (std::exchange(said_refused_, true)) return;
  base::log::warn("store.refused",
                  {{"store", store_.address().to_text()}, {"reason", error.what()}});
}

loop::Task<std::vector<Usage::Day>> Usage::manifests(media::AccountId account, int count) {
  std::vector<Day> result;
  const auto now = system_clock::now();
  const std::string field = std::to_string(account.value());
  redis::Store::Calls calls(store_);
  for (int ago = count - 1; ago >= 0; --ago) {
    result.push_back({date_of(now - days(ago)), 0});
    calls.read({"HGET", keys::usage_manifest(result.back().date), field});
  }
  for (Day& day : result) {
    const redis::Reply reply = co_await calls.next();
    day.manifests = reply.number();
  }
  co_return result;
}

}  // namespace svc::stores
