#include "rules/stores.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "base/digest.h"
#include "base/hex.h"
#include "base/unique_fd.h"
#include "ctl/import/check.h"
#include "ctl/import/write.h"
#include "stores/audit_trail.h"
#include "stores/functions.h"
#include "text/json.h"

namespace svc::rules {
namespace {

const std::string kSource = SVC_SOURCE_DIR;
constexpr std::string_view kTester = "tests";  // a user who may do anything
constexpr std::string_view kPassword = "tests";

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("cannot read " + path);
  return text.str();
}

// Runs systemd/make-secrets, and adds the tester to the users of both stores, and the keys that
// sign links unless the script has made them.
std::string make_secrets(const std::string& folder) {
  const std::string command = kSource + "/systemd/make-secrets " + folder;
  if (std::system(command.c_str()) != 0) throw std::runtime_error(command);  // NOLINT: a test
  for (const char* store : {"/redis-state.acl", "/redis-cache.acl"}) {
    std::ofstream users(folder + store, std::ios::app);
    users << "user " << kTester << " on >" << kPassword << " ~* &* +@all\n";
  }
  const std::string watch_keys = folder + "/watch-keys";
  if (::access(watch_keys.c_str(), F_OK) != 0) {
    const base::UniqueFd file(::open(watch_keys.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::string line = "w1:" + base::to_hex(base::sha256("links of tests")) + "\n";
    if (::write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      throw std::runtime_error("cannot write " + watch_keys);
  }
  return folder;
}

// Without `dir`, which the server sets to its own.
integration::RedisServer server(const std::string& folder, const std::string& name,
                                const std::string& appendonly) {
  std::istringstream shipped(text_of(kSource + "/systemd/" + name + ".conf"));
  const std::string file = folder + "/" + name + ".conf";
  std::ofstream own(file);
  for (std::string line; std::getline(shipped, line);) {
    if (!line.starts_with("dir ")) own << line << '\n';
  }
  own.close();
  return integration::RedisServer(
      {file, "--aclfile", folder + "/" + name + ".acl", "--appendonly", appendonly});
}

// The catalog with the hashes of PlainPasswords in place of passwords.
std::string with_plain_passwords(const std::string& lines) {
  static const std::regex kField(R"re("password": "([^"]*)")re");
  std::string out;
  auto from = lines.begin();
  for (auto at = std::sregex_iterator(lines.begin(), lines.end(), kField);
       at != std::sregex_iterator(); ++at) {
    out.append(from, lines.begin() + at->position());
    out += R"("password_hash": ")" + PlainPasswords::hash_of(at->str(1)) + '"';
    from = lines.begin() + at->position() + at->length();
  }
  return out.append(from, lines.end());
}

loop::Task<redis::Reply> reply_to(redis::Store& store, redis::Words words) {
  redis::Store::Call call = store.command(words);
  co_return co_await call;
}

// Copies database ARGV[1], which keeps the catalog, to the database ARGV[2].
constexpr std::string_view kCopyAll = R"lua(
redis.call('SELECT', ARGV[2])
redis.call('FLUSHDB')
redis.call('SELECT', ARGV[1])
for _, key in ipairs(redis.call('KEYS', '*')) do redis.call('COPY', key, key, 'DB', ARGV[2]) end
return 1)lua";

}  // namespace

std::string PlainPasswords::hash_of(std::string_view password) {
  return "$argon2id$v=19$m=19456,t=2,p=1$" + std::string(16, '0') + "$" +
         base::to_hex(base::sha256(password));
}

loop::Task<bool> PlainPasswords::matches(std::string password, std::string stored) {
  const std::string hash = hash_of(password);
  const std::size_t digest = hash.rfind('$');
  checked.push_back(stored);
  co_return stored.ends_with(hash.substr(digest));
}

loop::Task<std::string> PlainPasswords::hash(std::string password) { co_return hash_of(password); }

loop::Task<login::Permission> PlainPasswords::take_turn(login::Asker& asker) {
  address = asker.address;
  known = asker.known;
  if (meanwhile) meanwhile();
  if (free == 0) co_return login::Permission::Refused;
  --free;
  ++taken;
  co_return meanwhile ? login::Permission::AfterWaiting : login::Permission::AtOnce;
}

loop::Task<> PlainPasswords::hold_back(const login::Asker&) {
  if (free > 0) ++held_back;
  co_return;
}

redis::ConnectionSettings Stores::as_tester(const integration::RedisServer& server) {
  redis::ConnectionSettings settings = server.settings();
  settings.username = kTester;
  settings.password = kPassword;
  return settings;
}

Stores& Stores::of_this_process() {
  static Stores stores;
  return stores;
}

Stores::Stores()
    : users_(make_secrets(directory_.path("secrets"))),
      state_(server(users_, "redis-state", "yes")),
      cache_(server(users_, "redis-cache", "no")),
      all_(as_tester(state_)),
      keys_(*base::KeyRing::load(secret("keys"))),
      watch_keys_(*base::KeyRing::load(secret("watch-keys"))) {
  command({"FUNCTION", "LOAD", "REPLACE", stores::functions::library()});
  cache_command({"FUNCTION", "LOAD", "REPLACE", stores::functions::library()});
  import(with_plain_passwords(text_of(kSource + "/scripts/demo/catalog.jsonl")));
  command({"EVAL", kCopyAll, "0", "0", "1"});
}

void Stores::reset() {
  command({"ACL", "SETUSER", "embed", "on"});
  command({"EVAL", kCopyAll, "0", "1", "0"});
  cache_command({"FLUSHALL"});
}

void Stores::import(std::string_view lines) {
  const base::UniqueFd file(
      open(directory_.write("lines.jsonl", lines).c_str(), O_RDONLY | O_CLOEXEC));
  const auto go_on = [](std::uint64_t, std::uint64_t) { return true; };
  const ctl::Store store{all_.loop(), all_.redis()};
  ctl::LineFile read(file.get());
  ctl::ImportCheck check(read, store, true);
  if (!check.run(go_on) || check.refused().count > 0)
    throw std::runtime_error("refused: " + check.refused().first.begin()->second);
  base::SystemEntropy entropy;
  ctl::ImportWrite write(read, store, &keys_, entropy, &all_cache_);
  if (!write.run(check, go_on)) throw std::runtime_error("the import was not written");
}

void Stores::take_files() {
  std::istringstream catalog(text_of(kSource + "/scripts/demo/catalog.jsonl"));
  std::string lines;
  for (std::string line; std::getline(catalog, line);) {
    text::json::Document document;
    const auto record = document.parse(line);
    if (!record || record->find("kind")->string() != "media") continue;
    const std::string folder = "/files/" + std::string(*record->find("id")->string()) + "/";
    constexpr std::string_view kFormer = "/deliveries/";
    for (std::size_t at = 0; (at = line.find(kFormer, at)) != std::string::npos;)
      line.replace(at, kFormer.size(), folder);
    lines += line + "\n";
  }
  import(lines);
}

redis::Reply Stores::command(redis::Words words) { return all_.run(reply_to(all_.redis(), words)); }

void Stores::edit(std::string_view key, std::string_view before, std::string_view after) {
  std::string record(command({"GET", key}).text().value_or(""));
  const std::size_t at = record.find(before);
  if (at == std::string::npos) throw std::runtime_error(std::string(before) + " not in " + record);
  command({"SET", key, record.replace(at, before.size(), after)});
}

std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  return texts;
}

std::vector<std::string> Stores::events() {
  std::vector<std::string> events;
  stores::AuditTrail trail(all_.redis());
  const stores::AuditTrail::See see = [&](const stores::AuditEntry& entry) -> loop::Task<bool> {
    if (entry.field("what") != "import")
      events.push_back(std::string(entry.field("what")) + " " +
                       std::string(entry.field("contact")) + " " +
                       std::string(entry.field("detail")));
    co_return true;
  };
  all_.run(trail.from(0, see));
  return events;
}

std::size_t Stores::events(std::string_view text) {
  const std::vector<std::string> all = events();
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [&](const std::string& one) { return one.starts_with(text); }));
}

redis::Reply Stores::cache_command(redis::Words words) {
  return all_.run(reply_to(all_cache_, words));
}

std::string Stores::secret(std::string_view name) const {
  return directory_.path("secrets") + "/" + std::string(name);
}

}  // namespace svc::rules
