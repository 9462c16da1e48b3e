#include "ctl/import/write.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/number.h"
#include "base/unavailable.h"
#include "login/new_password.h"
#include "loop/all.h"
#include "media/guard.h"
#include "stores/catalog/password_hashes.h"
#include "stores/catalog/people.h"
#include "stores/catalog/renderings.h"
#include "stores/keys.h"
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

std::runtime_error overtaken(const std::string& what) {
  return std::runtime_error(what + "; " + std::string(kRunAgain));
}

std::runtime_error changed_by_another(const std::string& key) {
  return overtaken(key +
                   " was changed by another client during the import and was not overwritten");
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
      reset_(reset) {}

bool ImportWrite::run(const ImportCheck& check, const Progress& progress) {
  std::uint64_t lines_before = 0;
  for (std::size_t i = 0; i < kKinds; ++i) {
    const Kind kind = static_cast<Kind>(i);
    const Lines& lines = check.accepted(kind);
    const auto take_line = [&](const LineFile::Line& at, Batch& batch) { take(at, batch); };
    const bool is_whole = in_batches(lines, take_line, [&](Batch& batch, std::size_t end) {
      file_.must_be_unchanged();
      write_batch(kind, batch);
      const bool goes_on = progress(bytes_, lines_before + end);
      store_.run(unindexed_.flush(!goes_on || end == lines.size()));
      return goes_on;
    });
    if (!is_whole) return false;
    lines_before += lines.size();
  }
  return true;
}

CatalogLine ImportWrite::read_again(const LineFile::Line& at) {
  auto line = read_line(document_, file_.text(at), Seen::Checked);
  if (!line) throw std::runtime_error("the file changed while it was read");
  return *std::move(line);
}

void ImportWrite::take(const LineFile::Line& at, Batch& batch) {
  bytes_ += at.size;
  Pending& pending = batch.add(at, read_again(at));
  if (pending.name.kind == Kind::Application)
    pending.keys.push_back(stores::keys::deleted_client({pending.name.text}));
  if (const auto* user = std::get_if<UserLine>(&pending.line))
    pending.keys.push_back(stores::keys::password(user->id));
}

// Of records of an earlier version.
void ImportWrite::move_password_hashes(const Batch& batch) {
  std::vector<loop::Task<bool>> moves;
  for (const Pending& pending : batch.all) {
    if (const auto* user = std::get_if<UserLine>(&pending.line))
      moves.push_back(stores::move_password_hash(store_.redis, user->id));
  }
  store_.run(loop::all(std::move(moves)));
}

void ImportWrite::write_batch(Kind kind, Batch& batch) {
  move_password_hashes(batch);
  batch.read(store_);
  Written& written = written_[static_cast<std::size_t>(kind)];
  Changes changes;
  for (Pending& pending : batch.all) {
    const auto make_value = [&](auto& record) {
      if (!make(pending, record)) return false;
      try {
        pending.value = to_store(document_, record, pending.stored[0]);
      } catch (const base::Unwritable& refused) {
        throw overtaken("line " + std::to_string(pending.at.number) + ": " + refused.what());
      }
      return true;
    };
    if (!std::visit(make_value, pending.line)) {
      ++written.deleted;
    } else if (pending.stored[0] == pending.value && !pending.has_new_password) {
      ++written.unchanged;
    } else {
      changes.push_back(&pending);
    }
  }
  record_resets();
  std::vector<media::Guarded> guarded = guarded_by(changes);
  store_.run(uploads_.announce_guard(guarded));
  const std::vector<std::string> others = write_records(kind, changes);
  store_.run(uploads_.guard(std::move(guarded)));
  std::string other;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (!others[i].empty()) {
      other = others[i];
    } else {
      ++(changes[i]->stored[0] ? written.changed : written.added);
    }
  }
  if (kind == Kind::Media) drop_renderings(changes);
  if (!other.empty()) throw changed_by_another(other);
}

std::vector<std::string> ImportWrite::write_records(Kind kind, const Changes& changes) {
  std::vector<loop::Task<std::string>> tasks;
  for (const Pending* change : changes) {
    if (const auto* user = std::get_if<UserLine>(&change->line)) {
      using Password = stores::CatalogRegistry::Password;
      tasks.push_back(
          catalog_.write_contact(*user, change->stored[0].value_or(""), change->former_email,
                                 change->has_new_password ? Password::Set : Password::Keep));
    } else if (kind == Kind::Application) {
      tasks.push_back(write_application(*change));
    }
  }
  if (!tasks.empty()) return store_.run(loop::all(std::move(tasks)));
  if (kind == Kind::Project || kind == Kind::Media) {
    write_indexed(kind, changes);
  } else {
    set(changes);
  }
  return std::vector<std::string>(changes.size());
}

// One command: a store that syncs each command syncs once.
void ImportWrite::set(const Changes& changes) {
  if (changes.empty()) return;
  std::vector<std::string_view> words{"MSET"};
  for (const Pending* change : changes) words.insert(words.end(), {change->keys[0], change->value});
  store_.run(store_.redis.command(words));
}

// Noted before and after (stores/catalog/change_note.h), also for the account that had the record
// before.
void ImportWrite::write_indexed(Kind kind, const Changes& changes) {
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
  Changes added;
  std::vector<loop::Task<>> exchanges;
  for (Pending* change : changes) {
    const std::string_view stored = change->stored[0].value_or("");
    if (is_media && change->stored[0]) {
      exchanges.push_back(exchange(*change));
    } else {
      added.push_back(change);
    }
    const auto note_record = [&](const auto& record) {
      if constexpr (requires { stores::indexed_fields(record); }) {
        note(record.account, record.id.value());
        unindexed_.add(record.account, indexed, stores::indexed_fields(record), time);
        const auto before = is_media ? media::account_in_stored(document_, stored)
                                     : media::account_in_stored_project(document_, stored);
        if (before && *before != record.account) note(*before, record.id.value());
      }
    };
    std::visit(note_record, change->line);
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
  using Turn = media::Guarded::Turn;
  std::map<std::int64_t, media::SiteRule> rules;  // of a missing or unreadable account: everywhere
  for (const Pending* change : changes) {
    if (const auto* media = std::get_if<media::Media>(&change->line)) rules[media->account.value()];
  }
  std::vector<media::AccountId> accounts;
  for (const auto& [id, rule] : rules) accounts.push_back({id});
  stores::People people(store_.redis);
  for (const media::Account& account : store_.run(people.find_accounts(accounts)))
    rules[account.id.value()] = account.site_rule();
  std::vector<media::Guarded> all;
  for (const Pending* change : changes) {
    const auto* account = std::get_if<media::Account>(&change->line);
    if (account != nullptr && changes_guards(change->former_rule, account->site_rule())) {
      const bool opens = account->site_rule().is_everywhere();
      all.push_back({.account = account->id, .turn = opens ? Turn::Other : Turn::Closing});
    }
    const auto* media = std::get_if<media::Media>(&change->line);
    if (media == nullptr) continue;
    const auto& former = change->former;
    const media::SiteRule& rule = rules[media->account.value()];
    // What is new had no files that anybody could have seen.
    const bool is_new_and_guarded = !former && guard_of(*media, rule).is_guarded;
    const auto guard = former ? guard_change(*former, *media, rule) : media::GuardChange::None;
    const bool moves = former && former->account != media->account;
    if (guard == media::GuardChange::None && !moves && !is_new_and_guarded) continue;
    const bool closes =
        guard == media::GuardChange::Closes || (moves && guard_of(*media, rule).is_guarded);
    all.push_back({media->account, media->id, closes ? Turn::Closing : Turn::Other});
  }
  return all;
}

std::vector<media::ProjectUses::Use> ImportWrite::use_projects(const Changes& changes) {
  std::set<std::string> ids;
  for (const Pending* change : changes) {
    const auto* media = std::get_if<media::Media>(&change->line);
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
loop::Task<> ImportWrite::exchange(Pending& pending) {
  std::string expected(*pending.stored[0]);
  while (true) {
    redis::Store::Call writing =
        store_.redis.command({"SET", pending.keys[0], pending.value, "GET"});
    const redis::Reply reply = co_await writing;
    const std::string replaced(reply.text().value_or(""));
    if (replaced == expected || replaced == pending.value) co_return;
    expected = pending.value;
    CatalogLine line = read_again(pending.at);
    const media::Media media =
        with_choices_of_clients(std::move(std::get<media::Media>(line)),
                                stored_media(document_, replaced), clock_.now_ms());
    pending.value = to_store(document_, media, replaced);
    if (pending.value == expected) co_return;
  }
}

loop::Task<std::string> ImportWrite::write_application(const Pending& pending) {
  const oauth::Client& client = std::get<ApplicationLine>(pending.line);
  const bool is_written = co_await clients_.write(client, pending.stored[0].value_or(""),
                                                  pending.stored[1].value_or(""));
  co_return is_written ? "" : pending.keys[0];
}

// After the records are written: otherwise renderings of the old records could be cached again. If
// the cache fails, renderings expire, and no worker that received the invalidation uses them.
void ImportWrite::drop_renderings(const Changes& changes) {
  std::vector<media::HashedId> changed;
  for (const Pending* change : changes) {
    if (change->stored[0]) changed.push_back(std::get<media::Media>(change->line).id);
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

void ImportWrite::keep(std::uint64_t& count, const Pending& pending, std::string what) {
  ++count;
  kept_.lines.add(pending.at.number, std::move(what));
}

bool ImportWrite::make(Pending& pending, media::Account& account) {
  auto stored =
      text::parse_record(document_, pending.stored[0].value_or(""), media::account_from_record);
  if (!stored) return true;
  pending.former_rule = stored->site_rule();
  if (!account.allowed_domains) account.allowed_domains = std::move(stored->allowed_domains);
  if (!account.uploads_enabled) account.uploads_enabled = stored->uploads_enabled;
  if (!account.allow_no_referrer) account.allow_no_referrer = stored->allow_no_referrer;
  return true;
}

bool ImportWrite::make(Pending& pending, media::Media& media) {
  pending.former = stored_media(document_, pending.stored[0]);
  media = with_choices_of_clients(std::move(media), pending.former, clock_.now_ms());
  return true;
}

// Unchanged passwords and secrets keep their stored form: a new hash or encryption would change the
// record in each run.
bool ImportWrite::make(Pending& pending, UserLine& user) {
  const std::string stored_hash(pending.stored[1].value_or(""));
  // A new record without a user's hash, whose key may remain.
  const std::string hash = pending.stored[0] ? stored_hash : "";
  if (pending.stored[0]) {
    auto before = stored_user(document_, *pending.stored[0]);
    if (!before) throw changed_by_another(pending.keys[0]);
    pending.former_email = std::move(before->email);
    user.disabled = before->disabled;
  }
  const std::string& password = user.password;
  const std::string canonical = login::canonical_password(password);
  const auto is_stored = [&] {
    return !hash.empty() && (base::password_matches(canonical, hash) ||
                             (canonical != password && base::password_matches(password, hash)));
  };
  if (!pending.stored[0] || reset_ != nullptr) {
    if (!password.empty())
      user.password_hash = is_stored() ? hash : base::hash_password(canonical, entropy_, cost_);
    if (pending.stored[0] && user.password_hash != hash) password_resets_.push_back(user.id);
  } else {
    bool same = user.password_hash.empty() || user.password_hash == hash;
    if (!password.empty() && compared_ == kComparedPasswords) {
      ++kept_.passwords_not_compared;
    } else if (!password.empty()) {
      ++compared_;
      same = is_stored();
    }
    if (!same)
      keep(kept_.passwords, pending, "password of user " + std::to_string(user.id.value()));
    user.password_hash = hash;
  }
  pending.has_new_password = user.password_hash != stored_hash;
  return true;
}

bool ImportWrite::make(Pending& pending, ApplicationLine& client) {
  std::optional<oauth::Client> before;
  if (pending.stored[0]) {
    auto read = stored_client(document_, *pending.stored[0]);
    if (!read) throw changed_by_another(pending.keys[0]);
    before = std::move(*read);
  }
  const std::string_view deleted = pending.stored[1].value_or("");
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
      keep(kept_.secrets, pending, "secrets of application " + client.id.value());
    if (!same && reset_ != nullptr)
      client_resets_.push_back({oauth::event_named<"secret.reset">(), &client});
  } else if (!deleted.empty()) {
    if (reset_ == nullptr) {
      keep(kept_.deleted, pending, "deletion of application " + client.id.value());
      return false;
    }
    client.permission_version =
        base::parse_number<std::int64_t>(deleted, 1, media::kMaxIntegerId).value_or(1);
    client_resets_.push_back({oauth::event_named<"client.restored">(), &client});
  }
  if (!client.is_public() && (!before || (client.secrets.empty() && reset_ != nullptr)))
    client.secrets = {
        oauth::keep_secret(*keys_, client.id, client.secret, entropy_, client.created)};
  return true;
}

}  // namespace svc::ctl
