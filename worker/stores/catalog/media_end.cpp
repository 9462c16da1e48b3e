#include "stores/catalog/media_end.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "stores/catalog/change_note.h"
#include "stores/catalog/statistics.h"
#include "stores/keys.h"
#include "stores/kinds.h"

namespace svc::stores {
namespace {

constexpr std::string_view kOfMedia = ":<media>";

constexpr bool is_of_media(const Kind& kind) { return kind.key.ends_with(kOfMedia); }

// Each program that deletes media; svcctl may delete all of the catalog.
constexpr bool may_be_deleted(const Kind& kind) {
  if (!kind.key.starts_with("catalog:")) return false;
  for (const std::string_view user : {"grant ", "web ", "ingest "}) {
    const std::size_t begin = kind.rights.find(user);
    if (begin == std::string_view::npos) return false;
    const std::string_view from = kind.rights.substr(begin);
    const std::string_view commands = from.substr(0, from.find(';'));
    if (!commands.ends_with(" del") && commands.find(" del ") == std::string_view::npos)
      return false;
  }
  return true;
}
static_assert(std::ranges::all_of(kKinds, [](const Kind& kind) {
  return !is_of_media(kind) || may_be_deleted(kind);
}));

}  // namespace

loop::Task<> end_media(redis::Store& store, media::HashedId id,
                       std::optional<media::AccountId> account) {
  const std::string key = keys::media(id);
  const std::array<std::string_view, 2> deletion{"DEL", key};
  std::vector<NotedChange> changes;
  if (account) changes.push_back({*account, {{Indexed::Media, id.value()}}});
  co_await write_noted(store, changes, note_time(), deletion, redis::Durability::Replicated,
                       IfFull::Continue);
  for (const Kind& kind : kKinds) {
    if (!is_of_media(kind)) continue;
    const std::string own = std::string(kind.key.substr(0, kind.key.find('<'))) + id.value();
    const std::array<std::string_view, 2> clearing{"DEL", own};
    redis::Store::Call cleared = store.repeatable(clearing, redis::Durability::Replicated);
    co_await cleared;
  }
  Statistics statistics(store);
  co_await statistics.forget(id, account);
  if (!account) co_return;
  for (const std::string& list :
       {keys::ingest_uploads(*account), keys::ingest_failed(*account), keys::ingest_large(*account),
        keys::ingest_bytes(*account), keys::captioned(*account)}) {
    const std::array<std::string_view, 3> forgetting{"ZREM", list, id.value()};
    redis::Store::Call call = store.repeatable(forgetting, redis::Durability::Replicated);
    co_await call;
  }
}

}  // namespace svc::stores
