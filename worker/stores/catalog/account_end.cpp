#include "stores/catalog/account_end.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "redis/scan.h"
#include "stores/catalog/commit.lua.h"
#include "stores/catalog/owned_kinds.h"
#include "stores/catalog/statistics.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

constexpr std::string_view kAccount = "<account>";

constexpr bool is_of_account(const Kind& kind) {
  return kind.store == Store::Catalog && kind.key.find(kAccount) != std::string_view::npos;
}

// What follows the id: "" and "}" if an account has one such key.
constexpr std::string_view rest_of(const Kind& kind) {
  return kind.key.substr(kind.key.find(kAccount) + kAccount.size());
}
constexpr bool is_one(const Kind& kind) { return rest_of(kind) == "" || rest_of(kind) == "}"; }

// The index says that the account has ended.
constexpr bool is_index(const Kind& kind) { return kind.key.starts_with("catalog:index:"); }

static_assert(std::ranges::all_of(kKinds, [](const Kind& kind) {
  return !is_of_account(kind) || !is_one(kind) || is_index(kind) || may_delete("end_account", kind);
}));
// The others by a command of svcctl.
static_assert(std::ranges::all_of(kKinds, [](const Kind& kind) {
  const std::string_view rights =
      kind.rights.substr(std::min(kind.rights.find("svcctl "), kind.rights.size()));
  return !is_of_account(kind) || is_one(kind) || rights.find(" del") != std::string_view::npos;
}));

std::string begin_of(const Kind& kind, media::AccountId id) {
  return std::string(kind.key.substr(0, kind.key.find(kAccount))) + std::to_string(id.value());
}

loop::Task<> delete_all(redis::Store& store, std::string pattern) {
  redis::Scan scan(store, std::move(pattern), redis::Scan::Repeats::Possible);
  while (true) {
    const std::vector<std::string> found = co_await scan.next();
    if (found.empty()) co_return;
    std::vector<std::string_view> words{"DEL"};
    words.insert(words.end(), found.begin(), found.end());
    redis::Store::Call call = store.repeatable(words, redis::Durability::Replicated);
    co_await call;
  }
}

// Those of the account; those of a media end with it.
loop::Task<> end_statistics(redis::Store& store, media::AccountId id) {
  Statistics statistics(store);
  const std::vector<std::string> names = co_await statistics.keys_of(id);
  std::vector<std::string_view> words{"DEL"};
  words.insert(words.end(), names.begin(), names.end());
  redis::Store::Call deletion = store.repeatable(words, redis::Durability::Replicated);
  co_await deletion;
  const std::string subject = viewing::Subject(id).key();
  redis::Store::Call removal =
      store.repeatable({"ZREM", keys::kStatsKept, subject}, redis::Durability::Replicated);
  co_await removal;
}

}  // namespace

loop::Task<> close_account(redis::Store& store, media::AccountId id) {
  functions::CloseAccount run{.index = keys::index(id), .changed = keys::changed(id)};
  co_await store.call(std::move(run), redis::Durability::Replicated);
}

loop::Task<> end_account(redis::Store& store, media::AccountId id) {
  functions::EndAccount run{.index = keys::index(id), .records = {keys::account(id)}};
  for (const Kind& kind : kKinds) {
    if (!is_of_account(kind) || is_index(kind)) continue;
    const std::string begin = begin_of(kind, id);
    if (is_one(kind)) {
      run.records.emplace_back(begin + std::string(rest_of(kind)));
    } else {
      co_await delete_all(store, begin + "}:*");
    }
  }
  co_await end_statistics(store, id);
  co_await store.call(std::move(run), redis::Durability::Replicated);
}

loop::Task<> open_account(redis::Store& store, media::AccountId id) {
  functions::OpenAccount run{.index = keys::index(id)};
  co_await store.call(std::move(run), redis::Durability::Replicated);
}

}  // namespace svc::stores
