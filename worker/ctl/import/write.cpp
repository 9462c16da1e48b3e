#include "ctl/import/write.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/number.h"
#include "base/password_hash.h"
#include "base/unavailable.h"
#include "library/caption_list.h"
#include "login/new_password.h"
#include "loop/all.h"
#include "media/guard.h"
#include "stores/client_index.h"
#include "stores/keys.h"
#include "stores/password_hashes.h"
#include "stores/renderings.h"
#include "stores/replace.h"

namespace svc::ctl {
namespace {

// Large enough to share a round trip and an fsync of the store among many records; small enough to
// react to Ctrl-C immediately. A plain password takes a sixth of a second to hash, so it ends its
// batch.
constexpr std::size_t kBatchRecords = 1024;
constexpr std::size_t kBatchBytes = 2 << 20;

// An audit event lists at most this many users, and the number of the others.
constexpr std::size_t kNamedUsers = 20;

std::string names_of(const std::vector<media::ContactId>& users) {
  std::string names = users.size() == 1 ? "user" : "users";
  for (std::size_t i = 0; i < std::min(users.size(), kNamedUsers); ++i)
    names += (i == 0 ? " " : ", ") + std::to_string(users[i].value());
  if (users.size() > kNamedUsers)
    names += " and " + std::to_string(users.size() - kNamedUsers) + " more";
  return names;
}

// The account of the stored record that is replaced; nullopt if the record does not exist or cannot
// be read.
std::optional<media::AccountId> account_before(text::json::Document& document, Kind kind,
                                               std::string_view before) {
  if (before.empty()) return std::nullopt;
  if (kind == Kind::Media) {
    const auto media = media::media_from_stored(document, before, media::Detail::Embed);
    return media ? std::optional(media->account) : std::nullopt;
  }
  const auto value = document.parse(before, text::json::Origin::Ours);
  if (!value) return std::nullopt;
  text::JsonRecord record(*value);
  const auto project = media::project_from_record(record);
  return project ? std::optional(project->account) : std::nullopt;
}

std::optional<media::Account> account_of(text::json::Document& document, std::string_view stored) {
  const auto value = document.parse(stored, text::json::Origin::Ours);
  if (!value) return std::nullopt;
  text::JsonRecord record(*value);
  auto account = media::account_from_record(record);
  return account ? std::optional(*std::move(account)) : std::nullopt;
}

// Of a missing or unreadable record: everywhere.
media::SiteRule rule_before(text::json::Document& document, std::string_view stored) {
  const std::optional<media::Account> account = account_of(document, stored);
  return account ? account->site_rule() : media::SiteRule();
}

void keep_choices(text::json::Document& document, std::string_view before,
                  media::Account& account) {
  std::optional<media::Account> stored = account_of(document, before);
  if (!stored) return;
  if (!account.allowed_domains) account.allowed_domains = std::move(stored->allowed_domains);
  if (!account.uploads_enabled) account.uploads_enabled = stored->uploads_enabled;
  if (!account.allow_no_referrer) account.allow_no_referrer = stored->allow_no_referrer;
}

}  // namespace

void ImportWrite::keep_from_api(Pending& pending, std::string_view before) {
  auto& media = std::get<media::Media>(pending.line.record);
  media.visibility.reset();
  media.links_from.reset();
  media.links.clear();
  media.allowed_domains = pending.allowed_domains;
  media.chapters = pending.chapters;
  media.chapters_are_set = false;
  pending.guarded_before.reset();
  auto stored = media::media_from_stored(document_, before, media::Detail::All);
  if (stored) {
    media::Media& before_it = pending.guarded_before.emplace();
    before_it.account = stored->account;
    before_it.visibility = stored->visibility;
    before_it.links_from = stored->links_from;
    before_it.links = stored->links;
    before_it.allowed_domains = stored->allowed_domains;
    media.customizations = std::move(stored->customizations);
    media.captions = library::with_set_captions(std::move(media.captions), stored->captions);
    if (stored->chapters_are_set) {
      media.chapters = std::move(stored->chapters);
      media.chapters_are_set = true;
    }
    if (stored->set_poster) {
      media.set_poster = media::SetPoster{std::move(stored->set_poster->source), media.thumbnail};
      media.thumbnail = std::move(stored->thumbnail);
    }
    media.visibility = stored->visibility;
    media.links_from = stored->links_from;
    media.links = std::move(stored->links);
    if (!media.allowed_domains) media.allowed_domains = std::move(stored->allowed_domains);
    media.folders = std::move(stored->folders);
    media.swapped_into = std::move(stored->swapped_into);
  }
  if (pending.visibility) set_visibility(media, *pending.visibility, clock_.now_ms());
}

ImportWrite::ImportWrite(LineFile& file, const Store& store, const base::KeyRing* keys,
                         base::Entropy& entropy, redis::Store* cache, const CredentialReset* reset,
                         const base::HashCost& cost)
    : file_(file),
      store_(store),
      keys_(keys),
      entropy_(entropy),
      cost_(cost),
      cache_(cache),
      reset_(reset),
      index_(store.redis),
      clients_(store.redis) {}

bool ImportWrite::run(const ImportCheck& check, const Progress& progress) {
  return store_.run(write(check, progress));
}

loop::Task<bool> ImportWrite::write(const ImportCheck& check, const Progress& progress) {
  std::uint64_t lines_before = 0;
  for (std::size_t i = 0; i < kKinds; ++i) {
    const Kind kind = static_cast<Kind>(i);
    const ImportCheck::Lines& lines = check.accepted(kind);
    for (std::size_t at = 0; at < lines.size();) {
      loop::Task<> writing = write_batch(kind, read_batch(lines, at));
      co_await writing;
      const bool goes_on = progress(bytes_, lines_before + at);
      loop::Task<> indexing = unindexed_.flush(!goes_on || at == lines.size());
      co_await indexing;
      if (!goes_on) co_return false;
    }
    lines_before += lines.size();
  }
  co_return true;
}

// Reads the lines from `at` on, and moves `at` after them.
ImportWrite::Batch ImportWrite::read_batch(const ImportCheck::Lines& lines, std::size_t& at) {
  Batch batch;
  bool is_full = false;
  for (const std::uint64_t before = bytes_; at < lines.size() && !is_full; ++at) {
    bytes_ += lines[at].size;
    CatalogLine line = read_again(file_, document_, lines[at]);
    const auto* user = std::get_if<UserLine>(&line.record);
    is_full = batch.size() + 1 == kBatchRecords || bytes_ - before >= kBatchBytes ||
              (user != nullptr && !user->password.empty());
    const Name name = name_of(line);
    Pending& pending = batch.emplace_back(Pending{std::move(line), lines[at].number, key_of(name)});
    if (name.kind == Kind::Application)
      pending.tombstone = stores::keys::deleted_client({name.text});
    if (const auto* read = std::get_if<UserLine>(&pending.line.record))
      pending.password_key = stores::keys::password(read->contact.id);
  }
  file_.must_be_unchanged();
  return batch;
}

bool ImportWrite::changes_password(const Pending& pending) {
  const auto* user = std::get_if<UserLine>(&pending.line.record);
  return user != nullptr && user->contact.password_hash != pending.password_before;
}

// Of records of an earlier version.
loop::Task<> ImportWrite::move_password_hashes(const Batch& batch) {
  std::vector<std::string_view> get{"MGET"};
  for (const Pending& pending : batch) get.push_back(pending.key);
  redis::Store::Call reading = store_.redis.read(get);
  const redis::Reply stored = co_await reading;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!stores::has_password_hash(stored.at(i).text().value_or(""))) continue;
    loop::Task<bool> moving = stores::move_password_hash(
        store_.redis, std::get<UserLine>(batch[i].line.record).contact.id);
    co_await moving;
  }
}

loop::Task<> ImportWrite::write_batch(Kind kind, Batch batch) {
  if (kind == Kind::User) {
    loop::Task<> moving = move_password_hashes(batch);
    co_await moving;
  }
  std::vector<std::string_view> get{"MGET"};
  for (const Pending& pending : batch) get.push_back(pending.key);
  for (const Pending& pending : batch) {
    if (kind == Kind::Application) get.push_back(pending.tombstone);
    if (kind == Kind::User) get.push_back(pending.password_key);
  }
  redis::Store::Call reading = store_.redis.read(get);
  const redis::Reply stored = co_await reading;
  Written& written = written_[static_cast<std::size_t>(kind)];
  std::string overtaken;  // a key that another client changed
  std::vector<Pending*> changes;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Pending& pending = batch[i];
    pending.before = stored.at(i).text();
    if (kind == Kind::Application)
      pending.deleted = stored.at(batch.size() + i).text().value_or("");
    if (kind == Kind::User)
      pending.password_before = stored.at(batch.size() + i).text().value_or("");
    const Finished finished = finish(pending);
    if (finished == Finished::StaysDeleted) {
      ++written.deleted;
    } else if (finished == Finished::Unreadable) {
      overtaken = pending.key;  // it was readable when the file was checked
    } else if (pending.before == pending.value && !changes_password(pending)) {
      ++written.unchanged;
    } else {
      changes.push_back(&pending);
    }
  }
  co_await audit_resets();
  loop::Task<std::vector<media::Guarded>> looking = guarded_by(kind, changes);
  std::vector<media::Guarded> guarded = co_await looking;
  loop::Task<> announcing = uploads_.announce_guard(guarded);
  co_await announcing;
  loop::Task<std::vector<std::string>> writing = write_records(changes);
  const std::vector<std::string> others = co_await writing;
  loop::Task<> guarding = uploads_.guard(std::move(guarded));
  co_await guarding;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!others[i].empty()) {
      overtaken = others[i];
    } else {
      ++(changes[i]->before ? written.changed : written.added);
    }
  }
  if (kind == Kind::Media) co_await drop_renderings(changes);
  if (!overtaken.empty()) {
    throw std::runtime_error(overtaken +
                             " was changed by another client during the import and was not "
                             "overwritten; all written records are complete. Run the import again "
                             "for the rest");
  }
}

loop::Task<std::vector<std::string>> ImportWrite::write_records(
    const std::vector<Pending*>& changes) {
  std::vector<loop::Task<std::string>> tasks;
  std::vector<std::string_view> set{"MSET"};
  for (const Pending* pending : changes) {
    switch (pending->line.kind) {
      case Kind::Project:
      case Kind::Media: {
        loop::Task<> writing = write_indexed(pending->line.kind, changes);
        co_await writing;
        co_return std::vector<std::string>(changes.size());
      }
      case Kind::User: tasks.push_back(write_user(*pending)); break;
      case Kind::Application: tasks.push_back(write_application(*pending)); break;
      default: set.insert(set.end(), {pending->key, pending->value});
    }
  }
  if (set.size() > 1) {
    // One command: a store that syncs each command syncs once.
    redis::Store::Call writing = store_.redis.command(set);
    co_await writing;
    co_return std::vector<std::string>(changes.size());
  }
  auto all = loop::all(std::move(tasks));
  co_return co_await all;
}

// Noted before and after (stores/change_note.h), also for the account that had the record before.
loop::Task<> ImportWrite::write_indexed(Kind kind, const std::vector<Pending*>& changes) {
  const auto indexed = kind == Kind::Media ? stores::Indexed::Media : stores::Indexed::Project;
  std::map<std::int64_t, stores::NotedChange> by_account;
  const auto note = [&](media::AccountId account, const std::string& id) {
    stores::NotedChange& change = by_account[account.value()];
    change.account = account;
    change.records.push_back({indexed, id});
  };
  const std::int64_t time = stores::note_time();
  std::vector<std::string_view> set{"MSET"};
  std::vector<loop::Task<>> exchanges;
  for (Pending* const pending : changes) {
    if (kind == Kind::Media && pending->before) {
      exchanges.push_back(exchange(*pending));
    } else {
      set.insert(set.end(), {pending->key, pending->value});
    }
    const auto take = [&](const auto& record) {
      note(record.account, record.id.value());
      unindexed_.add(record.account, indexed, stores::indexed_fields(record), time);
      const auto before = account_before(document_, kind, pending->before.value_or(""));
      if (before && *before != record.account) note(*before, record.id.value());
    };
    kind == Kind::Media ? take(std::get<media::Media>(pending->line.record))
                        : take(std::get<media::Project>(pending->line.record));
  }
  std::vector<stores::NotedChange> noted;
  for (auto& [account, change] : by_account) noted.push_back(std::move(change));
  std::vector<media::ProjectUses::Use> uses;
  if (kind == Kind::Media) {
    loop::Task<std::vector<media::ProjectUses::Use>> using_them = use_projects(changes);
    uses = co_await using_them;
  }
  loop::Task<> before = stores::note(store_.redis, noted, time, stores::NoteAt::Before);
  co_await before;
  for (const media::ProjectUses::Use& use : uses) use.must_be_recent();
  if (set.size() > 1) {
    // One command: a store that syncs each command syncs once.
    redis::Store::Call writing = store_.redis.command(set);
    co_await writing;
  }
  auto exchanging = loop::all(std::move(exchanges));
  co_await exchanging;
  loop::Task<> after = stores::note(store_.redis, noted, time, stores::NoteAt::After);
  co_await after;
  std::vector<loop::Task<bool>> endings;
  for (media::ProjectUses::Use& use : uses) endings.push_back(end_use(std::move(use)));
  auto all = loop::all(std::move(endings));
  co_await all;
}

// A new media that is open has no job: nothing is to be closed, and an import may have a million.
loop::Task<std::vector<media::Guarded>> ImportWrite::guarded_by(
    Kind kind, const std::vector<Pending*>& changes) {
  std::vector<media::Guarded> all;
  if (kind == Kind::Account) {
    for (const Pending* pending : changes) {
      const auto& account = std::get<media::Account>(pending->line.record);
      if (changes_guards(rule_before(document_, pending->before.value_or("")), account.site_rule()))
        all.push_back({account.id});
    }
  } else if (kind == Kind::Media) {
    std::set<std::int64_t> accounts;
    for (const Pending* pending : changes)
      accounts.insert(std::get<media::Media>(pending->line.record).account.value());
    loop::Task<std::map<std::int64_t, media::SiteRule>> reading = rules_of(std::move(accounts));
    std::map<std::int64_t, media::SiteRule> rules = co_await reading;
    for (const Pending* pending : changes) {
      const auto& media = std::get<media::Media>(pending->line.record);
      const auto& before = pending->guarded_before;
      const media::SiteRule& rule = rules[media.account.value()];
      // What is new had no files that anybody could have seen.
      const bool is_new_and_guarded = !before && guard_of(media, rule).is_guarded;
      const auto change = before ? guard_change(*before, media, rule) : media::GuardChange::None;
      const bool moves = before && before->account != media.account;
      if (change == media::GuardChange::None && !moves && !is_new_and_guarded) continue;
      all.push_back({media.account, media.id, change == media::GuardChange::Closes});
    }
  }
  co_return all;
}

loop::Task<std::map<std::int64_t, media::SiteRule>> ImportWrite::rules_of(
    std::set<std::int64_t> accounts) {
  std::map<std::int64_t, media::SiteRule> rules;
  if (accounts.empty()) co_return rules;
  std::vector<std::string> keys;
  for (const std::int64_t id : accounts) keys.push_back(stores::keys::account({id}));
  std::vector<std::string_view> get{"MGET"};
  get.insert(get.end(), keys.begin(), keys.end());
  redis::Store::Call reading = store_.redis.read(get);
  const redis::Reply stored = co_await reading;
  std::size_t at = 0;
  for (const std::int64_t id : accounts) {
    rules.emplace(id, rule_before(document_, stored.at(at++).text().value_or("")));
  }
  co_return rules;
}

loop::Task<std::vector<media::ProjectUses::Use>> ImportWrite::use_projects(
    const std::vector<Pending*>& changes) {
  std::set<std::string> ids;
  for (const Pending* pending : changes) {
    const auto& project = std::get<media::Media>(pending->line.record).project;
    if (project) ids.insert(project->value());
  }
  std::vector<loop::Task<std::optional<media::ProjectUses::Use>>> beginnings;
  for (const std::string& id : ids) beginnings.push_back(use_project(id));
  auto all = loop::all(std::move(beginnings));
  std::vector<std::optional<media::ProjectUses::Use>> begun = co_await all;
  std::vector<media::ProjectUses::Use> uses;
  for (const std::string& id : ids) {
    std::optional<media::ProjectUses::Use>& use = begun[uses.size()];
    if (!use) {
      throw std::runtime_error(
          "project " + id +
          " was deleted by another client during the import; all written records are complete. Run "
          "the import again for the rest");
    }
    uses.push_back(*std::move(use));
  }
  co_return uses;
}

loop::Task<std::optional<media::ProjectUses::Use>> ImportWrite::use_project(std::string id) {
  loop::Task<std::optional<media::ProjectUses::Use>> beginning =
      projects_.begin_use({std::move(id)}, std::nullopt);
  co_return co_await beginning;
}

loop::Task<bool> ImportWrite::end_use(media::ProjectUses::Use use) {
  loop::Task<> ending = projects_.end_use(std::move(use));
  co_await ending;
  co_return true;
}

// If an application was faster, its fields are taken from its record, which was replaced for the
// time of a round trip.
loop::Task<> ImportWrite::exchange(Pending& pending) {
  std::string expected(*pending.before);
  while (true) {
    redis::Store::Call writing = store_.redis.command({"SET", pending.key, pending.value, "GET"});
    const redis::Reply reply = co_await writing;
    const std::string replaced(reply.text().value_or(""));
    if (replaced == expected || replaced == pending.value) co_return;
    expected = pending.value;
    keep_from_api(pending, replaced);
    pending.value = to_record(std::get<media::Media>(pending.line.record));
    if (pending.value == expected) co_return;
  }
}

// The email address is taken first and the former one freed last: an index without its record does
// not prevent logins. In a Cluster the keys are on different nodes.
loop::Task<std::string> ImportWrite::write_user(const Pending& pending) {
  const media::Contact& contact = std::get<UserLine>(pending.line.record).contact;
  const std::string id = std::to_string(contact.id.value());
  const std::string email = stores::keys::contact_email(contact.email);
  const std::string former = stores::keys::contact_email(pending.former_email);
  loop::Task<bool> claiming = stores::claim(store_.redis, email, id);
  const bool claimed = co_await claiming;
  if (!claimed) co_return email;
  loop::Task<bool> writing =
      stores::replace(store_.redis, pending.key, pending.before.value_or(""), pending.value);
  const bool written = co_await writing;
  if (!written) co_return pending.key;
  if (changes_password(pending)) {
    loop::Task<> storing =
        stores::store_password_hash(store_.redis, contact.id, contact.password_hash);
    co_await storing;
  }
  if (pending.former_email.empty() || former == email) co_return "";
  loop::Task<bool> freeing = stores::release(store_.redis, former, id);
  co_await freeing;
  co_return "";
}

loop::Task<std::string> ImportWrite::write_application(const Pending& pending) {
  const oauth::Client& client = std::get<ApplicationLine>(pending.line.record).client;
  loop::Task<> announcing = clients_.announce(client);
  co_await announcing;
  loop::Task<std::string> writing = write_listed(pending, client);
  std::string other = co_await writing;
  if (!stores::index_entries(client).empty()) {
    loop::Task<> indexing = clients_.index(client.id);
    co_await indexing;
  }
  co_return other;
}

// Lists it in its account first: readers skip listed applications that do not exist.
loop::Task<std::string> ImportWrite::write_listed(const Pending& pending,
                                                  const oauth::Client& client) {
  redis::Store::Call listing = store_.redis.command(
      {"SADD", stores::keys::account_clients(client.account), client.id.value()});
  co_await listing;
  loop::Task<bool> writing =
      stores::replace(store_.redis, pending.key, pending.before.value_or(""), pending.value);
  const bool written = co_await writing;
  if (!written) co_return pending.key;
  loop::Task<bool> removing = stores::release(store_.redis, pending.tombstone, pending.deleted);
  const bool removed = co_await removing;
  if (removed) co_return "";
  // It was deleted after it was read, so the record was missing as expected.
  loop::Task<bool> undoing = stores::release(store_.redis, pending.key, pending.value);
  co_await undoing;
  co_return pending.key;
}

// After the records are written: otherwise renderings of the old records could be cached again. If
// the cache fails, renderings expire, and no worker that received the invalidation uses them.
loop::Task<> ImportWrite::drop_renderings(const std::vector<Pending*>& changes) {
  std::vector<media::HashedId> changed;
  for (const Pending* pending : changes) {
    if (pending->before) changed.push_back(std::get<media::Media>(pending->line.record).id);
  }
  if (cache_ == nullptr || changed.empty()) co_return;
  try {
    co_await stores::drop_renderings(*cache_, changed);
  } catch (const base::Unavailable&) {
    // The channel logs it.
  }
}

// Records resets before they are written: if the audit trail cannot be written, nothing is reset.
loop::Task<> ImportWrite::audit_resets() {
  if (reset_ == nullptr) co_return;
  if (!password_resets_.empty()) {
    const bool one = password_resets_.size() == 1;
    const std::string detail = reset_->detail + ", " + names_of(password_resets_);
    oauth::AuditEvent event{.what = oauth::event_named<"password.reset">(), .detail = detail};
    if (one) event.contact = password_resets_.front();
    co_await reset_->audit.record(event);
  }
  for (const auto& [what, client] : client_resets_) {
    const oauth::AuditEvent event{.what = what,
                                  .account = client->account,
                                  .client = client->id.value(),
                                  .detail = reset_->detail};
    co_await reset_->audit.record(event);
  }
  password_resets_.clear();
  client_resets_.clear();
}

void ImportWrite::keep(std::uint64_t& count, const Pending& pending, std::string what) {
  ++count;
  kept_.lines.add(pending.number, std::move(what));
}

ImportWrite::Finished ImportWrite::finish(Pending& pending) {
  if (auto* media = std::get_if<media::Media>(&pending.line.record)) {
    pending.visibility = media->visibility;
    pending.allowed_domains = media->allowed_domains;
    pending.chapters = media->chapters;
    keep_from_api(pending, pending.before.value_or(""));
  }
  if (auto* account = std::get_if<media::Account>(&pending.line.record); account && pending.before)
    keep_choices(document_, *pending.before, *account);
  if (pending.line.kind == Kind::User) return finish_user(pending);
  if (pending.line.kind == Kind::Application) return finish_application(pending);
  std::visit(
      [&](const auto& record) {
        if constexpr (requires { to_record(record); }) pending.value = to_record(record);
      },
      pending.line.record);
  return Finished::Whole;
}

// Unchanged passwords and secrets keep their stored form: a new hash or encryption would change the
// record in each run.
ImportWrite::Finished ImportWrite::finish_user(Pending& pending) {
  UserLine& user = std::get<UserLine>(pending.line.record);
  media::Contact& contact = user.contact;
  const std::string& password = user.password;
  std::string hash;
  if (pending.before) {
    auto read = stored_user(document_, *pending.before);
    if (!read) return Finished::Unreadable;
    pending.former_email = std::move(read->email);
    hash = pending.password_before;
    contact.disabled = read->disabled;
  }
  const std::string canonical = login::canonical_password(password);
  const auto is_stored = [&] {
    return !hash.empty() && (base::password_matches(canonical, hash) ||
                             (canonical != password && base::password_matches(password, hash)));
  };
  if (!pending.before || reset_ != nullptr) {
    if (!password.empty())
      contact.password_hash = is_stored() ? hash : base::hash_password(canonical, entropy_, cost_);
    if (pending.before && contact.password_hash != hash) password_resets_.push_back(contact.id);
  } else {
    bool same = contact.password_hash.empty() || contact.password_hash == hash;
    if (!password.empty() && compared_ == kComparedPasswords) {
      ++kept_.passwords_not_compared;
    } else if (!password.empty()) {
      ++compared_;
      same = is_stored();
    }
    if (!same)
      keep(kept_.passwords, pending, "password of user " + std::to_string(contact.id.value()));
    contact.password_hash = hash;
  }
  pending.value = to_record(contact);
  return Finished::Whole;
}

ImportWrite::Finished ImportWrite::finish_application(Pending& pending) {
  auto& [client, secret] = std::get<ApplicationLine>(pending.line.record);
  std::optional<oauth::Client> before;
  if (pending.before) {
    auto read = stored_client(document_, *pending.before);
    if (!read) return Finished::Unreadable;
    before = std::move(*read);
  }
  if (before) {
    // If the scopes change, users who allowed access are asked again.
    client.permission_version =
        before->permission_version + (before->scopes == client.scopes ? 0 : 1);
    client.client_credentials = before->client_credentials;
    client.resource_server = before->resource_server;
    client.resources = before->resources;
    const bool same = client.is_public() || oauth::is_secret_of(*keys_, *before, secret);
    if (same || reset_ == nullptr) client.secrets = before->secrets;
    if (!same && reset_ == nullptr)
      keep(kept_.secrets, pending, "secrets of application " + client.id.value());
    if (!same && reset_ != nullptr)
      client_resets_.push_back({oauth::event_named<"secret.reset">(), &client});
  } else if (!pending.deleted.empty()) {
    if (reset_ == nullptr) {
      keep(kept_.deleted, pending, "deletion of application " + client.id.value());
      return Finished::StaysDeleted;
    }
    client.permission_version =
        base::parse_number<std::int64_t>(pending.deleted, 1, media::kMaxIntegerId).value_or(1);
    client_resets_.push_back({oauth::event_named<"client.restored">(), &client});
  }
  if (!client.is_public() && (!before || (client.secrets.empty() && reset_ != nullptr)))
    client.secrets = {oauth::keep_secret(*keys_, client.id, secret, entropy_, client.created)};
  pending.value = to_record(client);
  return Finished::Whole;
}

}  // namespace svc::ctl
