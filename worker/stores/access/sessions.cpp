#include "stores/access/sessions.h"

#include <algorithm>
#include <utility>

#include "base/hex.h"
#include "loop/all.h"
#include "stores/access/sessions.lua.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

constexpr std::string_view kLabel = "session";
constexpr std::size_t kSecretBytes = 32;
// s; not every request writes last_seen
constexpr std::int64_t kSeenEvery = 60;

}  // namespace

Sessions::Sessions(redis::Store& store, const base::KeyRing& keys, base::Entropy& entropy,
                   const base::WallClock& clock, SessionLifetimes lifetimes)
    : store_(store), keys_(keys), entropy_(entropy), clock_(clock), lifetimes_(lifetimes) {}

loop::Task<std::optional<login::Session>> Sessions::look(std::string mac, bool seen) {
  functions::FindSession find{.session = keys::session(mac),
                              .now = clock_.now(),
                              .idle = lifetimes_.idle,
                              .longest = lifetimes_.longest,
                              .seen_every = seen ? std::min(kSeenEvery, lifetimes_.idle / 10) : -1};
  const redis::Reply reply = co_await or_absent(store_.call(std::move(find)));
  if (reply.size() < 7) co_return std::nullopt;
  login::Session session;
  session.id = std::move(mac);
  session.contact = {reply.at(0).number()};
  session.created = reply.at(1).number();
  session.last_seen = reply.at(2).number();
  session.password_given = reply.at(3).number();
  session.address = reply.at(4).text().value_or("");
  session.password = reply.at(5).text().value_or("");
  session.browser = reply.at(6).text().value_or("");
  co_return session;
}

loop::Task<std::optional<login::Session>> Sessions::find(std::string_view secret) {
  const std::vector<std::string> macs = keys_.macs(kLabel, secret);
  for (const std::string& mac : macs) {
    std::optional<login::Session> session = co_await look(mac, true);
    if (session) co_return session;
  }
  co_return std::nullopt;
}

// Add the session to the contact's set first. An entry without a session is
// ignored, but a session must be in the set to be ended from another browser.
loop::Task<std::string> Sessions::begin(media::ContactId contact, std::string_view address,
                                        std::string_view password, std::string_view browser) {
  std::string random(kSecretBytes, '\0');
  entropy_.fill({reinterpret_cast<unsigned char*>(random.data()), random.size()});
  const std::string secret = base::to_hex(random);
  const std::string mac = keys_.mac(kLabel, secret);
  const std::int64_t now = clock_.now();
  functions::ListSession listing{.sessions = keys::contact_sessions(contact),
                                 .mac = mac,
                                 .now = now,
                                 .longest = lifetimes_.longest};
  const redis::Reply over = co_await store_.call(std::move(listing));
  redis::Store::Calls ending(store_);
  for (std::size_t i = 0; i < over.size(); ++i)
    ending.command({"DEL", keys::session(over.at(i).text().value_or(""))});
  while (ending.left() > 0) co_await ending.next();
  functions::BeginSession session{.session = keys::session(mac),
                                  .seconds = std::min(lifetimes_.idle, lifetimes_.longest),
                                  .now = now,
                                  .contact = contact.value(),
                                  .address = address,
                                  .password = password,
                                  .browser = browser};
  co_await store_.call(std::move(session));
  co_return secret;
}

loop::Task<> Sessions::password_was_given(const login::Session& session) {
  functions::NotePassword given{.session = keys::session(session.id), .now = clock_.now()};
  co_await store_.call(std::move(given));
}

// Remove it from the set last, for the same reason.
loop::Task<> Sessions::end(const login::Session& session) {
  redis::Store::Call ending = store_.command({"DEL", keys::session(session.id)});
  co_await ending;
  redis::Store::Call taking_out =
      store_.command({"ZREM", keys::contact_sessions(session.contact), session.id});
  co_await taking_out;
}

loop::Task<std::vector<login::Session>> Sessions::of(media::ContactId contact) {
  redis::Store::Call listing =
      store_.read({"ZRANGE", keys::contact_sessions(contact), "0", "-1", "REV"});
  const redis::Reply macs = co_await listing;
  std::vector<loop::Task<std::optional<login::Session>>> looks;
  for (std::size_t i = 0; i < macs.size(); ++i)
    looks.push_back(look(std::string(macs.at(i).text().value_or("")), false));
  std::vector<std::optional<login::Session>> looked = co_await loop::all(std::move(looks));
  std::vector<login::Session> found;
  for (std::optional<login::Session>& session : looked) {
    // Keep an entry without a session: begin() may be about to write the
    // session.
    if (session) found.push_back(std::move(*session));
  }
  co_return found;
}

loop::Task<> Sessions::end_others(const login::Session& keep) {
  co_await end_listed(keep.contact, keep.id);
}

loop::Task<std::int64_t> Sessions::end_all(media::ContactId contact) {
  co_return co_await end_listed(contact, "");
}

loop::Task<std::int64_t> Sessions::end_listed(media::ContactId contact, std::string_view except) {
  const std::string list = keys::contact_sessions(contact);
  redis::Store::Call listing = store_.read({"ZRANGE", list, "0", "-1"});
  const redis::Reply listed = co_await listing;
  std::vector<std::string_view> macs;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const std::string_view mac = listed.at(i).text().value_or("");
    if (mac != except) macs.push_back(mac);
  }
  redis::Store::Calls ending(store_);
  for (const std::string_view mac : macs) ending.command({"DEL", keys::session(mac)});
  // As in of(), keep the entry of a session that does not exist.
  std::vector<std::string_view> ended{"ZREM", list};
  for (const std::string_view mac : macs) {
    const redis::Reply reply = co_await ending.next();
    if (reply.integer() > 0) ended.push_back(mac);
  }
  if (ended.size() > 2) {
    redis::Store::Call taking_out = store_.command(ended);
    co_await taking_out;
  }
  co_return static_cast<std::int64_t>(ended.size()) - 2;
}

}  // namespace svc::stores
