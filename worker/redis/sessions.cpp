#include "redis/sessions.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/hex.h"
#include "redis/keys.h"
#include "redis/script.h"

namespace svc::redis {
namespace {

constexpr std::string_view kLabel = "session";
constexpr std::size_t kSecretBytes = 32;
// More than anybody has browsers; whoever logs in in a loop must not grow the store.
constexpr std::int64_t kMostOfAContact = 100;
// Not every page is worth a write.
constexpr std::int64_t kSeenEvery = 60;

std::string text_of(std::int64_t number) { return std::to_string(number); }

std::int64_t number_of(std::optional<std::string_view> text) {
  std::int64_t value = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

// KEYS: the session. ARGV: now, idle, longest, write last_seen when it is so old (-1: never).
// One step, or a session that ends in between would come back as half a hash.
const Script& look_script() {
  static const Script kScript(R"(
local s = redis.call('HMGET', KEYS[1], 'contact', 'created', 'last_seen', 'password_given', 'address', 'password')
if not s[1] then return nil end
local now, idle, longest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local age, silent = now - tonumber(s[2]), now - tonumber(s[3])
if age >= longest or silent >= idle then
  redis.call('DEL', KEYS[1])
  return nil
end
if tonumber(ARGV[4]) >= 0 and silent >= tonumber(ARGV[4]) then
  redis.call('HSET', KEYS[1], 'last_seen', now)
  redis.call('EXPIRE', KEYS[1], math.min(idle, longest - age))
  s[3] = ARGV[1]
end
return s)");
  return kScript;
}

// KEYS: the session. ARGV: time to live, then fields and values.
const Script& begin_script() {
  static const Script kScript(R"(
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1)");
  return kScript;
}

// KEYS: the contact's sessions. ARGV: mac, its last moment, now, time to live, how many.
// Returns those that are one too many.
const Script& list_script() {
  static const Script kScript(R"(
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
local last = -tonumber(ARGV[5])
local over = redis.call('ZRANGE', KEYS[1], 0, last)
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, last)
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return over)");
  return kScript;
}

// KEYS: the session. ARGV: now.
const Script& password_script() {
  static const Script kScript(R"(
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'password_given', ARGV[1])
return 1)");
  return kScript;
}

}  // namespace

Sessions::Sessions(Connection& connection, const base::KeyRing& keys, base::Entropy& entropy,
                   const base::WallClock& clock, SessionLifetimes lifetimes)
    : connection_(connection),
      keys_(keys),
      entropy_(entropy),
      clock_(clock),
      lifetimes_(lifetimes) {}

std::optional<login::Session> Sessions::look(const std::string& mac, bool seen) {
  const std::array<std::string, 1> keys{keys::session(mac)};
  const std::array<std::string, 4> arguments{
      text_of(clock_.now()), text_of(lifetimes_.idle), text_of(lifetimes_.longest),
      text_of(seen ? std::min(kSeenEvery, lifetimes_.idle / 10) : -1)};
  const Reply reply = connection_.eval(look_script(), keys, arguments);
  if (reply.size() < 6) return std::nullopt;
  login::Session session;
  session.id = mac;
  session.contact = {number_of(reply.at(0).text())};
  session.created = number_of(reply.at(1).text());
  session.last_seen = number_of(reply.at(2).text());
  session.password_given = number_of(reply.at(3).text());
  session.address = reply.at(4).text().value_or("");
  session.password = reply.at(5).text().value_or("");
  return session;
}

std::optional<login::Session> Sessions::find(std::string_view secret) {
  for (const std::string& mac : keys_.macs(kLabel, secret)) {
    if (auto session = look(mac, true)) return session;
  }
  return std::nullopt;
}

// The list first: what it names and is not there is nothing, but a session that no list names could
// not be ended from elsewhere.
std::string Sessions::begin(media::ContactId contact, std::string_view address,
                            std::string_view password) {
  std::string random(kSecretBytes, '\0');
  entropy_.fill({reinterpret_cast<unsigned char*>(random.data()), random.size()});
  std::string secret = base::to_hex(random);
  const std::string mac = keys_.mac(kLabel, secret);
  const std::int64_t now = clock_.now();
  const std::array<std::string, 1> list{keys::contact_sessions(contact)};
  const std::array<std::string, 5> entry{mac, text_of(now + lifetimes_.longest), text_of(now),
                                         text_of(lifetimes_.longest), text_of(kMostOfAContact)};
  const Reply over = connection_.eval(list_script(), list, entry);
  for (std::size_t i = 0; i < over.size(); ++i)
    connection_.command({"DEL", keys::session(over.at(i).text().value_or(""))});
  const std::array<std::string, 1> key{keys::session(mac)};
  const std::array<std::string, 13> fields{text_of(std::min(lifetimes_.idle, lifetimes_.longest)),
                                           "contact",
                                           text_of(contact.number),
                                           "created",
                                           text_of(now),
                                           "last_seen",
                                           text_of(now),
                                           "password_given",
                                           text_of(now),
                                           "address",
                                           std::string(address),
                                           "password",
                                           std::string(password)};
  connection_.eval(begin_script(), key, fields);
  return secret;
}

void Sessions::password_was_given(const login::Session& session) {
  const std::array<std::string, 1> key{keys::session(session.id)};
  const std::array<std::string, 1> now{text_of(clock_.now())};
  connection_.eval(password_script(), key, now);
}

void Sessions::end(const login::Session& session) {
  connection_.command({"DEL", keys::session(session.id)});
  connection_.command({"ZREM", keys::contact_sessions(session.contact), session.id});
}

std::vector<login::Session> Sessions::of(media::ContactId contact) {
  const std::string list = keys::contact_sessions(contact);
  const Reply macs = connection_.read({"ZRANGE", list, "0", "-1", "REV"});
  std::vector<login::Session> found;
  for (std::size_t i = 0; i < macs.size(); ++i) {
    const std::string mac(macs.at(i).text().value_or(""));
    // If there is no session, its entry stays: begin() may be about to write the session.
    if (auto session = look(mac, false)) found.push_back(std::move(*session));
  }
  return found;
}

void Sessions::end_others(const login::Session& keep) { end_listed(keep.contact, keep.id); }

std::int64_t Sessions::end_all(media::ContactId contact) { return end_listed(contact, ""); }

std::int64_t Sessions::end_listed(media::ContactId contact, std::string_view except) {
  const std::string list = keys::contact_sessions(contact);
  const Reply listed = connection_.read({"ZRANGE", list, "0", "-1"});
  std::vector<std::string> macs;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const std::string_view mac = listed.at(i).text().value_or("");
    if (mac != except) macs.emplace_back(mac);
  }
  for (const std::string& mac : macs) connection_.send({"DEL", keys::session(mac)});
  // As in of(), the entry of a session that does not exist stays.
  std::vector<std::string_view> ended{"ZREM", list};
  for (const std::string& mac : macs) {
    if (connection_.receive().integer() > 0) ended.push_back(mac);
  }
  if (ended.size() > 2) {
    connection_.send(ended);
    connection_.receive();
  }
  return static_cast<std::int64_t>(ended.size()) - 2;
}

}  // namespace svc::redis
