#include "stores/catalog/catalog_registry.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redis/scan.h"
#include "stores/catalog/media_end.h"
#include "stores/catalog/owned_kinds.h"
#include "stores/catalog/password_hashes.h"
#include "stores/catalog/people.lua.h"
#include "stores/keys.h"
#include "stores/record.h"
#include "stores/replace.h"

namespace svc::stores {
namespace {

constexpr std::string_view kNoHash = "-";  // of people.lua

// Account tokens end one by one, which empties their list. What counts has a time to live.
constexpr bool ends_with_contact(const Kind& kind) {
  return is_of(kind, ":<contact>") && !kind.key.starts_with("oauth:contact_account_tokens:");
}
static_assert(std::ranges::all_of(kKinds, [](const Kind& kind) {
  return !ends_with_contact(kind) || may_delete("end_contact", kind);
}));

}  // namespace

template <class T>
loop::Task<std::optional<CatalogRegistry::Changed<T>>> CatalogRegistry::change(
    std::string key, base::Result<T, std::string> (*from_record)(text::JsonRecord&),
    std::function<void(T&)> change) {
  while (true) {
    redis::Store::Call call = store_.get(key);
    const redis::Reply reply = co_await call;
    const auto before = reply.text();
    if (!before) co_return std::nullopt;
    Changed<T> changed{read_record(document_, key, *before, from_record), {}};
    changed.after = changed.before;
    change(changed.after);
    const std::string after = to_record(changed.after, &changed.before);
    // A record that `change` leaves as it is is not written.
    if (after == to_record(changed.before, &changed.before)) co_return changed;
    const bool written = co_await replace(store_, key, *before, after);
    if (written) co_return changed;
  }
}

loop::Task<std::optional<CatalogRegistry::Changed<media::Contact>>> CatalogRegistry::change_contact(
    media::ContactId id, std::function<void(media::Contact&)> change) {
  co_await move_password_hash(store_, id);
  std::string key = keys::contact(id);
  co_return co_await this->change<media::Contact>(std::move(key), media::contact_from_record,
                                                  std::move(change));
}

loop::Task<std::optional<CatalogRegistry::Changed<media::Account>>> CatalogRegistry::change_account(
    media::AccountId id, std::function<void(media::Account&)> change) {
  return this->change<media::Account>(keys::account(id), media::account_from_record,
                                      std::move(change));
}

loop::Task<CatalogRegistry::Written> CatalogRegistry::write_contact(
    const media::Contact& contact, std::string_view before, std::string former_email,
    std::optional<std::string> hash) {
  const auto stored = text::parse_record(document_, before, media::contact_from_record);
  const std::string& former = former_email.empty() ? contact.email : former_email;
  if (hash && hash->empty()) hash = kNoHash;
  functions::WriteContact run{.contact = keys::contact(contact.id),
                              .email = keys::contact_email(contact.email),
                              .former = keys::contact_email(former),
                              .password = keys::password(contact.id),
                              .id = contact.id.value(),
                              .before = before,
                              .after = to_record(contact, stored ? &*stored : nullptr),
                              .hash = hash.value_or("")};
  const redis::Reply reply = co_await store_.call(std::move(run));
  const std::string_view outcome = reply.text().value_or("");
  if (outcome == "written") co_return Written::Done;
  co_return outcome == "email" ? Written::EmailTaken : Written::Changed;
}

loop::Task<std::optional<media::Media>> CatalogRegistry::edit_media(
    media::HashedId id, std::function<bool(media::Media&)> change) {
  std::optional<media::Media> found;
  std::function<bool(media::Media&)> keep = [&](media::Media& media) {
    const bool changes = change(media);
    found = media;
    return changes;
  };
  std::optional<media::Media> changed = co_await change_media(id, std::move(keep));
  if (changed) co_return changed;
  const bool is_here = co_await has_media(id);
  if (!is_here) co_return std::nullopt;
  co_return found;
}

loop::Task<std::optional<media::Account>> CatalogRegistry::edit_account(
    media::AccountId id, std::function<bool(media::Account&)> change) {
  const std::string key = keys::account(id);
  while (true) {
    redis::Store::Call call = store_.get(key);
    const redis::Reply reply = co_await RecordRead{call, key};
    if (!reply.text()) co_return std::nullopt;
    const std::string before(*reply.text());
    media::Account account = read_record(document_, key, before, media::account_from_record);
    const media::Account stored = account;
    if (!change(account)) co_return account;
    const std::string after = to_record(account, &stored);
    const bool written =
        co_await replace(store_, key, before, after, redis::Durability::Replicated);
    if (written) co_return account;
  }
}

loop::Task<std::optional<media::Media>> CatalogRegistry::change_media(
    media::HashedId id, std::function<bool(media::Media&)> change,
    std::function<void(const media::Media&, Commit&)> also) {
  const std::string key = keys::media(id);
  while (true) {
    redis::Store::Call call = store_.get(key);
    const redis::Reply reply = co_await RecordRead{call, key};
    if (!reply.text()) co_return std::nullopt;
    const std::string before(*reply.text());
    media::Media media = must_read(key, media_from_stored(document_, before, media::Detail::All));
    const media::Media stored = media;
    if (!change(media)) co_return std::nullopt;
    Commit commit(media.account);
    commit.change(key, before, to_record(media, &stored));
    commit.note({Indexed::Media, id.value()}, indexed_fields(stored), indexed_fields(media));
    if (also) also(media, commit);
    const Commit::Outcome outcome = co_await commit.run(store_);
    if (outcome == Commit::Outcome::Done) co_return media;
    if (outcome == Commit::Outcome::Gone) co_return std::nullopt;
  }
}

loop::Task<bool> CatalogRegistry::remove_media(media::HashedId id,
                                               std::function<bool(const media::Media&)> condition,
                                               std::function<void(Commit&)> also) {
  const std::string key = keys::media(id);
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await RecordRead{call, key};
  const auto record = reply.text();
  if (!record) co_return false;
  const media::Media media =
      must_read(key, media_from_stored(document_, *record, media::Detail::All));
  if (!condition(media)) co_return false;
  MediaEndAlso adds;
  if (also) adds = [&also](Commit& commit, const media::Media*) { also(commit); };
  co_return co_await end_media(store_, id, media.account, std::move(condition), std::move(adds));
}

loop::Task<bool> CatalogRegistry::take_out(media::HashedId playlist, media::HashedId media) {
  bool contained = false;
  std::function<void(media::Playlist&)> remove = [&](media::Playlist& list) {
    contained = std::erase(list.media_ids, media) > 0;
  };
  std::string key = keys::playlist(playlist);
  const std::optional<Changed<media::Playlist>> changed = co_await change<media::Playlist>(
      std::move(key), media::playlist_from_record, std::move(remove));
  co_return changed&& contained;
}

loop::Task<> CatalogRegistry::remove_playlist(media::HashedId id) {
  const std::string key = keys::playlist(id);
  redis::Store::Call call = store_.repeatable({"DEL", key}, redis::Durability::Replicated);
  co_await call;
}

loop::Task<std::optional<media::Media>> CatalogRegistry::owner_of_files(media::HashedId folder) {
  const std::string key = keys::files_owner(folder);
  redis::Store::Call call = store_.get(key);
  const redis::Reply reply = co_await RecordRead{call, key};
  const auto getter = media::HashedId::parse(reply.text().value_or(""));
  std::optional<media::Media> found;
  const std::function<bool(media::Media&)> read = [&found](media::Media& media) {
    found = media;
    return false;
  };
  if (getter && *getter != folder) {
    co_await change_media(*getter, read);
    if (found && std::ranges::find(found->folders, folder) != found->folders.end()) co_return found;
    found.reset();
  }
  co_await change_media(folder, read);
  co_return found;
}

loop::Task<> CatalogRegistry::forget_files_owner(media::HashedId folder) {
  const std::string key = keys::files_owner(folder);
  const std::array<std::string_view, 2> words{"DEL", key};
  redis::Store::Call call = store_.repeatable(words, redis::Durability::Replicated);
  co_await call;
}

loop::Task<bool> CatalogRegistry::has_media(media::HashedId id) {
  redis::Store::Call call = store_.read({"EXISTS", keys::media(id)});
  const redis::Reply reply = co_await call;
  co_return reply.integer() == 1;
}

loop::Task<std::vector<std::string>> CatalogRegistry::emails_of(media::ContactId id) {
  const std::string owner = std::to_string(id.value());
  std::vector<std::string> emails;
  redis::Scan scan(store_, keys::contact_email("*"), redis::Scan::Repeats::Possible);
  while (true) {
    const std::vector<std::string> found = co_await scan.next();
    if (found.empty()) co_return emails;
    redis::Store::Calls reads(store_);
    for (const std::string& key : found) reads.get(key);
    for (const std::string& key : found) {
      const redis::Reply reply = co_await reads.next();
      if (reply.text().value_or("") == owner) emails.push_back(key);
    }
  }
}

loop::Task<> CatalogRegistry::end_contact(media::ContactId id) {
  const std::string key = keys::contact(id);
  const std::string contact_id = std::to_string(id.value());
  while (true) {
    redis::Store::Call call = store_.get(key);
    const redis::Reply reply = co_await call;
    const std::string before(reply.text().value_or(""));
    std::vector<std::string> emails;
    const auto contact = text::parse_record(document_, before, media::contact_from_record);
    if (contact) {
      emails = {keys::contact_email(contact->email)};
    } else if (!before.empty()) {
      emails = co_await emails_of(id);
    }
    functions::EndContact run{.contact = key,
                              .records = {emails.begin(), emails.end()},
                              .id = id.value(),
                              .before = before,
                              .emails = emails.size()};
    for (const Kind& kind : kKinds) {
      if (ends_with_contact(kind)) run.records.emplace_back(key_of(kind, contact_id));
    }
    const redis::Reply ended = co_await store_.call(std::move(run));
    if (ended.integer() == 1) co_return;
  }
}

void give_files(Commit& commit, const media::HashedId& folder, const media::HashedId& media) {
  // A folder without the key is that of the media with its id.
  if (folder == media) return commit.erase(keys::files_owner(folder));
  commit.put(keys::files_owner(folder), media.value());
}

}  // namespace svc::stores
