#include "stores/access/grants.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>

#include "base/hex.h"
#include "loop/all.h"
#include "oauth/redirect_uri.h"
#include "oauth/token_family.h"
#include "oauth/transaction.h"
#include "stores/access/grants.lua.h"
#include "stores/access/stored_family.h"
#include "stores/access/stored_token.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

using functions::kFamilyField;
using functions::kForEver;
using oauth::TokenKind;

constexpr std::int64_t kKeepGrant = 400 * 86'400;
constexpr std::int64_t kRenewGrant = 86'400;  // rotations set a grant's time to live once a day
constexpr std::int64_t kKeepSpentCode = 600;
constexpr std::int64_t kNoteUseEvery = 60;
constexpr std::size_t kMostNoted = 4096;  // about 0.1 KB each
constexpr int kIssueTries = 5;
constexpr std::size_t kMostReopening = 1000;  // per worker
constexpr base::Duration kReopenAgain = std::chrono::milliseconds(100);
constexpr base::Duration kReopenSeldom = std::chrono::milliseconds(500);
// Per grant. More than any client has under way for one user.
constexpr std::int64_t kMostLiveCodes = 20;
// Per grant: installations of one application by one user.
constexpr std::int64_t kMostFamilies = 50;

// A grant's access tokens are one stream: one entry per token, one line per
// field. One XADD adds a token, trims the stream to the maximum number of live
// tokens and returns the entry's id, the token's place.
//
// A token is valid only if its generation is the grant's. So refresh() can XADD
// without reading the grant again: a token that is added after a revocation has
// the old generation, and if the revocation deleted the stream, NOMKSTREAM adds
// nothing.
//
// A function that adds a token sets the stream's time to live to the token's
// lifetime plus kStreamOutlives (s). For the next kRenewStream s, refresh()
// only uses XADD: the stream still outlives its newest token by kStreamOutlives
// - kRenewStream. Later, a function renews all times.
constexpr std::int64_t kStreamOutlives = 120;
constexpr std::int64_t kRenewStream = 60;

std::string text_of(std::int64_t number) { return std::to_string(number); }

// Whether a function has set the times of this family's grant and stream less than kRenewStream
// ago: the first rotation in each such part of its life does.
bool is_soon(const StoredFamily& family, std::int64_t now) {
  const auto part = [&](std::int64_t time) { return (time - family.began) / kRenewStream; };
  return now >= family.used && part(now) == part(family.used);
}

std::string family_field(std::string_view family) {
  return std::string(kFamilyField) + std::string(family);
}
// The prefix of the keys of its families' access tokens.
std::string access_of_family(const oauth::GrantId& grant) { return keys::access(grant) + ":"; }

functions::EndGrant end_of(const oauth::GrantId& grant) {
  return {.grant = keys::grant(grant),
          .access = keys::access(grant),
          .used = keys::grant_used(grant),
          .refreshes = keys::refresh(grant, ""),
          .families = access_of_family(grant)};
}

std::string key_of(const oauth::GrantList& list) {
  if (const auto* contact = std::get_if<media::ContactId>(&list))
    return keys::contact_grants(*contact);
  if (const auto* client = std::get_if<oauth::ClientId>(&list)) return keys::client_grants(*client);
  return keys::account_grants(std::get<media::AccountId>(list));
}

// A list contains a grant of another contact, client or account only if the
// store was edited by other software.
bool is_in(const oauth::GrantList& list, const oauth::Grant& grant) {
  if (const auto* contact = std::get_if<media::ContactId>(&list)) return grant.contact == *contact;
  if (const auto* client = std::get_if<oauth::ClientId>(&list)) return grant.client == *client;
  return grant.account == std::get<media::AccountId>(list);
}

// The list is all that is known of it.
oauth::Grant unreadable_in(const oauth::GrantList& list, oauth::GrantId id) {
  oauth::Grant grant{std::move(id), {}, {}, {}, {}, 0, {}, 0, 0};
  grant.is_unreadable = true;
  if (const auto* contact = std::get_if<media::ContactId>(&list)) grant.contact = *contact;
  if (const auto* client = std::get_if<oauth::ClientId>(&list)) grant.client = *client;
  if (const auto* account = std::get_if<media::AccountId>(&list)) grant.account = *account;
  return grant;
}

// Returns the keys of the lists that may contain the grant, from the reply of
// end_grant; empty if the grant did not exist.
std::vector<std::string> lists_in(const redis::ReplyView& ended) {
  if (field(ended, 1).empty()) return {};
  return {keys::contact_grants({to_number(field(ended, 1))}),
          keys::client_grants({std::string(field(ended, 2))}),
          keys::account_grants({to_number(field(ended, 3))})};
}

redis::Store::Call read_state(redis::Store& store, const oauth::GrantId& grant) {
  return store.read(
      {"HMGET", keys::grant(grant), "generation", "refresh", "consent", "access_until"});
}

bool is_over(const oauth::Issued& issued, std::int64_t now) {
  return issued.expires != 0 && issued.expires <= now;
}

}  // namespace

Grants::Grants(redis::Store& state, redis::Store& catalog, const base::KeyRing& keys,
               const oauth::Limits& limits, const base::WallClock& clock, base::Entropy& entropy,
               loop::Loop* loop)
    : store_(state),
      catalog_(catalog),
      keys_(keys),
      limits_(limits),
      keep_grant_(limits.refresh_idle == 0 ? kForEver
                                           : std::max({kKeepGrant, limits.refresh_idle,
                                                       limits.public_refresh_idle + kRenewGrant})),
      clock_(clock),
      entropy_(entropy),
      loop_(loop) {
  if (loop_ != nullptr) later_.emplace(*loop_);
}

std::vector<std::string> Grants::macs_of(const oauth::Token& token) const {
  return keys_.macs(token.label(), token.text);
}

std::string Grants::random_name() {
  std::array<unsigned char, 16> bytes{};
  entropy_.fill(bytes);
  return base::to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

loop::Task<std::optional<oauth::AuthorizationCode>> Grants::find_code(const oauth::Token& code) {
  const auto macs = macs_of(code);
  redis::Store::Call call = read_token(store_, code, key_of(code, macs.front()));
  redis::Store::Call state_call = read_state(store_, code.grant);
  redis::Reply reply = co_await call;
  std::size_t at = 0;
  while (!StoredToken::in(reply).is_of(code, macs[at])) {
    if (++at == macs.size()) co_return std::nullopt;
    redis::Store::Call next = read_token(store_, code, key_of(code, macs[at]));
    reply = co_await next;
  }
  const StoredToken stored = StoredToken::in(reply);
  const redis::Reply state = co_await state_call;
  // A code of a grant that ended is not found. So repeated reuse of a spent
  // code does not end a later grant.
  if (field(state, 2) != stored.consent) co_return std::nullopt;
  oauth::AuthorizationCode record;
  record.issued = stored.read(key_of(code, macs[at]));
  record.issued.storage.mac = macs[at];
  record.redirect_uri = stored.redirect_uri;
  record.code_challenge = stored.challenge;
  record.consent = stored.consent;
  record.spent = stored.spent;
  record.refreshes = stored.refreshes;
  // Redis expires the code too. This check also holds if its clock lags.
  if (!stored.spent && record.issued.expires <= clock_.now()) co_return std::nullopt;
  co_return record;
}

loop::Task<oauth::Redemption> Grants::redeem(const oauth::Token& code,
                                             const oauth::AuthorizationCode& record,
                                             std::string_view request_id, oauth::Token& access,
                                             const oauth::Token& refresh) {
  const std::int64_t now = clock_.now();
  const std::string refresh_mac = macs_of(refresh).front();
  const bool is_family = refresh.is_of_family();
  const std::string asked =
      record.narrowed ? oauth::Access(record.issued.scopes, *record.narrowed).to_text() : "";
  const std::string code_key = keys::code(code.grant, record.issued.storage.mac);
  const std::string access_mac = macs_of(access).front();
  auto run =
      is_family
          ? store_.call(functions::RedeemFamilyCode{.grant = keys::grant(code.grant),
                                                    .code = code_key,
                                                    .access = key_of(access, ""),
                                                    .families = access_of_family(code.grant),
                                                    .now = now,
                                                    .request = request_id,
                                                    .access_mac = access_mac,
                                                    .access_seconds = limits_.access,
                                                    .field = family_field(access.family),
                                                    .idle_seconds = limits_.public_refresh_idle,
                                                    .lifetime = limits_.public_refresh_lifetime,
                                                    .most_families = kMostFamilies,
                                                    .most_tokens = limits_.live_access_tokens,
                                                    .keep_code = kKeepSpentCode,
                                                    .keep_grant = keep_grant_,
                                                    .keep_access = limits_.access + kStreamOutlives,
                                                    .asked = asked},
                        redis::Durability::Replicated)
          : store_.call(functions::RedeemCode{.grant = keys::grant(code.grant),
                                              .code = code_key,
                                              .access = keys::access(code.grant),
                                              .refresh = keys::refresh(code.grant, refresh_mac),
                                              .refreshes = keys::refresh(code.grant, ""),
                                              .now = now,
                                              .request = request_id,
                                              .access_mac = access_mac,
                                              .access_seconds = limits_.access,
                                              .refresh_mac = refresh_mac,
                                              .idle_seconds = limits_.refresh_idle,
                                              .most_tokens = limits_.live_access_tokens,
                                              .keep_code = kKeepSpentCode,
                                              .keep_grant = keep_grant_,
                                              .keep_access = limits_.access + kStreamOutlives,
                                              .access_until = now + limits_.access + kRenewStream,
                                              .asked = asked},
                        redis::Durability::Replicated);
  std::optional<redis::Reply> reply;
  std::exception_ptr failure;
  bool does_reply = true;
  try {
    reply = co_await run;
  } catch (const redis::ErrorReply&) {
    throw;
  } catch (const redis::NotReplicated&) {
    failure = std::current_exception();
  } catch (const base::Unavailable&) {
    failure = std::current_exception();
    does_reply = false;
  }
  if (failure) {
    // The client does not receive the tokens, so its next try must not count as a
    // second use. Without an id, another request could have spent the code.
    if (!request_id.empty()) {
      const functions::ReopenCode again{.grant = keys::grant(code.grant),
                                        .code = code_key,
                                        .access = key_of(access, ""),
                                        .request = request_id,
                                        .access_mac = access_mac};
      bool is_open = false;
      if (does_reply) {
        is_open = co_await reopen(again);
      }
      if (!is_open && later_ && reopening_ < kMostReopening)
        later_->spawn(reopen_later(again, record.issued.expires));
    }
    std::rethrow_exception(failure);
  }
  const std::string_view outcome = field(*reply, 0);
  access.place = place_in(field(*reply, 1));
  if (outcome == "redeemed") co_return oauth::Redemption::Redeemed;
  if (outcome == "used") co_return oauth::Redemption::AlreadyUsed;
  co_return oauth::Redemption::Gone;
}

// Returns false if the store does not reply, or refuses.
loop::Task<bool> Grants::reopen(functions::ReopenCode run) {
  auto opening = store_.call(std::move(run));
  try {
    co_await opening;
  } catch (const base::Unavailable&) {
    co_return false;
  }
  co_return true;
}

// `until`: when the code expires.
loop::Task<> Grants::reopen_later(functions::ReopenCode run, std::int64_t until) {
  ++reopening_;
  base::Duration wait = kReopenAgain;
  for (bool is_open = false; !is_open; wait = std::min(2 * wait, kReopenSeldom)) {
    loop::Sleep sleep(*loop_, loop_->clock().now() + wait);
    co_await sleep;
    if (clock_.now() >= until) break;
    is_open = co_await reopen(run);
  }
  --reopening_;
}

loop::Task<std::optional<oauth::Issued>> Grants::find_token(const oauth::Token& token) {
  if (token.kind == TokenKind::Access) return find_access_token(token);
  if (token.is_of_family()) return find_family_token(token);
  return find_refresh_token(token);
}

// A host that is taken off the list ends the tokens of its clients. oauth-M5
bool Grants::is_allowed(const oauth::ClientId& client) const {
  return !oauth::is_document_url(client.value()) ||
         !oauth::why_not_document_url(client.value(), limits_.documents);
}

// Does not check for ending applications: a refresh requires client
// authentication, which fails for them.
loop::Task<std::optional<oauth::Issued>> Grants::find_refresh_token(const oauth::Token& token) {
  const auto macs = macs_of(token);
  redis::Store::Call call = read_token(store_, token, key_of(token, macs.front()));
  redis::Store::Call state_call = read_state(store_, token.grant);
  redis::Reply reply = co_await call;
  std::size_t at = 0;
  while (!StoredToken::in(reply).is_of(token, macs[at])) {
    if (++at == macs.size()) co_return std::nullopt;
    redis::Store::Call next = read_token(store_, token, key_of(token, macs[at]));
    reply = co_await next;
  }
  const StoredToken stored = StoredToken::in(reply);
  const redis::Reply state = co_await state_call;
  if (field(state, 0) != stored.generation) co_return std::nullopt;
  if (field(state, 1) != macs[at]) co_return std::nullopt;
  oauth::Issued issued = stored.read(key_of(token, macs[at]));
  issued.storage = {macs[at], std::string(stored.generation), to_number(field(state, 3))};
  if (is_over(issued, clock_.now())) co_return std::nullopt;
  co_return issued;
}

// The token proves itself, so only its family is read. Ending applications: as above.
loop::Task<std::optional<oauth::Issued>> Grants::find_family_token(const oauth::Token& token) {
  auto family = oauth::family_of(token, keys_);
  if (!family) co_return std::nullopt;
  const std::string key = keys::grant(token.grant);
  redis::Store::Call call = store_.read({"HMGET", key, "generation", "client", "contact", "account",
                                         family_field(family->name), "turn"});
  const redis::Reply fields = co_await call;
  const auto stored = StoredFamily::in(field(fields, 4));
  if (!stored) co_return std::nullopt;
  oauth::Issued issued{{std::string(field(fields, 1))},
                       {to_number(field(fields, 2))},
                       {to_number(field(fields, 3))},
                       {},
                       stored->began,
                       stored->expires(limits_)};
  oauth::Access granted = read_access(key, stored->granted);
  issued.scopes = granted.scopes;
  issued.resources = std::move(granted.resources);
  issued.family = std::move(family);
  issued.used = token.place <= stored->position;
  issued.storage.generation = field(fields, 0);
  if (stored->turn == field(fields, 5)) issued.storage.family = field(fields, 4);
  if (!is_allowed(issued.client)) co_return std::nullopt;
  if (issued.holder() != token.holder || is_over(issued, clock_.now())) co_return std::nullopt;
  co_return issued;
}

loop::Task<std::optional<oauth::Issued>> Grants::find_access_token(const oauth::Token& token) {
  const std::string key = key_of(token, "");
  redis::Store::Call call = read_token(store_, token, key);
  redis::Store::Call generation_call =
      store_.read({"HGET", keys::grant(token.grant), "generation"});
  const bool is_noted = is_use_noted(token.grant);
  redis::Store::Calls used(store_);
  if (!is_noted) used.get(keys::grant_used(token.grant));
  redis::Store::Call ending_call = catalog_.read({"ZRANGE", keys::kEndingClients, "0", "-1"});
  const redis::Reply reply = co_await call;
  const StoredToken stored = StoredToken::in(reply);
  const auto macs = macs_of(token);
  if (std::ranges::none_of(macs, [&](const std::string& mac) { return stored.is_of(token, mac); }))
    co_return std::nullopt;
  const redis::Reply generation = co_await generation_call;
  if (generation.text() != stored.generation) co_return std::nullopt;
  oauth::Issued issued = stored.read(key);
  if (is_over(issued, clock_.now()) || !is_allowed(issued.client)) co_return std::nullopt;
  bool is_known = true;
  try {
    const redis::Reply ending = co_await ending_call;
    for (std::size_t i = 0; i < ending.size(); ++i) {
      if (field(ending, i) == issued.client.value()) co_return std::nullopt;
    }
  } catch (const redis::WrongValue&) {
    is_known = false;
  }
  if (!is_known) {
    const bool exists = co_await is_registered(issued.client);
    if (!exists) co_return std::nullopt;
  }
  if (!is_noted) {
    const redis::Reply last = co_await OrAbsent{used.next()};
    const bool noted = co_await note_use(token.grant, issued, last.number());
    if (!noted) co_return std::nullopt;
  }
  co_return issued;
}

// Returns true if the store has the time of a recent use, as this worker knows.
bool Grants::is_use_noted(const oauth::GrantId& grant) const {
  const auto at = noted_.find(grant.value());
  return at != noted_.end() && clock_.now() - at->second < kNoteUseEvery;
}

loop::Task<bool> Grants::is_registered(const oauth::ClientId& client) {
  if (oauth::is_document_url(client.value())) co_return true;
  redis::Store::Call call = catalog_.read({"EXISTS", keys::client(client)});
  const redis::Reply exists = co_await call;
  co_return exists.integer() != 0;
}

// Records the time of last use at most once per kNoteUseEvery (60 s), instead
// of one write per request. Returns false if the application's record is
// deleted, which is checked at most as often: a grant that was in no list when
// its application was deleted ends here.
loop::Task<bool> Grants::note_use(const oauth::GrantId& grant, const oauth::Issued& issued,
                                  std::int64_t before) {
  const std::int64_t now = clock_.now();
  if (noted_.size() >= kMostNoted) noted_.clear();
  noted_[grant.value()] = before;
  if (now - before < kNoteUseEvery) co_return true;
  if (before != 0) {
    const bool exists = co_await is_registered(issued.client);
    if (!exists) co_return false;
  }
  store_.send_and_forget(
      {"SET", keys::grant_used(grant), text_of(now), "EX", text_of(keep_grant_)});
  list(grant, issued, now);
  noted_[grant.value()] = now;
  co_return true;
}

// The lists of grants, by time of last use. Removes entries that were not used
// for keep_grant_: their grants have expired.
void Grants::list(const oauth::GrantId& grant, const oauth::Issued& issued, std::int64_t now) {
  if (!issued.person()) return;  // what no contact granted no contact ends
  for (const std::string& index :
       {keys::contact_grants(issued.contact), keys::client_grants(issued.client),
        keys::account_grants(issued.account)}) {
    store_.send_and_forget({"ZADD", index, text_of(now), grant.value()});
    store_.send_and_forget({"ZREMRANGEBYSCORE", index, "-inf", text_of(now - keep_grant_)});
    store_.send_and_forget({"EXPIRE", index, text_of(keep_grant_)});
  }
}

// A rotation soon after another one writes only the access token and the family's record. The times
// of last use and to live may be kRenewStream (60 s) old, as in refresh().
loop::Task<oauth::Rotation> Grants::rotate(const oauth::Token& refresh, const oauth::Issued& record,
                                           const oauth::Access& asked, oauth::Token& access) {
  using Outcome = oauth::Rotation::Outcome;
  const oauth::StorageState& state = record.storage;
  const std::int64_t now = clock_.now();
  oauth::Issued issued{record.client, record.contact,      record.account, asked.scopes,
                       now,           now + limits_.access};
  issued.resources = asked.resources;
  const std::string family = family_field(record.family->name);
  const std::string lines =
      to_lines(TokenKind::Access, refresh.grant, state.generation, issued, macs_of(access).front());
  const auto stored = StoredFamily::in(state.family);
  if (stored && refresh.place == stored->position + 1 && is_soon(*stored, now)) {
    const std::uint64_t place = stored->place + 1;
    functions::RotateFamilySoon soon{.grant = keys::grant(refresh.grant),
                                     .access = key_of(access, ""),
                                     .field = family,
                                     .before = state.family,
                                     .after = stored->rotated(refresh.place, now, asked.to_text()),
                                     .most_tokens = limits_.live_access_tokens,
                                     .entry = entry_id(place),
                                     .token = lines};
    const redis::Reply reply = co_await store_.call(std::move(soon), redis::Durability::Replicated);
    access.place = place;
    if (reply.integer() == 1) co_return oauth::Rotation{Outcome::Rotated, now};
  }
  functions::RotateFamily next{.grant = keys::grant(refresh.grant),
                               .access = key_of(access, ""),
                               .generation = state.generation,
                               .field = family,
                               .position = refresh.place,
                               .now = now,
                               .repeat_seconds = oauth::kRepeatsRefresh,
                               .asked = asked.to_text(),
                               .most_tokens = limits_.live_access_tokens,
                               .token = lines,
                               .keep_access = limits_.access + kStreamOutlives,
                               .keep_grant = keep_grant_,
                               .renew_grant = kRenewGrant};
  const redis::Reply reply = co_await store_.call(std::move(next), redis::Durability::Replicated);
  access.place = place_in(field(reply, 1));
  const std::string_view outcome = field(reply, 0);
  co_return oauth::Rotation{outcome == "rotated"  ? Outcome::Rotated
                            : outcome == "again"  ? Outcome::Again
                            : outcome == "reused" ? Outcome::Reused
                                                  : Outcome::Gone,
                            to_number(field(reply, 2))};
}

// find_token() has read the state of the refresh token: `record` contains it.
loop::Task<bool> Grants::refresh(const oauth::Token& refresh, const oauth::Issued& record,
                                 const oauth::Access& asked, oauth::Token& access) {
  const oauth::StorageState& state = record.storage;
  const std::int64_t now = clock_.now();
  const std::int64_t idle = limits_.refresh_idle;
  const std::int64_t expires = idle > 0 ? now + idle : 0;
  oauth::Issued issued{record.client, record.contact,      record.account, asked.scopes,
                       now,           now + limits_.access};
  issued.resources = asked.resources;
  const std::string lines =
      to_lines(TokenKind::Access, refresh.grant, state.generation, issued, macs_of(access).front());
  const std::int64_t until = now + limits_.access + kRenewStream;
  // The stored last use may be kRenewStream (60 s) old, and the refresh token's
  // expiry wrong by a thousandth of the idle time. So a client that refreshes
  // often writes only its new tokens.
  const std::int64_t due = until - state.access_until;
  if (due >= 0 && due <= kRenewStream && std::abs(expires - record.expires) <= idle / 1000) {
    access.place = co_await add_access_token(refresh.grant, lines);
    if (access.place != 0) co_return true;
    // The tokens were revoked, the stream has expired, or no reply came. The
    // function checks the grant again.
  }
  oauth::Issued renewed = record;
  renewed.expires = expires;
  functions::RefreshToken run{
      .grant = keys::grant(refresh.grant),
      .access = keys::access(refresh.grant),
      .refresh = keys::refresh(refresh.grant, state.mac),
      .generation = state.generation,
      .refresh_mac = state.mac,
      .most_tokens = limits_.live_access_tokens,
      .token = lines,
      .keep_access = limits_.access + kStreamOutlives,
      .access_until = until,
      .renewed = to_lines(TokenKind::Refresh, refresh.grant, state.generation, renewed),
      .keep_refresh = idle > 0 ? idle : kForEver,
      .now = now,
      .keep_grant = keep_grant_};
  const redis::Reply reply = co_await store_.call(std::move(run), redis::Durability::Replicated);
  access.place = place_in(reply.text().value_or(""));
  co_return access.place != 0;
}

// Returns the token's place. Returns 0 if the stream does not exist, or if no
// reply came: then the token may have been added, once or twice. If refresh()
// adds it again, the last place is the token's.
loop::Task<std::uint64_t> Grants::add_access_token(const oauth::GrantId& grant,
                                                   const std::string& lines) {
  const std::string key = keys::access(grant);
  const std::string most = text_of(limits_.live_access_tokens);
  const std::array<std::string_view, 8> words{"XADD", key,   "NOMKSTREAM", "MAXLEN",
                                              most,   "0-*", "token",      lines};
  redis::Store::Call call = store_.repeatable(words, redis::Durability::Replicated);
  try {
    const redis::Reply reply = co_await call;
    co_return place_in(reply.text().value_or(""));
  } catch (const redis::ErrorReply&) {
    throw;
  } catch (const redis::NotReplicated&) {
    throw;
  } catch (const base::Unavailable&) {
    co_return 0;
  }
}

loop::Task<> Grants::end_family(const oauth::Token& token) {
  std::string name = token.family;
  std::vector<std::string> macs{""};
  if (token.kind == TokenKind::Access) {
    macs = macs_of(token);
  } else {
    const auto family = oauth::family_of(token, keys_);
    if (!family) co_return;
    name = family->name;
  }
  for (const std::string& mac : macs) {
    functions::EndFamily run{.grant = keys::grant(token.grant),
                             .access = keys::access(token.grant, name),
                             .field = family_field(name),
                             .entry = token.kind == TokenKind::Access ? entry_id(token.place) : "",
                             .mac = mac};
    const redis::Reply reply = co_await store_.call(std::move(run), redis::Durability::Replicated);
    if (reply.integer() == 1) co_return;
  }
}

loop::Task<> Grants::issue_own(oauth::Token& access, const oauth::Issued& issued) {
  functions::IssueOwnToken run{.grant = keys::grant(access.grant),
                               .access = keys::access(access.grant),
                               .new_generation = random_name(),
                               .client = issued.client.value(),
                               .account = issued.account.value(),
                               .now = issued.issued,
                               .keep_grant = keep_grant_,
                               .most_tokens = limits_.live_access_tokens,
                               .opens = issued.access().to_text(),
                               .expires = issued.expires,
                               .mac = macs_of(access).front(),
                               .keep_access = limits_.access + kStreamOutlives};
  const redis::Reply reply = co_await store_.call(std::move(run), redis::Durability::Replicated);
  access.place = place_in(reply.text().value_or(""));
}

loop::Task<> Grants::end_own(const oauth::Token& token) {
  for (const std::string& mac : macs_of(token)) {
    functions::EndOwnToken run{
        .access = keys::access(token.grant), .entry = entry_id(token.place), .mac = mac};
    const redis::Reply reply = co_await store_.call(std::move(run), redis::Durability::Replicated);
    if (reply.integer() == 1) co_return;
  }
}

loop::Task<> Grants::revoke_tokens(const oauth::Token& token) {
  if (token.holder && !token.holder->has_contact()) {
    co_await end_own(token);
    co_return;
  }
  if (token.is_of_family()) {
    co_await end_family(token);
    co_return;
  }
  for (const std::string& mac : macs_of(token)) {
    functions::RevokeTokens run{
        .grant = keys::grant(token.grant),
        .access = keys::access(token.grant),
        .refresh = keys::refresh(token.grant, mac),
        .refreshes = keys::refresh(token.grant, ""),
        .new_generation = random_name(),
        .entry = token.kind == TokenKind::Access ? entry_id(token.place) : "",
        .mac = mac};
    const redis::Reply reply = co_await store_.call(std::move(run), redis::Durability::Replicated);
    if (reply.integer() == 1) co_return;
  }
}

// A WAIT is about everything that the primary executed before it, so a read is enough.
loop::Task<> Grants::confirm(const oauth::Token& token) {
  if (!store_.waits_for_replicas()) co_return;
  const std::string key = keys::grant(token.grant);
  const std::array<std::string_view, 3> words{"HGET", key, "generation"};
  redis::Store::Call call = store_.repeatable(words, redis::Durability::Replicated);
  co_await call;
}

loop::Task<bool> Grants::end(const oauth::GrantId& grant) {
  functions::EndGrant run = end_of(grant);
  const redis::Reply ended = co_await store_.call(std::move(run), redis::Durability::Replicated);
  for (const std::string& list : lists_in(ended))
    store_.send_and_forget({"ZREM", list, grant.value()});
  co_return ended.at(0).integer() == 1;
}

loop::Task<std::optional<oauth::Grant>> Grants::find_grant(const oauth::GrantId& id) {
  const std::string key = keys::grant(id);
  redis::Store::Call fields_call =
      store_.read({"HMGET", key, "contact", "account", "client", "scopes", "permission_version",
                   "consent", "created", "last_used"});
  redis::Store::Call used_call = store_.get(keys::grant_used(id));
  const redis::Reply fields = co_await RecordRead{fields_call, key};
  const redis::Reply used = co_await OrAbsent{used_call};
  if (field(fields, 5).empty()) co_return std::nullopt;
  oauth::Access allowed = listed_access(key, field(fields, 3));
  co_return oauth::Grant{id,
                         {to_number(field(fields, 0))},
                         {to_number(field(fields, 1))},
                         {std::string(field(fields, 2))},
                         allowed.scopes,
                         to_number(field(fields, 4)),
                         std::string(field(fields, 5)),
                         to_number(field(fields, 6)),
                         std::max(to_number(field(fields, 7)), used.number()),
                         std::move(allowed.resources)};
}

loop::Task<oauth::CodeIssue> Grants::issue_code(const oauth::Token& code,
                                                const oauth::AuthorizationCode& record,
                                                bool consented, std::int64_t permission_version) {
  const oauth::Issued& issued = record.issued;
  for (int tries = 0; tries < kIssueTries; ++tries) {
    std::string expected = record.consent;
    oauth::Access allowed = issued.access();
    if (consented) {
      // Keep what was allowed before, unless the application's permissions
      // have changed since.
      const auto grant = co_await find_grant(code.grant);
      expected = grant ? grant->consent : "";
      if (grant && grant->permission_version == permission_version) {
        allowed.scopes.add(grant->scopes);
        allowed.resources = oauth::joined(grant->resources, issued.resources);
      }
    }
    const std::int64_t now = clock_.now();
    const std::string mac = macs_of(code).front();
    functions::IssueCode run{.grant = keys::grant(code.grant),
                             .code = keys::code(code.grant, mac),
                             .codes_of_grant = keys::codes(code.grant),
                             .codes = keys::code(code.grant, ""),
                             .consented = consented ? "1" : "0",
                             .expected = expected,
                             .new_consent = random_name(),
                             .new_generation = random_name(),
                             .now = now,
                             .code_seconds = limits_.code,
                             .keep_grant = keep_grant_,
                             .client = issued.client.value(),
                             .contact = issued.contact.value(),
                             .account = issued.account.value(),
                             .allowed = allowed.to_text(),
                             .permission_version = permission_version,
                             .opens = issued.access().to_text(),
                             .redirect_uri = oauth::to_stored_redirect(record.redirect_uri),
                             .challenge = record.code_challenge,
                             .mac = mac,
                             .most_codes = kMostLiveCodes,
                             .refreshes = record.refreshes ? "" : "no"};
    const redis::Reply reply = co_await store_.call(std::move(run), redis::Durability::Replicated);
    const std::string_view outcome = reply.text().value_or("");
    if (outcome == "spent") co_return oauth::CodeIssue::Spent;
    if (outcome == "before") {
      list(code.grant, issued, now);  // the worker that issued it may have died before this
      co_return oauth::CodeIssue::IssuedBefore;
    }
    if (outcome == "issued" || outcome == "unchanged") {
      list(code.grant, issued, now);
      co_return outcome == "issued" ? oauth::CodeIssue::Issued : oauth::CodeIssue::IssuedUnchanged;
    }
    if (!consented) break;  // the grant that the caller read has ended
  }
  co_return oauth::CodeIssue::Changed;
}

loop::Task<bool> Grants::is_first(std::string_view secret) {
  const std::string lifetime = std::to_string(oauth::Transaction::kLifetime);
  redis::Store::Call call = store_.command(
      {"SET", keys::once(keys_.mac("asked once", secret)), "1", "NX", "EX", lifetime});
  const redis::Reply reply = co_await call;
  co_return reply.text() == "OK";
}

loop::Task<std::optional<oauth::Grant>> Grants::find_listed(oauth::GrantList list,
                                                            oauth::GrantId id) {
  bool is_unreadable = false;
  std::optional<oauth::Grant> grant;
  try {
    grant = co_await find_grant(id);
  } catch (const base::Unreadable&) {
    is_unreadable = true;
  }
  if (is_unreadable) co_return unreadable_in(list, std::move(id));
  if (!grant || !is_in(list, *grant)) co_return std::nullopt;
  co_return grant;
}

loop::Task<std::optional<oauth::Grant>> Grants::find_in(const oauth::GrantList& list,
                                                        const oauth::GrantId& id) {
  std::optional<oauth::Grant> grant = co_await find_listed(list, id);
  if (!grant || !grant->is_unreadable) co_return grant;
  redis::Store::Call call = store_.read({"ZSCORE", key_of(list), id.value()});
  const redis::Reply score = co_await call;
  if (!score.text()) co_return std::nullopt;
  co_return grant;
}

loop::Task<std::int64_t> Grants::count_grants(const oauth::GrantList& list) {
  redis::Store::Call call = store_.read({"ZCARD", key_of(list)});
  const redis::Reply reply = co_await call;
  co_return reply.integer();
}

loop::Task<oauth::GrantPage> Grants::grants_of(const oauth::GrantList& list, std::int64_t first,
                                               std::int64_t most) {
  const std::string index = key_of(list);
  redis::Store::Call total_call = store_.read({"ZCARD", index});
  redis::Store::Call entries_call = store_.read(
      {"ZRANGE", index, text_of(first), text_of(first + most - 1), "REV", "WITHSCORES"});
  oauth::GrantPage page;
  const redis::Reply total = co_await total_call;
  page.total = total.integer();
  const redis::Reply entries = co_await entries_call;
  std::vector<oauth::GrantId> ids;
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2)
    ids.push_back({std::string(field(entries, i))});
  std::vector<loop::Task<std::optional<oauth::Grant>>> finds;
  for (const oauth::GrantId& id : ids) finds.push_back(find_listed(list, id));
  std::vector<std::optional<oauth::Grant>> grants = co_await loop::all(std::move(finds));
  std::vector<loop::Task<redis::Reply>> gone;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (grants[i]) {
      page.grants.push_back(std::move(*grants[i]));
    } else {
      gone.push_back(store_.call(functions::ForgetGrant{
          .grants = index, .grant = ids[i].value(), .score = field(entries, 2 * i + 1)}));
    }
  }
  page.total -= static_cast<std::int64_t>(gone.size());
  co_await loop::all(std::move(gone));
  co_return page;
}

// End the grants before removing list entries, so that an interrupted step can
// be repeated. An entry without a grant is harmless, but a grant must be in a
// list to be found.
loop::Task<std::int64_t> Grants::end_some(const oauth::GrantList& list, std::int64_t most) {
  const std::string index = key_of(list);
  redis::Store::Call call = store_.read({"ZRANGE", index, "0", text_of(most - 1)});
  const redis::Reply entries = co_await call;
  std::vector<loop::Task<redis::Reply>> runs;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const oauth::GrantId id{std::string(field(entries, i))};
    runs.push_back(store_.call(end_of(id), redis::Durability::Replicated));
  }
  const std::vector<redis::Reply> ended = co_await loop::all(std::move(runs));
  redis::Store::Calls unlist(store_);
  for (std::size_t i = 0; i < ended.size(); ++i) {
    for (const std::string& other : lists_in(ended[i])) {
      if (other != index) unlist.command({"ZREM", other, field(entries, i)});
    }
    unlist.command({"ZREM", index, field(entries, i)});
  }
  while (unlist.left() > 0) co_await unlist.next();
  co_return static_cast<std::int64_t>(ended.size());
}

}  // namespace svc::stores
