#include "ctl/import/write.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/number.h"
#include "base/unavailable.h"
#include "login/new_password.h"
#include "loop/all.h"
#include "media/guard.h"
#include "stores/catalog/account_end.h"
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

// Moves the hashes that an earlier version stored in records.
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
      tasks.push_back(write_user(*change, *user));
    } else if (kind == Kind::Application) {
      tasks.push_back(write_application(*change));
    }
  }
  if (!tasks.empty()) return store_.run(loop::all(std::move(tasks)));
  if (kind == Kind::Project || kind == Kind::Media) {
    write_indexed(changes);
  } else {
    set(changes);
  }
  return std::vector<std::string>(changes.size());
}

// One command: a store that syncs each command syncs once.
void ImportWrite::set(const Changes& changes) {
  if (changes.empty()) return;
  // Before: an account can be used as soon as its record exists.
  for (const Pending* change : changes) {
    const auto* account = std::get_if<media::Account>(&change->line);
    if (account != nullptr && !change->stored[0])
      store_.run(stores::open_account(store_.redis, account->id));
  }
  std::vector<std::string_view> words{"MSET"};
  for (const Pending* change : changes) words.insert(words.end(), {change->keys[0], change->value});
  store_.run(store_.redis.command(words));
}

void ImportWrite::write_indexed(const Changes& changes) {
  std::map<std::int64_t, Changes> by_account;
  for (Pending* change : changes) {
    const auto sort = [&](const auto& record) {
      if constexpr (requires { stores::indexed_fields(record); })
        by_account[record.account.value()].push_back(change);
    };
    std::visit(sort, change->line);
  }
  std::vector<loop::Task<>> commits;
  for (auto& [account, of_account] : by_account)
    commits.push_back(commit({account}, std::move(of_account)));
  store_.run(loop::all(std::move(commits)));
}

loop::Task<> ImportWrite::commit(media::AccountId account, Changes changes) {
  for (std::size_t begin = 0; begin < changes.size();) {
    stores::Commit commit(account);
    std::vector<stores::IndexedRecord> written;
    std::size_t end = begin;
    for (; end < changes.size() && !commit.is_full(); ++end) {
      stores::IndexedRecord record = co_await add(*changes[end], commit);
      written.push_back(std::move(record));
    }
    const stores::Commit::Outcome outcome =
        co_await commit.run(store_.redis, stores::Commit::Size::More, redis::Durability::Primary);
    if (outcome == stores::Commit::Outcome::Gone) {
      const std::string project = co_await missing_project(changes);
      throw overtaken("project " + project + " was deleted by another client during the import");
    }
    if (outcome == stores::Commit::Outcome::Done) {
      for (stores::IndexedRecord& each : written) unindexed_.add(account, std::move(each));
      begin = end;
      continue;
    }
    for (std::size_t i = begin; i < end; ++i) {
      co_await make_again(*changes[i]);
    }
  }
}

loop::Task<std::string> ImportWrite::missing_project(const Changes& changes) {
  for (const Pending* change : changes) {
    const auto* media = std::get_if<media::Media>(&change->line);
    if (media == nullptr || !media->project) continue;
    const std::string key = stores::keys::project(*media->project);
    redis::Store::Call call = store_.redis.read({"EXISTS", key});
    const redis::Reply exists = co_await call;
    if (exists.integer() == 0) co_return media->project->value();
  }
  co_return "of a media";
}

loop::Task<stores::IndexedRecord> ImportWrite::add(Pending& pending, stores::Commit& commit) {
  const auto* media = std::get_if<media::Media>(&pending.line);
  const auto kind = media != nullptr ? stores::Indexed::Media : stores::Indexed::Project;
  stores::IndexedRecord record{kind, pending.name.text};
  const stores::IndexedFields now =
      media != nullptr ? stores::indexed_fields(*media)
                       : stores::indexed_fields(std::get<media::Project>(pending.line));
  std::optional<stores::IndexedFields> was;
  if (const std::string_view before = pending.before(); !before.empty()) {
    auto found = stores::indexed_in(document_, kind, before);
    const media::AccountId account =
        media != nullptr ? media->account : std::get<media::Project>(pending.line).account;
    if (found && found->account != account)
      throw overtaken(pending.keys[0] + " was given to another account by another client");
    if (found) {
      was = std::move(found->fields);
    } else {
      was = co_await stores::find_indexed(store_.redis, account, record);
    }
  }
  if (media != nullptr && pending.before().empty() && !file_in_own_folder(*media).empty()) {
    const std::optional<media::Media> owner = co_await catalog_.owner_of_files(media->id);
    if (owner && owner->id != media->id)
      throw overtaken("a swap gave the files of the media " + media->id.value() + " to the media " +
                      owner->id.value() + " during the import");
  }
  commit.change(pending.keys[0], pending.before(), pending.value);
  if (media != nullptr && media->project) commit.must_exist(stores::keys::project(*media->project));
  commit.note(record, was, now);
  co_return record;
}

loop::Task<> ImportWrite::make_again(Pending& pending) {
  redis::Store::Call reading = store_.redis.get(pending.keys[0]);
  const redis::Reply reply = co_await reading;
  const std::string now(reply.text().value_or(""));
  if (now == pending.before()) co_return;
  pending.read_again = now;
  CatalogLine line = read_again(pending.at);
  if (auto* media = std::get_if<media::Media>(&line)) {
    *media =
        with_choices_of_clients(std::move(*media), stored_media(document_, now), clock_.now_ms());
    pending.value = to_store(document_, *media, now);
  } else {
    pending.value = to_store(document_, std::get<media::Project>(line), now);
  }
  pending.line = std::move(line);
}

// A new media that is open needs no job: its folder stays open, and an import may have a million.
std::vector<media::Guarded> ImportWrite::guarded_by(const Changes& changes) {
  using Turn = media::Guarded::Turn;
  std::map<std::int64_t, media::SiteRule> rules;  // missing or unreadable accounts: everywhere
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
    // A new media had no files before, so none could have been watched.
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

loop::Task<std::string> ImportWrite::write_user(const Pending& pending, const UserLine& user) {
  using OfContact = stores::CatalogRegistry::Written;
  std::optional<std::string> hash;
  if (pending.has_new_password) hash = user.password_hash;
  const std::string_view before = pending.stored[0].value_or("");
  const OfContact written =
      co_await catalog_.write_contact(user, before, pending.former_email, std::move(hash));
  if (written == OfContact::Done) co_return "";
  co_return written == OfContact::EmailTaken ? stores::keys::contact_email(user.email)
                                             : pending.keys[0];
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
