#include "ctl/import/write.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/number.h"
#include "base/unavailable.h"
#include "library/caption_list.h"
#include "login/new_password.h"
#include "loop/all.h"
#include "media/guard.h"
#include "stores/access/client_index.h"
#include "stores/catalog/password_hashes.h"
#include "stores/catalog/renderings.h"
#include "stores/keys.h"
#include "stores/replace.h"
#include "text/word_list.h"

namespace svc::ctl {
namespace {

// An audit event lists at most this many users, and the number of the others.
constexpr std::size_t kNamedUsers = 20;

std::string names_of(const std::vector<media::ContactId>& users) {
  std::string names;
  for (std::size_t i = 0; i < std::min(users.size(), kNamedUsers); ++i)
    text::add_word(names, std::to_string(users[i].value()));
  if (users.size() > kNamedUsers)
    names += " and " + std::to_string(users.size() - kNamedUsers) + " more";
  return (users.size() == 1 ? "user " : "users ") + names;
}

std::optional<media::Account> stored_account(text::json::Document& document,
                                             std::optional<std::string_view> stored) {
  const auto value = document.parse(stored.value_or(""), text::json::Origin::Ours);
  if (!value) return std::nullopt;
  text::JsonRecord record(*value);
  auto account = media::account_from_record(record);
  return account ? std::optional(*std::move(account)) : std::nullopt;
}

// Of a missing or unreadable record: everywhere.
media::SiteRule rule_in(text::json::Document& document, std::optional<std::string_view> stored) {
  const std::optional<media::Account> account = stored_account(document, stored);
  return account ? account->site_rule() : media::SiteRule();
}

std::runtime_error overtaken(const std::string& what) {
  return std::runtime_error(
      what + "; all written records are complete. Run the import again for the rest");
}

}  // namespace

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
  std::uint64_t lines_before = 0;
  for (std::size_t i = 0; i < kKinds; ++i) {
    const Kind kind = static_cast<Kind>(i);
    const ImportCheck::Lines& lines = check.accepted(kind);
    for (std::size_t at = 0; at < lines.size();) {
      write_batch(kind, read_batch(lines, at));
      const bool goes_on = progress(bytes_, lines_before + at);
      store_.run(unindexed_.flush(!goes_on || at == lines.size()));
      if (!goes_on) return false;
    }
    lines_before += lines.size();
  }
  return true;
}

CatalogLine ImportWrite::read_again(const LineFile::Line& at) {
  auto line = read_line(document_, file_.text(at), Seen::Checked);
  if (!line) throw std::runtime_error("the file changed while it was read");
  return *std::move(line);
}

// Reads the lines from `at` on, and moves `at` after them.
Batch ImportWrite::read_batch(const ImportCheck::Lines& lines, std::size_t& at) {
  Batch batch;
  for (; at < lines.size() && !batch.is_full(true); ++at) {
    bytes_ += lines[at].size;
    Pending& pending = batch.add(lines[at], read_again(lines[at]));
    if (pending.name.kind == Kind::Application)
      pending.keys.push_back(stores::keys::deleted_client({pending.name.text}));
    if (const auto* user = std::get_if<UserLine>(&pending.line))
      pending.keys.push_back(stores::keys::password(user->id));
  }
  file_.must_be_unchanged();
  return batch;
}

// Of records of an earlier version.
void ImportWrite::move_password_hashes(const Batch& batch) {
  std::vector<std::string> keys;
  for (const Pending& pending : batch.all) keys.push_back(pending.keys[0]);
  const redis::Reply stored = read_all(store_, keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (stores::has_password_hash(stored.at(i).text().value_or("")))
      store_.run(
          stores::move_password_hash(store_.redis, std::get<UserLine>(batch.all[i].line).id));
  }
}

void ImportWrite::write_batch(Kind kind, Batch batch) {
  if (kind == Kind::User) move_password_hashes(batch);
  batch.read(store_);
  Written& written = written_[static_cast<std::size_t>(kind)];
  std::string other;  // a key that another client changed
  Changes changes;
  for (Pending& pending : batch.all) {
    Change change{pending, pending.stored[0]};
    const auto make_it = [&](auto& record) {
      Made made = Made::New;
      if constexpr (requires { make(change, record); }) made = make(change, record);
      if (made == Made::New) change.value = to_record(record);
      return made;
    };
    const Made made = std::visit(make_it, pending.line);
    if (made == Made::StaysDeleted) {
      ++written.deleted;
    } else if (made == Made::Unreadable) {
      other = pending.keys[0];  // it was readable when the file was checked
    } else if (change.before == change.value && !change.has_new_password) {
      ++written.unchanged;
    } else {
      changes.push_back(std::move(change));
    }
  }
  record_resets();
  std::vector<media::Guarded> guarded = guarded_by(changes);
  store_.run(uploads_.announce_guard(guarded));
  const std::vector<std::string> others = write_records(kind, changes);
  store_.run(uploads_.guard(std::move(guarded)));
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!others[i].empty()) {
      other = others[i];
    } else {
      ++(changes[i].before ? written.changed : written.added);
    }
  }
  if (kind == Kind::Media) drop_renderings(changes);
  if (!other.empty())
    throw overtaken(other +
                    " was changed by another client during the import and was not overwritten");
}

std::vector<std::string> ImportWrite::write_records(Kind kind, Changes& changes) {
  std::vector<loop::Task<std::string>> tasks;
  std::vector<Change*> rest;
  for (Change& change : changes) {
    if (kind == Kind::User) {
      tasks.push_back(write_user(change));
    } else if (kind == Kind::Application) {
      tasks.push_back(write_application(change));
    } else {
      rest.push_back(&change);
    }
  }
  if (!tasks.empty()) return store_.run(loop::all(std::move(tasks)));
  if (kind == Kind::Project || kind == Kind::Media) {
    write_indexed(kind, changes);
  } else {
    set(rest);
  }
  return std::vector<std::string>(changes.size());
}

// One command: a store that syncs each command syncs once.
void ImportWrite::set(const std::vector<Change*>& changes) {
  if (changes.empty()) return;
  std::vector<std::string_view> words{"MSET"};
  for (const Change* change : changes)
    words.insert(words.end(), {change->pending.keys[0], change->value});
  store_.run(store_.redis.command(words));
}

// Noted before and after (stores/catalog/change_note.h), also for the account that had the record
// before.
void ImportWrite::write_indexed(Kind kind, Changes& changes) {
  if (changes.empty()) return;
  const bool is_media = kind == Kind::Media;
  const auto indexed = is_media ? stores::Indexed::Media : stores::Indexed::Project;
  const std::int64_t time = stores::note_time();
  std::map<std::int64_t, stores::NotedChange> by_account;
  const auto note = [&](media::AccountId account, const std::string& id) {
    stores::NotedChange& change = by_account[account.value()];
    change.account = account;
    change.records.push_back({indexed, id});
  };
  std::vector<Change*> added;
  std::vector<loop::Task<>> exchanges;
  for (Change& change : changes) {
    if (is_media && change.before) {
      exchanges.push_back(exchange(change));
    } else {
      added.push_back(&change);
    }
    const auto take = [&](const auto& record) {
      if constexpr (requires { stores::indexed_fields(record); }) {
        note(record.account, record.id.value());
        unindexed_.add(record.account, indexed, stores::indexed_fields(record), time);
        const auto before =
            is_media ? media::account_in_stored(document_, change.before.value_or(""))
                     : media::account_in_stored_project(document_, change.before.value_or(""));
        if (before && *before != record.account) note(*before, record.id.value());
      }
    };
    std::visit(take, change.pending.line);
  }
  std::vector<stores::NotedChange> noted;
  for (auto& [account, change] : by_account) noted.push_back(std::move(change));
  std::vector<media::ProjectUses::Use> uses = use_projects(changes);
  store_.run(stores::note(store_.redis, noted, time, stores::NoteAt::Before));
  for (const media::ProjectUses::Use& use : uses) use.must_be_recent();
  set(added);
  store_.run(loop::all(std::move(exchanges)));
  store_.run(stores::note(store_.redis, noted, time, stores::NoteAt::After));
  std::vector<loop::Task<>> endings;
  for (media::ProjectUses::Use& use : uses) endings.push_back(projects_.end_use(std::move(use)));
  store_.run(loop::all(std::move(endings)));
}

// A new media that is open has no job: nothing is to be closed, and an import may have a million.
std::vector<media::Guarded> ImportWrite::guarded_by(const Changes& changes) {
  std::vector<media::Guarded> all;
  std::map<std::int64_t, media::SiteRule> rules = rules_of(changes);
  for (const Change& change : changes) {
    const auto* account = std::get_if<media::Account>(&change.pending.line);
    if (account != nullptr &&
        changes_guards(rule_in(document_, change.before), account->site_rule()))
      all.push_back({account->id});
    const auto* media = std::get_if<media::Media>(&change.pending.line);
    if (media == nullptr) continue;
    const auto& before = change.stored;
    const media::SiteRule& rule = rules[media->account.value()];
    // What is new had no files that anybody could have seen.
    const bool is_new_and_guarded = !before && guard_of(*media, rule).is_guarded;
    const auto guard = before ? guard_change(*before, *media, rule) : media::GuardChange::None;
    const bool moves = before && before->account != media->account;
    if (guard == media::GuardChange::None && !moves && !is_new_and_guarded) continue;
    all.push_back({media->account, media->id, guard == media::GuardChange::Closes});
  }
  return all;
}

// By the accounts of media.
std::map<std::int64_t, media::SiteRule> ImportWrite::rules_of(const Changes& changes) {
  std::map<std::int64_t, media::SiteRule> rules;
  for (const Change& change : changes) {
    if (const auto* media = std::get_if<media::Media>(&change.pending.line))
      rules[media->account.value()];
  }
  if (rules.empty()) return rules;
  std::vector<std::string> keys;
  for (const auto& [id, rule] : rules) keys.push_back(stores::keys::account({id}));
  const redis::Reply stored = read_all(store_, keys);
  std::size_t at = 0;
  for (auto& [id, rule] : rules) rule = rule_in(document_, stored.at(at++).text());
  return rules;
}

std::vector<media::ProjectUses::Use> ImportWrite::use_projects(const Changes& changes) {
  std::set<std::string> ids;
  for (const Change& change : changes) {
    const auto* media = std::get_if<media::Media>(&change.pending.line);
    if (media != nullptr && media->project) ids.insert(media->project->value());
  }
  std::vector<loop::Task<std::optional<media::ProjectUses::Use>>> beginnings;
  for (const std::string& id : ids) beginnings.push_back(projects_.begin_use({id}, std::nullopt));
  auto begun = store_.run(loop::all(std::move(beginnings)));
  std::vector<media::ProjectUses::Use> uses;
  for (const std::string& id : ids) {
    auto& use = begun[uses.size()];
    if (!use) throw overtaken("project " + id + " was deleted by another client during the import");
    uses.push_back(*std::move(use));
  }
  return uses;
}

// If an application was faster, its fields are taken from its record, which was replaced for the
// time of a round trip.
loop::Task<> ImportWrite::exchange(Change& change) {
  std::string expected(*change.before);
  while (true) {
    redis::Store::Call writing =
        store_.redis.command({"SET", change.pending.keys[0], change.value, "GET"});
    const redis::Reply reply = co_await writing;
    const std::string replaced(reply.text().value_or(""));
    if (replaced == expected || replaced == change.value) co_return;
    expected = change.value;
    CatalogLine line = read_again(change.pending.at);
    change.value = to_record(with_choices_of_clients(std::move(std::get<media::Media>(line)),
                                                     stored_media(document_, replaced)));
    if (change.value == expected) co_return;
  }
}

// The email address is taken first and the former one freed last: an index without its record does
// not prevent logins. In a Cluster the keys are on different nodes.
loop::Task<std::string> ImportWrite::write_user(const Change& change) {
  const UserLine& user = std::get<UserLine>(change.pending.line);
  const std::string id = std::to_string(user.id.value());
  const std::string email = stores::keys::contact_email(user.email);
  const std::string former = stores::keys::contact_email(change.former_email);
  const std::string& key = change.pending.keys[0];
  const std::string_view before = change.before.value_or("");
  const bool claimed = co_await stores::claim(store_.redis, email, id);
  if (!claimed) co_return email;
  const bool written = co_await stores::replace(store_.redis, key, before, change.value);
  if (!written) co_return key;
  if (change.has_new_password) {
    co_await stores::store_password_hash(store_.redis, user.id, user.password_hash);
  }
  if (!change.former_email.empty() && former != email) {
    co_await stores::release(store_.redis, former, id);
  }
  co_return "";
}

loop::Task<std::string> ImportWrite::write_application(const Change& change) {
  const oauth::Client& client = std::get<ApplicationLine>(change.pending.line);
  co_await clients_.announce(client);
  std::string other = co_await write_listed(change, client);
  if (!stores::index_entries(client).empty()) co_await clients_.index(client.id);
  co_return other;
}

// Lists it in its account first: readers skip listed applications that do not exist.
loop::Task<std::string> ImportWrite::write_listed(const Change& change,
                                                  const oauth::Client& client) {
  const std::string& key = change.pending.keys[0];
  const std::string_view before = change.before.value_or("");
  const std::string_view deleted = change.pending.stored[1].value_or("");
  redis::Store::Call listing = store_.redis.command(
      {"SADD", stores::keys::account_clients(client.account), client.id.value()});
  co_await listing;
  const bool written = co_await stores::replace(store_.redis, key, before, change.value);
  if (!written) co_return key;
  const bool removed = co_await stores::release(store_.redis, change.pending.keys[1], deleted);
  if (removed) co_return "";
  // It was deleted after it was read, so the record was missing as expected.
  co_await stores::release(store_.redis, key, change.value);
  co_return key;
}

// After the records are written: otherwise renderings of the old records could be cached again. If
// the cache fails, renderings expire, and no worker that received the invalidation uses them.
void ImportWrite::drop_renderings(const Changes& changes) {
  std::vector<media::HashedId> changed;
  for (const Change& change : changes) {
    if (change.before) changed.push_back(std::get<media::Media>(change.pending.line).id);
  }
  if (cache_ == nullptr || changed.empty()) return;
  try {
    store_.run(stores::drop_renderings(*cache_, changed));
  } catch (const base::Unavailable&) {
    // The channel logs it.
  }
}

// Records resets before they are written: if the audit trail cannot be written, nothing is reset.
void ImportWrite::record_resets() {
  if (reset_ == nullptr) return;
  if (!password_resets_.empty()) {
    const std::string detail = reset_->detail + ", " + names_of(password_resets_);
    oauth::AuditEvent event{.what = oauth::event_named<"password.reset">(), .detail = detail};
    if (password_resets_.size() == 1) event.contact = password_resets_.front();
    store_.run(reset_->audit.record(event));
  }
  for (const auto& [what, client] : client_resets_) {
    store_.run(reset_->audit.record({.what = what,
                                     .account = client->account,
                                     .client = client->id.value(),
                                     .detail = reset_->detail}));
  }
  password_resets_.clear();
  client_resets_.clear();
}

void ImportWrite::keep(std::uint64_t& count, const Change& change, std::string what) {
  ++count;
  kept_.lines.add(change.pending.at.number, std::move(what));
}

ImportWrite::Made ImportWrite::make(Change& change, media::Account& account) {
  std::optional<media::Account> stored = stored_account(document_, change.before);
  if (!stored) return Made::New;
  if (!account.allowed_domains) account.allowed_domains = std::move(stored->allowed_domains);
  if (!account.uploads_enabled) account.uploads_enabled = stored->uploads_enabled;
  if (!account.allow_no_referrer) account.allow_no_referrer = stored->allow_no_referrer;
  return Made::New;
}

ImportWrite::Made ImportWrite::make(Change& change, media::Media& media) {
  change.stored = stored_media(document_, change.before);
  media = with_choices_of_clients(std::move(media), change.stored);
  return Made::New;
}

// Keeps the fields that only applications set, by the API (api-N11), and those that the line lacks.
// An unreadable stored record is overwritten.
media::Media ImportWrite::with_choices_of_clients(media::Media media,
                                                  const std::optional<media::Media>& stored) {
  const std::optional<media::Visibility> visibility = std::exchange(media.visibility, std::nullopt);
  if (stored) {
    media.customizations = stored->customizations;
    media.captions = library::with_set_captions(std::move(media.captions), stored->captions);
    media.chapters_are_set = stored->chapters_are_set;
    if (stored->chapters_are_set) media.chapters = stored->chapters;
    if (stored->set_poster) {
      media.set_poster = media::SetPoster{stored->set_poster->source, media.thumbnail};
      media.thumbnail = stored->thumbnail;
    }
    media.visibility = stored->visibility;
    media.links_from = stored->links_from;
    media.links = stored->links;
    if (!media.allowed_domains) media.allowed_domains = stored->allowed_domains;
    media.folders = stored->folders;
    media.swapped_into = stored->swapped_into;
  }
  if (visibility) set_visibility(media, *visibility, clock_.now_ms());
  return media;
}

// Unchanged passwords and secrets keep their stored form: a new hash or encryption would change the
// record in each run.
ImportWrite::Made ImportWrite::make(Change& change, UserLine& user) {
  const std::string stored_hash(change.pending.stored[1].value_or(""));
  // A new record without a user's hash, whose key may remain.
  const std::string hash = change.before ? stored_hash : "";
  if (change.before) {
    auto before = stored_user(document_, *change.before);
    if (!before) return Made::Unreadable;
    change.former_email = std::move(before->email);
    user.disabled = before->disabled;
  }
  const std::string& password = user.password;
  const std::string canonical = login::canonical_password(password);
  const auto is_stored = [&] {
    return !hash.empty() && (base::password_matches(canonical, hash) ||
                             (canonical != password && base::password_matches(password, hash)));
  };
  if (!change.before || reset_ != nullptr) {
    if (!password.empty())
      user.password_hash = is_stored() ? hash : base::hash_password(canonical, entropy_, cost_);
    if (change.before && user.password_hash != hash) password_resets_.push_back(user.id);
  } else {
    bool same = user.password_hash.empty() || user.password_hash == hash;
    if (!password.empty() && compared_ == kComparedPasswords) {
      ++kept_.passwords_not_compared;
    } else if (!password.empty()) {
      ++compared_;
      same = is_stored();
    }
    if (!same) keep(kept_.passwords, change, "password of user " + std::to_string(user.id.value()));
    user.password_hash = hash;
  }
  change.has_new_password = user.password_hash != stored_hash;
  return Made::New;
}

ImportWrite::Made ImportWrite::make(Change& change, ApplicationLine& client) {
  std::optional<oauth::Client> before;
  if (change.before) {
    auto read = stored_client(document_, *change.before);
    if (!read) return Made::Unreadable;
    before = std::move(*read);
  }
  const std::string_view deleted = change.pending.stored[1].value_or("");
  if (before) {
    // If the scopes change, users who allowed access are asked again.
    client.permission_version =
        before->permission_version + (before->scopes == client.scopes ? 0 : 1);
    client.client_credentials = before->client_credentials;
    client.resource_server = before->resource_server;
    client.resources = before->resources;
    const bool same = client.is_public() || oauth::is_secret_of(*keys_, *before, client.secret);
    if (same || reset_ == nullptr) client.secrets = before->secrets;
    if (!same && reset_ == nullptr)
      keep(kept_.secrets, change, "secrets of application " + client.id.value());
    if (!same && reset_ != nullptr)
      client_resets_.push_back({oauth::event_named<"secret.reset">(), &client});
  } else if (!deleted.empty()) {
    if (reset_ == nullptr) {
      keep(kept_.deleted, change, "deletion of application " + client.id.value());
      return Made::StaysDeleted;
    }
    client.permission_version =
        base::parse_number<std::int64_t>(deleted, 1, media::kMaxIntegerId).value_or(1);
    client_resets_.push_back({oauth::event_named<"client.restored">(), &client});
  }
  if (!client.is_public() && (!before || (client.secrets.empty() && reset_ != nullptr)))
    client.secrets = {
        oauth::keep_secret(*keys_, client.id, client.secret, entropy_, client.created)};
  return Made::New;
}

}  // namespace svc::ctl
