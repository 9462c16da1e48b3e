#include "ctl/import/write.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <span>
#include <stdexcept>
#include <system_error>

#include "base/number.h"
#include "base/password_hash.h"
#include "base/unavailable.h"
#include "ctl/arguments.h"
#include "login/new_password.h"
#include "loop/all.h"
#include "redis/keys.h"
#include "redis/renderings.h"
#include "redis/replace.h"
#include "redis/script.h"

namespace svc::ctl {
namespace {

// Writes a batch of users atomically. If a user's record has changed since it was read, or another
// user has the email address, writes nothing and returns the key; otherwise returns nil. Imports
// can run at the same time.
//
//   KEYS  per user: contact, index of the email, index of the former email (or the same again)
//   ARGV  per user: id, the record as it was read ("" if missing), the new record
const redis::Script kWriteUsers(R"(
for i = 1, #KEYS, 3 do
  if (redis.call('GET', KEYS[i]) or '') ~= ARGV[i + 1] then return KEYS[i] end
  local owner = redis.call('GET', KEYS[i + 1])
  if owner and owner ~= ARGV[i] then return KEYS[i + 1] end
end
for i = 1, #KEYS, 3 do
  redis.call('SET', KEYS[i + 1], ARGV[i])
  redis.call('SET', KEYS[i], ARGV[i + 2])
  local former = KEYS[i + 2]
  if former ~= KEYS[i + 1] and redis.call('GET', former) == ARGV[i] then
    redis.call('DEL', former)
  end
end
return false
)",
                                "?$");

// The same for applications: an owner can change or delete one during the import.
//
//   KEYS  per application: client, tombstone
//   ARGV  per application: both records as they were read ("" if missing), the new record
const redis::Script kWriteApplications(R"(
for i = 1, #KEYS, 2 do
  local at = (i - 1) / 2 * 3
  if (redis.call('GET', KEYS[i]) or '') ~= ARGV[at + 1] then return KEYS[i] end
  if (redis.call('GET', KEYS[i + 1]) or '') ~= ARGV[at + 2] then return KEYS[i] end
end
for i = 1, #KEYS, 2 do
  redis.call('SET', KEYS[i], ARGV[(i - 1) / 2 * 3 + 3])
  redis.call('DEL', KEYS[i + 1])
end
return false
)",
                                       "?$");

// Do for one record what kWriteUsers and kWriteApplications do for a batch; return the key that
// another client changed, "" if none. The email address is taken first and the former one freed
// last: an index without its record stops nobody from logging in.
loop::Task<std::string> write_user(redis::Store& store, std::span<const std::string_view> keys,
                                   std::span<const std::string_view> values) {
  const std::string key(keys[0]);
  const std::string email(keys[1]);
  const std::string former(keys[2]);
  loop::Task<bool> claiming = redis::claim(store, email, values[0]);
  const bool claimed = co_await claiming;
  if (!claimed) co_return email;
  loop::Task<bool> writing = redis::replace(store, key, values[1], values[2]);
  const bool written = co_await writing;
  if (!written) co_return key;
  if (former == email) co_return "";
  loop::Task<bool> freeing = redis::release(store, former, values[0]);
  co_await freeing;
  co_return "";
}

loop::Task<std::string> write_application(redis::Store& store,
                                          std::span<const std::string_view> keys,
                                          std::span<const std::string_view> values) {
  const std::string key(keys[0]);
  const std::string tombstone(keys[1]);
  loop::Task<bool> writing = redis::replace(store, key, values[0], values[2]);
  const bool written = co_await writing;
  if (!written) co_return key;
  loop::Task<bool> removing = redis::release(store, tombstone, values[1]);
  const bool removed = co_await removing;
  co_return removed ? "" : key;
}

// An audit event lists at most this many users, and the number of the others.
constexpr std::size_t kNamedUsers = 20;

std::string names_of(const std::vector<media::ContactId>& users) {
  std::string names = users.size() == 1 ? "user" : "users";
  for (std::size_t i = 0; i < std::min(users.size(), kNamedUsers); ++i)
    names += (i == 0 ? " " : ", ") + std::to_string(users[i].number);
  if (users.size() > kNamedUsers)
    names += " and " + std::to_string(users.size() - kNamedUsers) + " more";
  return names;
}

}  // namespace

ImportWrite::ImportWrite(int file, const Store& store, const base::KeyRing* keys,
                         base::Entropy& entropy, ImportCheck::Progress progress,
                         redis::Store* cache, const CredentialReset* reset)
    : file_(file),
      store_(store),
      keys_(keys),
      entropy_(entropy),
      progress_(std::move(progress)),
      cache_(cache),
      reset_(reset),
      threads_(store.loop) {}

bool ImportWrite::run(const ImportCheck& check) { return store_.run(write(check)); }

loop::Task<bool> ImportWrite::write(const ImportCheck& check) {
  std::vector<std::vector<Kind>> steps{{Kind::Account},
                                       {Kind::User, Kind::Project, Kind::Application},
                                       {Kind::Media},
                                       {Kind::Playlist}};
  if (check.in_order()) {
    steps = {
        {Kind::Account, Kind::User, Kind::Project, Kind::Application, Kind::Media, Kind::Playlist}};
  }
  for (const std::vector<Kind>& kinds : steps) {
    const bool whole = co_await write_kinds(check.lines(), kinds);
    if (!whole) co_return false;
  }
  co_return true;
}

loop::Task<bool> ImportWrite::write_kinds(const std::vector<CheckedLine>& lines,
                                          std::vector<Kind> kinds) {
  const auto is_wanted = [&](const CheckedLine& line) { return is_one_of(kinds, line.state); };
  if (std::none_of(lines.begin(), lines.end(), is_wanted)) co_return true;
  ImportRead read(file_, lines, kinds);
  ImportBatch batch = read.next();
  while (!batch.records.empty()) {
    Following following;
    loop::Task<> reading = read_next(read, following);
    loop::Task<> writing = submit(std::move(batch.records));
    auto both = loop::all(std::move(reading), std::move(writing));
    co_await both;
    if (!overtaken_.empty()) co_await settle();
    if (!progress_(batch.bytes_read, batch.line)) {
      co_await settle();
      co_return false;
    }
    if (following.error) {
      co_await settle();  // the batch in flight is still valid: write and count it
      std::rethrow_exception(following.error);
    }
    batch = std::move(following.batch);
  }
  co_await settle();
  co_return progress_(batch.bytes_read, batch.line);
}

// Runs on another thread, or on this one if none can be started.
loop::Task<> ImportWrite::read_next(ImportRead& read, Following& following) {
  const std::function<void()> work = [&read, &following] {
    try {
      following.batch = read.next();
    } catch (...) {
      following.error = std::current_exception();
    }
  };
  try {
    loop::Task<> done = threads_.run(work);
    co_await done;
    co_return;
  } catch (const std::system_error&) {
    // The system cannot start another thread.
  }
  work();
}

loop::Task<> ImportWrite::submit(std::vector<Pending> records) {
  std::vector<std::string_view> get{"MGET"};
  for (const Pending& pending : records) get.push_back(pending.key);
  for (const Pending& pending : records) {
    if (pending.kind == Kind::Application) get.push_back(pending.tombstone);
  }
  std::unique_ptr<redis::Store::Call> stored(new redis::Store::Call(store_.redis.command(get)));
  co_await write_asked();
  stored_ = std::move(stored);
  asked_ = std::move(records);
}

loop::Task<> ImportWrite::settle() {
  co_await write_asked();
  co_await take_answers();
  if (!overtaken_.empty()) {
    throw std::runtime_error(overtaken_ +
                             " was changed by another client during the import and was not "
                             "overwritten; all written records are complete. Run the import again "
                             "for the rest");
  }
}

// If the reply is a key, that user or application was changed during the import, and the script
// wrote none of its batch.
loop::Task<> ImportWrite::finish_writes() {
  while (writes_ && writes_->left() > 0) {
    const redis::Reply reply = co_await writes_->next();
    const auto key = reply.text();
    if (!key || *key == "OK") continue;
    overtaken_ = *key;
    const bool user = key->starts_with(redis::keys::kContacts);
    sent_[static_cast<std::size_t>(user ? Kind::User : Kind::Application)] = {};
  }
}

// Counts what the store has acknowledged.
loop::Task<> ImportWrite::take_answers() {
  co_await finish_writes();
  for (std::size_t i = 0; i < kKinds; ++i) {
    written_[i].added += sent_[i].added;
    written_[i].changed += sent_[i].changed;
    written_[i].unchanged += sent_[i].unchanged;
    written_[i].deleted += sent_[i].deleted;
    sent_[i] = {};
  }
  co_await drop_renderings();
}

// After the records are written: otherwise renderings of the old records could be cached again. If
// the cache fails, renderings expire, and no worker that received the invalidation uses them.
loop::Task<> ImportWrite::drop_renderings() {
  if (cache_ == nullptr || changed_.empty()) co_return;
  try {
    co_await redis::drop_renderings(*cache_, changed_);
  } catch (const base::Unavailable&) {
    // The channel logs it.
  }
  changed_.clear();
}

// Compares the batch in flight with its stored records and writes the differences. One MSET, plus
// one script for users and one for applications: a store that syncs each command syncs rarely.
loop::Task<> ImportWrite::write_asked() {
  if (asked_.empty()) co_return;
  const redis::Reply stored = co_await *stored_;
  co_await take_answers();
  std::deque<std::string> made;                                 // keys of the email index, and ids
  std::vector<std::pair<std::string, std::string_view>> lists;  // an account's, an application
  std::vector<std::string_view> set{"MSET"};
  std::vector<std::string_view> user_keys;
  std::vector<std::string_view> user_values;
  std::vector<std::string_view> application_keys;
  std::vector<std::string_view> application_values;
  std::size_t tombstone = asked_.size();
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    Pending& pending = asked_[i];
    const auto before = stored.at(i).text();
    std::string_view deleted;
    Written& written = sent_[static_cast<std::size_t>(pending.kind)];
    Finished finished = Finished::Whole;
    if (pending.kind == Kind::User) finished = finish_user(pending, before.value_or(""));
    if (pending.kind == Kind::Application) {
      deleted = stored.at(tombstone++).text().value_or("");
      finished = finish_application(pending, before.value_or(""), deleted);
    }
    if (finished == Finished::StaysDeleted) ++written.deleted;
    // It was readable when the file was checked.
    if (finished == Finished::Unreadable) overtaken_ = pending.key;
    if (finished != Finished::Whole) continue;
    if (before && *before == pending.value) {
      ++written.unchanged;
      continue;
    }
    ++(before ? written.changed : written.added);
    if (before && pending.kind == Kind::Media) {
      constexpr std::string_view kPrefix = redis::keys::kMedias;
      if (const auto id = media::HashedId::parse(pending.key.substr(kPrefix.size())))
        changed_.push_back(*id);
    }
    if (pending.kind == Kind::Application) {
      // Add it to the account's list first: readers skip listed applications that do not exist.
      const oauth::Client& client = std::get<ApplicationLine>(pending.line.record).client;
      lists.emplace_back(redis::keys::account_clients(client.account), client.id.text);
      application_keys.insert(application_keys.end(), {pending.key, pending.tombstone});
      application_values.insert(application_values.end(),
                                {before.value_or(""), deleted, pending.value});
      continue;
    }
    if (pending.kind != Kind::User) {
      set.insert(set.end(), {pending.key, pending.value});
      continue;
    }
    const media::Contact& contact = std::get<UserLine>(pending.line.record).contact;
    const auto old_value = stored_document_.parse(before.value_or(""));
    const auto old_email = old_value ? old_value->find("email") : std::nullopt;
    const std::string_view email = made.emplace_back(redis::keys::contact_email(contact.email));
    const std::string_view former = made.emplace_back(redis::keys::contact_email(
        old_email ? old_email->string().value_or(contact.email) : contact.email));
    const std::string_view id = made.emplace_back(std::to_string(contact.id.number));
    user_keys.insert(user_keys.end(), {pending.key, email, former});
    user_values.insert(user_values.end(), {id, before.value_or(""), pending.value});
  }
  co_await audit_resets();
  writes_.emplace(store_.redis);
  for (const auto& [list, client] : lists) writes_->command({"SADD", list, client});
  if (set.size() > 1) writes_->command(set);
  // After the others, which may be the accounts that these records refer to.
  const auto eval = [&](const redis::Script& script, const std::vector<std::string_view>& keys,
                        const std::vector<std::string_view>& values) {
    if (keys.empty()) return;
    const std::string count = std::to_string(keys.size());
    std::vector<std::string_view> words{"EVAL", script.text(), count};
    words.insert(words.end(), keys.begin(), keys.end());
    words.insert(words.end(), values.begin(), values.end());
    writes_->command(words, script.reply());
  };
  if (store_.redis.is_cluster()) {
    // What the records refer to is on other nodes.
    co_await finish_writes();
    co_await write_one_by_one(user_keys, user_values, application_keys, application_values);
  } else {
    eval(kWriteUsers, user_keys, user_values);
    eval(kWriteApplications, application_keys, application_values);
  }
  asked_.clear();
}

// In a Cluster the keys of one user or application are on different nodes. So each record is
// written on its own, and an import that another client overtakes has written some of its batch.
loop::Task<> ImportWrite::write_one_by_one(
    const std::vector<std::string_view>& user_keys,
    const std::vector<std::string_view>& user_values,
    const std::vector<std::string_view>& application_keys,
    const std::vector<std::string_view>& application_values) {
  std::vector<loop::Task<std::string>> tasks;
  for (std::size_t i = 0; i < user_keys.size(); i += 3)
    tasks.push_back(write_user(store_.redis, std::span(user_keys).subspan(i, 3),
                               std::span(user_values).subspan(i, 3)));
  const std::size_t users = tasks.size();
  for (std::size_t i = 0; i < application_keys.size() / 2; ++i)
    tasks.push_back(write_application(store_.redis, std::span(application_keys).subspan(2 * i, 2),
                                      std::span(application_values).subspan(3 * i, 3)));
  auto all = loop::all(std::move(tasks));
  const std::vector<std::string> overtaken = co_await all;
  for (std::size_t i = 0; i < overtaken.size(); ++i) {
    if (overtaken[i].empty()) continue;
    overtaken_ = overtaken[i];
    sent_[static_cast<std::size_t>(i < users ? Kind::User : Kind::Application)] = {};
  }
}

// Records resets before they are written: if the audit trail cannot be written, nothing is reset.
loop::Task<> ImportWrite::audit_resets() {
  if (reset_ == nullptr) co_return;
  if (!password_resets_.empty()) {
    const bool one = password_resets_.size() == 1;
    const std::string detail = reset_->detail + ", " + names_of(password_resets_);
    oauth::AuditEvent event{.what = "password.reset", .detail = detail};
    if (one) event.contact = password_resets_.front();
    co_await reset_->audit.record(event);
  }
  for (const auto& [what, client] : client_resets_) {
    const oauth::AuditEvent event{.what = what,
                                  .account = client->account,
                                  .client = client->id.text,
                                  .detail = reset_->detail};
    co_await reset_->audit.record(event);
  }
  password_resets_.clear();
  client_resets_.clear();
}

void ImportWrite::keep(std::uint64_t& count, const Pending& pending, const std::string& what) {
  ++count;
  if (kept_.first.size() < ImportCheck::kMaxProblems) kept_.first.push_back({pending.number, what});
}

// Unchanged passwords and secrets keep their stored form: a new hash or encryption would change the
// record in each run.
ImportWrite::Finished ImportWrite::finish_user(Pending& pending, std::string_view stored) {
  UserLine& user = std::get<UserLine>(pending.line.record);
  media::Contact& contact = user.contact;
  const std::string& password = user.password;
  const bool before = !stored.empty();
  std::string hash;
  if (before) {
    auto read = stored_user(stored_document_, stored);
    if (!read) return Finished::Unreadable;
    hash = std::move(read->password_hash);
    contact.disabled = read->disabled;
  }
  const std::string canonical = login::canonical_password(password);
  const auto is_stored = [&] {
    return !hash.empty() && (base::password_matches(canonical, hash) ||
                             (canonical != password && base::password_matches(password, hash)));
  };
  if (!before || reset_ != nullptr) {
    if (!password.empty())
      contact.password_hash = is_stored() ? hash : base::hash_password(canonical, entropy_);
    if (before && contact.password_hash != hash) password_resets_.push_back(contact.id);
  } else {
    bool same = contact.password_hash.empty() || contact.password_hash == hash;
    if (!password.empty() && compared_ == kComparedPasswords) {
      ++kept_.passwords_not_compared;
    } else if (!password.empty()) {
      ++compared_;
      same = is_stored();
    }
    if (!same)
      keep(kept_.passwords, pending, "password of user " + std::to_string(contact.id.number));
    contact.password_hash = hash;
  }
  pending.value = to_record(contact);
  return Finished::Whole;
}

ImportWrite::Finished ImportWrite::finish_application(Pending& pending, std::string_view stored,
                                                      std::string_view deleted) {
  auto& [client, secret] = std::get<ApplicationLine>(pending.line.record);
  std::optional<oauth::Client> before;
  if (!stored.empty()) {
    auto read = stored_client(stored_document_, stored);
    if (!read) return Finished::Unreadable;
    before = std::move(*read);
  }
  if (before) {
    // If the scopes change, users who allowed access are asked again.
    client.permission_version =
        before->permission_version + (before->scopes == client.scopes ? 0 : 1);
    const bool same = oauth::is_secret_of(*keys_, *before, secret);
    if (same || reset_ == nullptr) client.secrets = before->secrets;
    if (!same && reset_ == nullptr)
      keep(kept_.secrets, pending, "secrets of application " + client.id.text);
    if (!same && reset_ != nullptr) client_resets_.push_back({"secret.reset", &client});
  } else if (!deleted.empty()) {
    if (reset_ == nullptr) {
      keep(kept_.deleted, pending, "deletion of application " + client.id.text);
      return Finished::StaysDeleted;
    }
    client.permission_version =
        base::parse_number<std::int64_t>(deleted, 1, media::kMaxIntegerId).value_or(1);
    client_resets_.push_back({"client.restored", &client});
  }
  if (!before || (client.secrets.empty() && reset_ != nullptr))
    client.secrets = {oauth::keep_secret(*keys_, client.id, secret, entropy_, client.created)};
  pending.value = to_record(client);
  return Finished::Whole;
}

}  // namespace svc::ctl
