#include "stores/catalog/usage.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/unavailable.h"
#include "stores/keys.h"
#include "text/rfc3339.h"

namespace svc::stores {
namespace {

using std::chrono::days;
using std::chrono::system_clock;

constexpr std::string_view kKeepSeconds = "34560000";  // 400 days: a year, and time to bill it

std::chrono::sys_days today() { return std::chrono::floor<days>(system_clock::now()); }

// The field of the last batch of a table, next to those of the accounts.
std::string field_of(const Usage::BatchName& batch) { return "@" + std::to_string(batch.table); }

}  // namespace

void Usage::count_manifest(media::AccountId account) {
  const std::string key = keys::usage_manifest(text::to_full_date(today()));
  store_.send_and_forget({"HINCRBY", key, std::to_string(account.value()), "1"});
  if (key == expiring_) return;
  store_.send_and_forget({"EXPIRE", key, kKeepSeconds, "NX"});
  expiring_ = key;
}

// In one write, and the note last: if the store has it, it has executed all before it.
loop::Task<std::vector<Usage::Added>> Usage::add_manifests(BatchName batch,
                                                           std::vector<Count> counts) {
  const std::string key = keys::usage_manifest(text::to_full_date(batch.day));
  redis::Store::Calls calls(store_);
  for (const Count& each : counts) {
    const std::string account = std::to_string(each.account.value());
    calls.command({"HINCRBY", key, account, std::to_string(each.count)});
  }
  calls.command({"HSET", key, field_of(batch), std::to_string(batch.number)});
  if (key != expiring_) calls.command({"EXPIRE", key, kKeepSeconds, "NX"});
  std::vector<Added> outcomes;
  bool any_refused = false;
  while (calls.left() > 0) {
    try {
      const redis::Reply reply = co_await calls.next();
      outcomes.push_back(Added::Yes);
    } catch (const redis::ErrorReply& error) {
      log_refused(error);
      any_refused = true;
      outcomes.push_back(Added::Refused);
    } catch (const base::Unavailable&) {
      outcomes.push_back(Added::NoReply);
    }
  }
  if (outcomes.back() == Added::Yes) expiring_ = key;
  if (!any_refused && outcomes.front() == Added::Yes) said_refused_ = false;
  outcomes.resize(counts.size());
  co_return outcomes;
}

loop::Task<bool> Usage::has_added(BatchName batch) {
  const std::string key = keys::usage_manifest(text::to_full_date(batch.day));
  redis::Store::Call call = store_.read({"HGET", key, field_of(batch)});
  const redis::Reply reply = co_await call;
  co_return reply.text() == std::to_string(batch.number);
}

void Usage::log_refused(const redis::ErrorReply& error) {
  if (std::exchange(said_refused_, true)) return;
  base::log::warn("store.refused",
                  {{"store", store_.address().to_text()}, {"reason", error.what()}});
}

loop::Task<std::vector<Usage::Day>> Usage::manifests(media::AccountId account, int count) {
  std::vector<Day> result;
  const std::string field = std::to_string(account.value());
  redis::Store::Calls calls(store_);
  for (int ago = count - 1; ago >= 0; --ago) {
    result.push_back({text::to_full_date(today() - days(ago)), 0});
    calls.read({"HGET", keys::usage_manifest(result.back().date), field});
  }
  for (Day& day : result) {
    const redis::Reply reply = co_await calls.next();
    day.manifests = reply.number();
  }
  co_return result;
}

}  // namespace svc::stores
