#include "ctl/import_write.h"

#include <algorithm>
#include <deque>
#include <stdexcept>

#include "base/password_hash.h"
#include "base/unavailable.h"
#include "ctl/beside.h"
#include "redis/keys.h"
#include "redis/renderings.h"

namespace svc::ctl {
namespace {

// Writes a batch of users in one step: all of it or, when one is not as it was when it was asked
// for, nothing. Then it answers that one's key, else nil. Another import may run at the same time,
// and two may want the same email address.
//
//   KEYS  contact, its email's index, its former email's index (or the same once more)  a user
//   ARGV  id, what was stored (empty: nothing), what is to be                           a user
constexpr std::string_view kWriteUsers = R"(
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
)";

}  // namespace

ImportWrite::ImportWrite(int file, redis::Connection& store, const base::KeyRing* keys,
                         base::Entropy& entropy, ImportCheck::Progress progress,
                         redis::Connection* cache)
    : file_(file),
      store_(store),
      keys_(keys),
      entropy_(entropy),
      progress_(std::move(progress)),
      cache_(cache) {}

bool ImportWrite::run(const ImportCheck& check) {
  const std::vector<CheckedLine>& lines = check.lines();
  if (check.in_order()) {
    return write_kinds(lines, {Kind::Account, Kind::User, Kind::Project, Kind::Application,
                               Kind::Media, Kind::Playlist});
  }
  return write_kinds(lines, {Kind::Account}) &&
         write_kinds(lines, {Kind::User, Kind::Project, Kind::Application}) &&
         write_kinds(lines, {Kind::Media}) && write_kinds(lines, {Kind::Playlist});
}

bool ImportWrite::write_kinds(const std::vector<CheckedLine>& lines,
                              const std::vector<Kind>& kinds) {
  const auto is_wanted = [&](const CheckedLine& line) { return is_one_of(kinds, line.state); };
  if (std::none_of(lines.begin(), lines.end(), is_wanted)) return true;
  ImportRead read(file_, lines, kinds);
  ImportBatch batch = read.next();
  while (!batch.records.empty()) {
    auto following = beside([&] { return read.next(); });
    submit(std::move(batch.records));
    if (!overtaken_.empty()) settle();
    if (!progress_(batch.bytes_read, batch.line)) {
      settle();
      return false;
    }
    try {
      batch = following.get();
    } catch (const std::runtime_error&) {
      settle();  // what was asked for is right all the same, and is counted
      throw;
    }
  }
  settle();
  return progress_(batch.bytes_read, batch.line);
}

void ImportWrite::submit(std::vector<Pending> records) {
  std::vector<std::string_view> get{"MGET"};
  for (const Pending& pending : records) get.push_back(pending.key);
  store_.send(get);
  store_.flush();
  write_asked();
  asked_ = std::move(records);
}

void ImportWrite::settle() {
  write_asked();
  take_answers();
  if (!overtaken_.empty()) {
    throw std::runtime_error(overtaken_ +
                             " was changed by somebody else while this ran, so it was left alone; "
                             "what was written is whole, run it again for the rest");
  }
}

// Counted is what the store has said yes to. Only users can be answered with a key.
void ImportWrite::take_answers() {
  for (; unanswered_ > 0; --unanswered_) {
    const redis::Reply reply = store_.receive();
    const auto key = reply.text();
    if (!key || *key == "OK") continue;
    overtaken_ = *key;
    sent_[static_cast<std::size_t>(Kind::User)] = {};
  }
  for (std::size_t i = 0; i < kKinds; ++i) {
    written_[i].added += sent_[i].added;
    written_[i].changed += sent_[i].changed;
    written_[i].unchanged += sent_[i].unchanged;
    sent_[i] = {};
  }
  drop_renderings();
}

// Behind the records, or what was dropped would be made again of the old ones. What cannot be
// dropped goes by itself, and is used by nobody who heard of the change.
void ImportWrite::drop_renderings() {
  if (cache_ == nullptr || changed_.empty()) return;
  try {
    redis::drop_renderings(*cache_, changed_);
  } catch (const base::Unavailable&) {
    // Said in the log by the connection.
  }
  changed_.clear();
}

// Compares the batch in flight with what is stored of it and writes what differs: with one command,
// which a store that syncs every command to disk has to sync only once, and one for its users.
void ImportWrite::write_asked() {
  if (asked_.empty()) return;
  const redis::Reply stored = store_.receive();
  take_answers();
  std::deque<std::string> made;  // keys of the email index, and ids
  std::vector<std::string_view> set{"MSET"};
  std::vector<std::string_view> user_keys;
  std::vector<std::string_view> user_values;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    Pending& pending = asked_[i];
    const auto before = stored.at(i).text();
    finish_record(pending, before.value_or(""));
    Written& written = sent_[static_cast<std::size_t>(pending.kind)];
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
      // The list of the account's applications; what it names and is not there is nothing.
      const oauth::Client& client = std::get<ApplicationLine>(pending.line.record).client;
      store_.send({"SADD", redis::keys::account_clients(client.account), client.id.text});
      ++unanswered_;
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
  if (set.size() > 1) {
    store_.send(set);
    ++unanswered_;
  }
  // Behind the others, which may be the accounts that they refer to.
  if (!user_keys.empty()) {
    const std::string count = std::to_string(user_keys.size());
    std::vector<std::string_view> script{"EVAL", kWriteUsers, count};
    script.insert(script.end(), user_keys.begin(), user_keys.end());
    script.insert(script.end(), user_values.begin(), user_values.end());
    store_.send(script);
    ++unanswered_;
  }
  store_.flush();
  asked_.clear();
}

// Secrets are kept as they are stored when they are still the same: hashing or sealing them anew
// would change the record with every run.
void ImportWrite::finish_record(Pending& pending, std::string_view stored) {
  if (pending.kind == Kind::User) {
    UserLine& user = std::get<UserLine>(pending.line.record);
    if (!user.password.empty()) {
      const auto value = stored_document_.parse(stored);
      const auto hash = value ? value->find("password_hash") : std::nullopt;
      const std::string kept(hash ? hash->string().value_or("") : "");
      user.contact.password_hash = base::password_matches(user.password, kept)
                                       ? kept
                                       : base::hash_password(user.password, entropy_);
    }
    pending.value = to_record(user.contact);
  } else if (pending.kind == Kind::Application) {
    auto& [client, secret] = std::get<ApplicationLine>(pending.line.record);
    if (const auto value = stored_document_.parse(stored)) {
      text::JsonRecord record(*value);
      const auto before = oauth::client_from_record(record);
      if (before && oauth::is_secret_of(*keys_, *before, secret)) client.secrets = before->secrets;
      // With other permissions, whoever allowed it something has to be asked again.
      if (before) {
        client.permission_version =
            before->permission_version + (before->scopes == client.scopes ? 0 : 1);
      }
    }
    if (client.secrets.empty())
      client.secrets = {oauth::keep_secret(*keys_, client.id, secret, entropy_, client.created)};
    pending.value = to_record(client);
  }
}

}  // namespace svc::ctl
