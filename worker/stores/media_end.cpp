#include "stores/media_end.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "stores/change_note.h"
#include "stores/keys.h"
#include "stores/statistics.h"

namespace svc::stores {

loop::Task<> end_media(redis::Store& store, media::HashedId id,
                       std::optional<media::AccountId> account) {
  const std::string key = keys::media(id);
  const std::array<std::string_view, 2> deletion{"DEL", key};
  std::vector<NotedChange> changes;
  if (account) changes.push_back({*account, {{Indexed::Media, id.value()}}});
  co_await write_noted(store, changes, note_time(), deletion, redis::Durability::Replicated,
                       IfFull::Continue);
  const std::string captions = keys::captions(id);
  const std::array<std::string_view, 2> clearing{"DEL", captions};
  redis::Store::Call cleared = store.repeatable(clearing, redis::Durability::Replicated);
  co_await cleared;
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
