#include "stores/catalog/media_end.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "stores/catalog/owned_kinds.h"
#include "stores/catalog/statistics.h"
#include "stores/catalog/unindexed.h"
#include "stores/keys.h"
#include "stores/record.h"
#include "text/json.h"

namespace svc::stores {
namespace {

constexpr bool is_of_media(const Kind& kind) { return is_of(kind, ":<media>"); }

static_assert(std::ranges::all_of(kKinds, [](const Kind& kind) {
  return !is_of_media(kind) || may_delete("commit_less", kind);
}));

struct Stored {
  std::string text;
  std::optional<media::Media> media{};  // nullopt: it cannot be read
};

loop::Task<std::optional<Stored>> find(redis::Store& store, std::string key) {
  redis::Store::Call call = store.get(key);
  Stored stored;
  try {
    const redis::Reply reply = co_await RecordRead{call, key};
    if (!reply.text()) co_return std::nullopt;
    stored.text = *reply.text();
    text::json::Document document;
    stored.media = must_read(key, media_from_stored(document, stored.text, media::Detail::All));
  } catch (const base::Unreadable&) {
    // It is logged.
  }
  co_return stored;
}

// What belongs to a media beside its record.
void end_rest(Commit& commit, const media::HashedId& id, media::AccountId account,
              const std::vector<std::string>& statistics) {
  for (const Kind& kind : kKinds) {
    if (is_of_media(kind)) commit.erase(key_of(kind, id.value()));
  }
  for (const std::string& key : statistics) commit.erase(key);
  commit.remove_from(std::string(keys::kStatsKept), viewing::Subject(id).key());
  commit.remove_from(keys::stats_plays(account), id.value());
  commit.list_upload(id, std::nullopt);
  commit.list_failed(id, std::nullopt);
  for (const auto weight :
       {Commit::Weight::LargeRecord, Commit::Weight::Files, Commit::Weight::Captions})
    commit.weigh(weight, id, 0);
}

// No account has it in its lists.
loop::Task<> end_unowned(redis::Store& store, media::HashedId id) {
  std::vector<std::string> names{"DEL", keys::media(id)};
  for (const Kind& kind : kKinds) {
    if (is_of_media(kind)) names.push_back(key_of(kind, id.value()));
  }
  Statistics of_viewing(store);
  const std::vector<std::string> statistics = co_await of_viewing.keys_of(id);
  names.insert(names.end(), statistics.begin(), statistics.end());
  const std::vector<std::string_view> words(names.begin(), names.end());
  redis::Store::Call call = store.repeatable(words, redis::Durability::Replicated);
  co_await call;
}

}  // namespace

loop::Task<> end_media_in(redis::Store& store, Commit& commit, media::Media media,
                          std::string text) {
  commit.change(keys::media(media.id), text, "");
  commit.note({Indexed::Media, media.id.value()}, indexed_fields(media), std::nullopt);
  Statistics statistics(store);
  const std::vector<std::string> of_viewing = co_await statistics.keys_of(media.id);
  end_rest(commit, media.id, media.account, of_viewing);
}

loop::Task<bool> end_media(redis::Store& store, media::HashedId id,
                           std::optional<media::AccountId> account, MediaCondition condition,
                           MediaEndAlso also) {
  const std::string key = keys::media(id);
  while (account) {
    const std::optional<Stored> stored = co_await find(store, key);
    if (condition && (!stored || !stored->media || !condition(*stored->media))) co_return false;
    Commit commit(*account);
    const media::Media* const media = stored && stored->media ? &*stored->media : nullptr;
    if (media != nullptr) {
      if (media->account != *account) co_return false;
      co_await end_media_in(store, commit, *media, stored->text);
    } else {
      const IndexedRecord record{Indexed::Media, id.value()};
      const std::optional<IndexedFields> was = co_await find_indexed(store, *account, record);
      commit.erase(key);
      commit.note(record, was, std::nullopt);
      Statistics statistics(store);
      const std::vector<std::string> of_viewing = co_await statistics.keys_of(id);
      end_rest(commit, id, *account, of_viewing);
    }
    if (also) also(commit, media);
    const Commit::Outcome outcome = co_await commit.run(store, Commit::Size::Less);
    if (outcome != Commit::Outcome::Changed) break;
  }
  if (!account) {
    co_await end_unowned(store, id);
  }
  co_return true;
}

}  // namespace svc::stores
