// kinds: every kind of key that we write: its Redis, its type, what it holds, its time to live, the
// most that clients can store in it, and which users of Redis may do what with it.
//
// One table. `svcctl catalog kinds` prints it. scripts/derive-rights writes the rules of the users
// from it (systemd/redis-state.acl.in, redis-cache.acl.in). tests/data/stored_formats.txt has an
// example of each, as the code writes it; tests/structure/kinds_test.py compares. keys.h makes the
// names.
//
// <mac> is the HMAC of a token, session or email, never the value itself. The part in braces
// selects the slot in a cluster, so that all keys of one grant or email can change atomically. A
// key whose form ends in <media> or <contact> is deleted with it (owned_kinds.h). Times are seconds
// since 1970 unless said. The catalog is not a cache: its Redis never evicts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "media/account.h"
#include "media/contact.h"
#include "media/media.h"
#include "media/playlist.h"
#include "oauth/client.h"

namespace svc::stores {

// The Redis that has a kind, by the name of its setting. No command and no script has keys of two.
enum class Store : std::uint8_t {
  State,    // redis-state: grants, tokens, sessions, and attempts to get some
  Catalog,  // redis-catalog: all else that must not be lost
  Cache     // redis-cache
};
constexpr std::string_view to_text(Store store) {
  return store == Store::State     ? "redis-state"
         : store == Store::Catalog ? "redis-catalog"
                                   : "redis-cache";
}

// "32 KiB". The gate of records (text/record_gate.h) has the same limit.
template <std::size_t kBytes>
inline constexpr auto kInKib = [] {
  static_assert(kBytes % 1024 == 0 && kBytes / 1024 >= 10 && kBytes / 1024 < 1000);
  std::array<char, 8> text{};
  std::size_t at = 0;
  constexpr std::size_t kKib = kBytes / 1024;
  if (kKib >= 100) text[at++] = static_cast<char>('0' + kKib / 100);
  text[at++] = static_cast<char>('0' + kKib / 10 % 10);
  text[at++] = static_cast<char>('0' + kKib % 10);
  for (const char c : std::string_view(" KiB")) text[at++] = c;
  return text;
}();
template <std::size_t kBytes>
constexpr std::string_view in_kib() {
  return {kInKib<kBytes>.data()};
}

struct Kind {
  std::string_view key;  // its form; its first two parts name the kind
  Store store;
  std::string_view type;  // as TYPE of Redis names it
  std::string_view holds;
  std::string_view lives;    // names of settings, or a time
  std::string_view made_by;  // "operator": no client can make one
  std::string_view largest;  // of the values; Redis takes about 100 bytes more per key
  std::string_view bound;
  // "USER COMMAND…; USER COMMAND…". What a function does
  // with it (functions.py) is more. "set" returns the former value only if the user may "get", too,
  // or as "set/get".
  std::string_view rights;
};

inline constexpr auto kKinds = std::to_array<Kind>({
    // The catalog.
    {"catalog:account:<id>", Store::Catalog, "string", "Account as JSON", "until deleted",
     "operator", in_kib<media::kMaxAccountRecord>(), "as imported",
     "embed get mget exists; grant get; web get; ingest get; keeper get"},
    {"catalog:contact:<id>", Store::Catalog, "string", "Contact as JSON", "until deleted",
     "operator", in_kib<media::kMaxContactRecord>(), "as imported", "grant get; web get"},
    {"catalog:contact_email:<email>", Store::Catalog, "string", "id of the Contact",
     "until deleted", "operator", "as imported", "as imported", "web get"},
    {"catalog:password:<contact>", Store::Catalog, "string",
     "hash of the Contact's password; none: no login", "as the user", "a login, a new password",
     "0.2 KB", "one per user", "web get set"},
    {"catalog:project:<id>", Store::Catalog, "string", "Project as JSON", "until deleted",
     "an application", in_kib<media::kMaxProjectRecord>(), "10 000 per account",
     "grant get exists mget set; web get exists mget set"},
    {"catalog:media:<hashed_id>", Store::Catalog, "string", "Media as JSON",
     "until deleted; a failed one has at most 1 KB after a day, and is deleted after "
     "failed-upload-days",
     "an upload", in_kib<media::kMaxMediaRecord>(),
     "per account uploads-per-account (10 000) and 1 000 that failed; those above 2 KiB together "
     "upload-state-bytes (16 MiB)",
     "embed get mget exists; grant get exists mget set del; web get exists mget set del; ingest "
     "get set exists del; keeper get"},
    {"catalog:captions:<media>", Store::Catalog, "hash",
     "version → text of captions of the media that clients set (stores/catalog/caption_texts.h)",
     "as the captions", "an application",
     "64 texts of 2 MiB each as sent (a film's: 30 KB compressed), and 16 that no record names",
     "caption-bytes-per-account (256 MiB) before compression",
     "embed hget; grant hget hdel del; web hget hdel del; ingest del"},
    {"catalog:captioned:<account>", Store::Catalog, "zset",
     "media with such captions → bytes of their texts", "as the captions", "an application",
     "0.1 KB per media", "as catalog:captions", ""},
    {"catalog:files:<hashed_id>", Store::Catalog, "string",
     "id of the media that has got the folder of this media by a swap",
     "until svc-ingest has deleted the folder", "a swap", "0.1 KB",
     "one per media that was swapped into another one",
     "grant get; web get; ingest get del; keeper get"},
    {"catalog:playlist:<hashed_id>", Store::Catalog, "string", "Playlist as JSON", "until deleted",
     "operator", in_kib<media::kMaxPlaylistRecord>(), "as imported",
     "embed get mget exists; svcctl del"},
    {"catalog:index:{<account>}", Store::Catalog, "hash",
     "numbers of an account: its media and projects, bytes that its limits count, and places of "
     "uploads under way",
     "permanently; svcctl catalog reindex makes it again", "an upload, a list", "0.1 KB",
     "one per account", "grant hmget hget; web hmget hget; ingest hget; keeper hget"},
    {"catalog:directory:{<account>}:<set>", Store::Catalog, "zset",
     "where the blocks of a set begin; all scores 0", "until svcctl catalog reindex makes it again",
     "an upload, a list", "0.1 KB per block", "as catalog:block",
     "grant zrange; web zrange; ingest zrange; keeper zrange; svcctl del"},
    {"catalog:block:{<account>}:<set>:<begin>", Store::Catalog, "string",
     "a block of the set (stores/catalog/index_block.h)",
     "until svcctl catalog reindex makes it again", "an upload, a list",
     "0.2 KB per media (names of 2 KiB: 8 KB)", "as catalog:media",
     "grant get getrange; web get getrange; ingest get; keeper get; svcctl getrange del"},
    {"catalog:unindexed:{<account>}", Store::Catalog, "hash",
     "record that changed → what the index has of it, and what it will have "
     "(stores/catalog/commit.lua)",
     "until a reader has put it into the index", "a change of a record",
     "0.3 KB (names of 2 KiB: 4 KB)", "one per record",
     "grant hget hmget hrandfield; web hget hmget hrandfield; ingest hget hmget hrandfield; keeper "
     "hget hmget hrandfield; svcctl hlen hrandfield"},
    {"catalog:changed:{<account>}", Store::Catalog, "zset",
     "of earlier versions: record whose entries may be out of date → time in µs",
     "until the account is converted", "earlier versions", "0.1 KB", "one per record",
     "grant zrange; web zrange; ingest zrange; keeper zrange"},
    // Applications, grants, codes and tokens. A grant and all below it are in its slot.
    {"oauth:client:<client_id>", Store::Catalog, "string", "Client as JSON", "until deleted",
     "an owner or manager", in_kib<oauth::kMaxClientRecord>(), "200 per account",
     "grant get exists mget; web get del"},
    {"oauth:deleted_client:<client_id>", Store::Catalog, "string",
     "permission_version of an application that is restored with that id",
     "permanently, so that an import does not restore it", "a deletion of an application",
     "20 bytes", "120 per contact and minute", "web get set"},
    {"oauth:account_clients:<account>", Store::Catalog, "set", "client_ids of the account",
     "as the application, and until its grants have ended", "an owner or manager",
     "0.1 KB per application", "as oauth:client", "web srem smembers"},
    {"oauth:ending_clients", Store::Catalog, "zset", "client → time of its deletion",
     "until its grants have ended", "an owner or manager", "0.1 KB per application",
     "as oauth:client", "grant zrange; web zadd zrem zrange zscore"},
    {"oauth:public_clients", Store::Catalog, "zset",
     "`<origin> <client_id>` of each origin of a public application's redirect URIs, or ` "
     "<client_id>`; all scores 0 (stores/access/client_index.h)",
     "as the application, and until its grants have ended", "an owner or manager",
     "2 KiB per redirect URI, most 0.1 KB", "as oauth:client",
     "grant exists zrange; web zadd zrem zrange"},
    {"oauth:resources", Store::Catalog, "zset", "the same of each resource of a resource server",
     "as the application", "operator", "0.6 KB per resource", "10 per application",
     "grant zrange; web zadd zrem zrange"},
    {"oauth:grant:{<grant>}", Store::State, "hash", "Grant",
     "400 days after the last use, or as long as its refresh tokens if that is longer", "a consent",
     "0.8 KB; of a public application 0.2 KB more per exchange, at most 50",
     "one per contact, account and application",
     "grant hget hmget; web hmget; svcctl hgetall hkeys"},
    {"oauth:grant_used:{<grant>}", Store::State, "string", "time of last use",
     "400 days after the last use, or as long as its refresh tokens if that is longer", "a consent",
     "10 bytes", "as oauth:grant", "grant get set; web get"},
    {"oauth:contact_grants:<contact>", Store::State, "zset", "grant → time of its last use",
     "400 days after the last use, or as long as its refresh tokens if that is longer", "a consent",
     "0.1 KB per grant", "as oauth:grant",
     "grant zadd zremrangebyscore expire; web zadd zrem zrange zcard zscore zremrangebyscore "
     "expire"},
    {"oauth:client_grants:<client>", Store::State, "zset", "the same", "as oauth:contact_grants",
     "a consent", "0.1 KB per grant", "as oauth:grant",
     "grant zadd zremrangebyscore expire; web zadd zrem zrange zcard zscore zremrangebyscore "
     "expire"},
    {"oauth:account_grants:<account>", Store::State, "zset",
     "the same; a grant older than this list is added at its next use", "as oauth:contact_grants",
     "a consent", "0.1 KB per grant", "as oauth:grant",
     "grant zadd zremrangebyscore expire; web zadd zrem zrange zcard zscore zremrangebyscore "
     "expire"},
    {"oauth:code:{<grant>}:<mac>", Store::State, "hash",
     "AuthorizationCode; once spent, also by which request and for which access token",
     "code-lifetime; once spent 10 minutes", "an authorization", "1 KB",
     "20 live ones per grant; 120 per contact and minute", "grant hmget"},
    {"oauth:codes:{<grant>}", Store::State, "zset", "mac of a code → its turn; the last 20",
     "code-lifetime", "an authorization", "2 KB", "one per grant", ""},
    {"oauth:access:{<grant>}", Store::State, "stream", "Issued and mac of each access token",
     "their lifetime and up to two minutes", "a token request", "0.3 KB per token",
     "access-tokens-per-grant (100), of a public application per exchange",
     "grant xrange xadd; svcctl xdel"},
    {"oauth:refresh:{<grant>}:<mac>", Store::State, "string", "Issued, one line per field",
     "its idle time, or 10 years", "a token request", "0.5 KB", "one per grant and code",
     "grant get"},
    {"oauth:account_token:{<account>}:<name>", Store::Catalog, "hash", "AccountTokenRecord and mac",
     "until it expires, or 10 years", "an owner or manager", "0.8 KB", "tokens-per-account (200)",
     "grant hmget; web hget hmget; svcctl del"},
    {"oauth:account_token_used:{<account>}:<name>", Store::Catalog, "string", "time of last use",
     "as the token", "an owner or manager", "10 bytes", "as oauth:account_token",
     "grant get set; web get; svcctl del"},
    {"oauth:account_tokens:{<account>}", Store::Catalog, "zset",
     "account token → end of its record", "10 years after the last one was made",
     "an owner or manager", "0.1 KB per token", "as oauth:account_token", "web zrange"},
    {"oauth:contact_account_tokens:<contact>", Store::Catalog, "zset", "the same",
     "10 years after the last one was made", "an owner or manager", "0.1 KB per token",
     "as oauth:account_token", "web zadd zrem zremrangebyscore expire; svcctl zremrangebyscore"},
    {"oauth:repetition:{<account>}:<digest>", Store::Catalog, "string",
     "the request with an Idempotency-Key and its response (stores/access/repetitions.cpp)",
     "24 hours, 60 s unless the response is kept", "a POST with Idempotency-Key",
     "16 KB, most 2 KB", "per account 10 000, and 16 MB together", "grant get; svcctl del"},
    {"oauth:repetitions:{<account>}", Store::Catalog, "zset", "digest → when its record ends",
     "as the records", "a POST with Idempotency-Key", "0.2 KB per repetition",
     "as oauth:repetition", "grant zrange"},
    {"oauth:repetition_bytes:{<account>}", Store::Catalog, "hash",
     "digest → bytes of its record; all → their sum", "as the records",
     "a POST with Idempotency-Key", "0.1 KB per repetition", "as oauth:repetition", ""},
    {"oauth:once:<mac>", Store::State, "string", "set by the first of several equal events",
     "10 minutes", "a token request", "2 bytes", "the rate of /oauth/token times the lifetime",
     "web set"},
    {"oauth:guess:<client>:<address>", Store::State, "string", "number of wrong secrets", "60 s",
     "a wrong secret", "2 bytes", "the rate of /oauth/token times the lifetime", "grant get"},
    // Uploads.
    {"ingest:incoming", Store::Catalog, "list", "jobs",
     "until svc-ingest moves them to ingest:jobs", "an upload", "0.5 KB per job",
     "uploads-unfinished (50) per account",
     "grant rpush; web rpush; ingest lrange lrem; svcctl rpush lrange; monitoring type xlen llen"},
    {"ingest:jobs", Store::Catalog, "stream", "jobs of svc-ingest", "until they are done",
     "an upload", "0.5 KB per job", "uploads-unfinished (50) per account",
     "ingest xack xdel xclaim xpending xgroup|create xadd xrange; monitoring type xlen llen"},
    {"ingest:deletions", Store::Catalog, "stream",
     "media whose files svc-ingest deletes, copies or moves to another media", "until that is done",
     "a deletion, a swap, a new poster", "7 KB, most 0.2 KB", "one per request",
     "ingest xrange xdel"},
    {"ingest:guards", Store::Catalog, "zset",
     "media and accounts whose folders svc-keeper is to mark (stores/catalog/guard_queue.h) → 0",
     "until it begins; those that a request waits for, until they are marked",
     "a change of who may watch", "0.1 KB each", "four per media and account",
     "grant zadd zscore; web zadd zscore; ingest zadd; keeper zadd zrange "
     "zrem; svcctl zadd zrange zscore"},
    {"ingest:guards_again", Store::Catalog, "zset",
     "the same → when they are to be marked once more, in µs since 1970",
     "until that is done, a minute later", "a change of who may watch", "0.1 KB each",
     "one per media, two per account",
     "grant zadd; web zadd; ingest zadd; keeper zadd zrange "
     "zremrangebyscore; svcctl zadd"},
    {"ingest:guarding", Store::Catalog, "string", "set while svc-keeper marks folders", "10 s",
     "operator", "1 byte", "one",
     "grant exists; web exists; keeper set; "
     "svcctl exists"},
    {"ingest:dead", Store::Catalog, "stream", "jobs that failed", "failed-upload-days",
     "an upload that failed", "2 KB per job", "1 000 per account, 10 000 in all",
     "ingest xack xdel xclaim xpending xgroup|create xadd xrange"},
    {"ingest:progress:<hashed_id>", Store::Catalog, "string", "thousandths that are processed",
     "1 hour after the last report", "an upload", "4 bytes", "one per media that is converted",
     "grant get; web get; ingest set del"},
    {"ingest:uploads:<account>", Store::Catalog, "zset",
     "media that did not fail → time of its upload", "until it is deleted", "an upload",
     "0.1 KB per media", "as catalog:media",
     "grant zadd zrem zrange; web zadd zrem zrange; ingest zrem; svcctl zadd zrem"},
    {"ingest:failed:<account>", Store::Catalog, "zset", "media that failed → time of its upload",
     "at most failed-upload-days", "an upload", "0.1 KB per media", "as catalog:media",
     "grant zrem zrange; web zrem zrange; ingest zadd zrem; svcctl zadd zrem"},
    {"ingest:large:<account>", Store::Catalog, "zset",
     "media whose record has more than 2 KiB → its bytes", "until the media is deleted",
     "an upload", "0.1 KB per media", "as catalog:media",
     "grant zadd zrem zrange; web zadd zrem zrange; ingest zadd zrem; svcctl zadd zrem"},
    {"ingest:bytes:<account>", Store::Catalog, "zset",
     "uploads → bytes of their files: of the upload, then of the files made from it",
     "until the media is deleted", "an upload", "0.1 KB per media", "as catalog:media",
     "grant zadd zrem zrange; web zadd zrem zrange; ingest zadd zrem zrange; svcctl zadd zrem "
     "zrange"},
    // Client ID metadata documents. Those with {courier} are in one slot, for a function.
    {"courier:queue:{courier}", Store::Catalog, "list", "fetches that svc-courier has not begun",
     "until svc-courier takes it", "an authorization request by a user who is logged in",
     "0.6 KB per job", "1 000", "courier blpop"},
    {"courier:asked:{courier}:<sha256 of a URL>", Store::Catalog, "string",
     "set while a fetch is due", "20 s", "an authorization request by a user who is logged in",
     "0.1 KB", "60 per user and minute", "courier del"},
    {"courier:contact:{courier}:<id>", Store::Catalog, "string", "fetches for a user",
     "60 s after the first", "an authorization request by a user who is logged in", "0.1 KB",
     "60 per user and minute", ""},
    {"courier:address:{courier}:<address>", Store::Catalog, "string",
     "fetches for clients at an address", "60 s after the first",
     "an authorization request by a user who is logged in", "0.1 KB", "60 per user and minute", ""},
    {"courier:host:{courier}:<host>", Store::Catalog, "string",
     "fetches from a host of documents that are not known", "60 s after the first",
     "an authorization request by a user who is logged in", "0.1 KB", "60 per user and minute", ""},
    {"courier:again:{courier}:<sha256 of a URL>", Store::Catalog, "string",
     "fetches of a known document", "10 s after the first",
     "an authorization request by a user who is logged in", "0.1 KB", "60 per user and minute", ""},
    {"courier:known:{courier}", Store::Catalog, "zset",
     "sha256 of a known document's URL → time of its last fetch that returned it; at most 10 000",
     "until others evict it", "svc-courier", "0.1 KB per document", "10 000",
     "courier zadd zremrangebyrank"},
    {"courier:document:<sha256 of a URL>", Store::Catalog, "string",
     "what the last fetch returned (stores/access/client_documents.h)",
     "as long as the document is fresh, at most 24 hours; else 10 s", "svc-courier", "5.2 KB",
     "1 000 that are fresh", "web get; courier set del"},
    {"courier:documents", Store::Catalog, "zset",
     "sha256 of a fresh document's URL → time of its fetch; at most 1000", "at most 24 hours",
     "svc-courier", "0.1 KB per document", "1 000 that are fresh", "courier zadd zcard zpopmin"},
    // Sessions, logins, forms.
    {"web:replacements", Store::Catalog, "hash", "upload → media, account, contact, begin (ms)",
     "until its conversion has ended", "an upload that is to replace a file", "0.1 KB per upload",
     "as uploads that wait", "web hset hgetall hdel"},
    {"web:replacement_failure:<hashed_id>", Store::Catalog, "string", "a sentence", "a week",
     "an upload that is to replace a file", "0.5 KB", "one per media", "web get set del"},
    {"web:session:<mac>", Store::State, "hash", "Session",
     "session-idle, but at most session-max after its begin", "a login", "1 KB", "100 per contact",
     "web del"},
    {"web:contact_sessions:<contact>", Store::State, "zset",
     "mac → end of its lifetime; at most 100", "session-max", "a login", "0.1 KB per session",
     "one per contact", "web zrem zrange"},
    {"web:login_pair:{<mac>}:<addr>", Store::State, "hash", "failures of an email from an address",
     "1 hour after the last", "a failed login", "0.1 KB", "the rate of logins times the lifetime",
     ""},
    {"web:login_email:{<mac>}", Store::State, "string", "failures of an email",
     "1 hour after the first", "a failed login", "0.1 KB", "the rate of logins times the lifetime",
     ""},
    {"web:login_known:{<mac>}", Store::State, "zset", "address → last login; at most 50",
     "30 days after the last login", "a login", "0.1 KB", "50 addresses per contact", ""},
    {"web:login_address:<addr>", Store::State, "string",
     "failures from an address, and attempts refused as busy", "10 minutes after the first",
     "a failed login", "0.1 KB", "the rate of logins times the lifetime", ""},
    {"web:login_network:<net>", Store::State, "string", "the same, from a network",
     "10 minutes after the first", "a failed login", "0.1 KB",
     "the rate of logins times the lifetime", ""},
    {"web:login_factor:<contact>", Store::Catalog, "hash",
     "StoredFactor, last step used, mac of each recovery code, and four fields per passkey",
     "until removed", "a user who sets up a second factor", "1 KB, and 0.5 KB per passkey",
     "one per contact, 10 passkeys", "web del hmget hgetall; svcctl hgetall"},
    {"web:login_required:accounts", Store::Catalog, "hash",
     "account that requires a second factor → 1", "until changed", "operator", "10 bytes",
     "one per account", "web hmget"},
    {"web:login_challenge:<sha256>", Store::Catalog, "hash",
     "the request that used a passkey's challenge", "10 minutes", "a passkey", "0.1 KB",
     "the rate of logins times the lifetime", ""},
    {"web:login_codes:<contact>", Store::Catalog, "string",
     "codes of a second factor that were tried", "60 s after the first",
     "a code of a second factor", "3 bytes", "one per contact", "web del"},
    {"web:settings_forms:<contact>", Store::State, "string",
     "settings forms sent, and applications allowed or denied", "60 s after the first",
     "a form of the settings", "3 bytes", "one per contact", ""},
    // Manifests, per UTC day.
    {"usage:manifest:<yyyy-mm-dd>", Store::Catalog, "hash",
     "account id → number of manifests, per UTC day; @table → its last batch", "400 days",
     "a playback", "20 bytes", "one per account and day",
     "embed hincrby hset hget expire; svcctl hget"},
    // Viewing (stores/catalog/statistics.h); a subject is media:<hashed_id> or account:<id>.
    {"stats:pieces:{<subject>}", Store::Catalog, "hash", "day and table → counts of a table",
     "until they are added to the rows", "a player that is watched",
     "0.5 KB per media and account of a day and pool", "media that exist; stats-sessions",
     "embed hset; grant hget hgetall hmget hkeys del; web hget hgetall hmget hkeys del; "
     "ingest hkeys del"},
    {"stats:rows:{<subject>}", Store::Catalog, "hash", "day → counts; total → all days",
     "days for stats-days; those of a media until it is deleted", "a player that is watched",
     "0.3 KB per media and account and day with views", "as stats:pieces",
     "grant hget hgetall hmget hkeys del; web hget hgetall hmget hkeys hdel del; ingest "
     "del"},
    {"stats:visitors:{<subject>}:<yyyymmdd>", Store::Catalog, "string",
     "HyperLogLog of salted digests", "until it is added, at most 30 days",
     "a player that is watched", "12 KB per media of a day", "as stats:pieces",
     "embed pfadd expire; grant pfcount del; web pfcount del; ingest del"},
    {"stats:openings:{media:<hashed_id>}", Store::Catalog, "hash", "link → how often it was opened",
     "400 days after the last", "a frame that a link opened", "0.1 KB per link",
     "100 links per media, and those that ended since the last was made",
     "embed hincrby expire; grant hgetall hkeys hdel del; web hgetall hkeys hdel del; ingest "
     "del"},
    {"stats:open", Store::Catalog, "zset", "day and subject with pieces → day since 1970",
     "until its pieces are added to the rows", "a player that is watched",
     "0.1 KB per media of a day", "as stats:pieces", "embed zadd; web zadd zrange zrem"},
    {"stats:kept", Store::Catalog, "zset", "subject with rows → its oldest day", "as stats:rows",
     "a player that is watched", "0.1 KB per media", "as stats:pieces", "web zadd zrange zrem"},
    {"stats:plays:<account>", Store::Catalog, "zset", "media → plays, about",
     "until the media is deleted", "a player that is watched", "0.1 KB per media",
     "as stats:pieces", "embed zincrby; grant zrange; web zadd zrange zrem"},
    // In the cache Redis.
    {"embed:salt:<yyyymmdd>", Store::Cache, "string", "random", "until the end of that day",
     "a player", "16 bytes", "one per day", "embed set/get; svcctl unlink"},
    {"embed:rendering:<hashed_id>", Store::Cache, "hash",
     "configuration and variant → begin of the build (ms), account, other records it depends on, "
     "text",
     "at most rendering-lifetime", "an embed", "as the responses",
     "maxmemory of the cache, which evicts", "embed hget unlink; svcctl unlink"},
    // The audit trail (oauth/audit_event.h).
    {"audit:<kind>", Store::Catalog, "stream",
     "events; of kinds by account `audit:<kind>:<number>`, and without number from earlier "
     "versions",
     "until newer events evict it", "a recorded event", "2.5 KB",
     "20 000 to 100 000 per kind; of kinds by account 10 000 in each of 16 streams", ""},
    {"audit", Store::Catalog, "stream", "events of versions before kinds existed", "permanently",
     "versions before kinds existed", "2.5 KB", "not written any more",
     "svcctl xadd xrange xrevrange xread"},
});

// Returns nullptr if the key is of none of them.
constexpr const Kind* kind_of(std::string_view key) {
  const Kind* found = nullptr;
  for (const Kind& kind : kKinds) {
    const std::string_view begin = kind.key.substr(0, kind.key.find('<'));
    const bool fits = begin == kind.key ? key == begin : key.starts_with(begin);
    if (fits && (found == nullptr || begin.size() > found->key.find('<'))) found = &kind;
  }
  return found;
}

// Rights in addition, for the keys that match: of areas, and of the streams of the audit trail. A
// pool appends to those of the kinds of events that it records.
struct SharedRights {
  std::string_view keys;
  std::string_view rights;
};
inline constexpr auto kSharedRights = std::to_array<SharedRights>({
    {"*", "svcctl type unlink"},
    {"audit:*", "svcctl xadd xrange xrevrange xread"},
    {"audit:access*", "grant xadd; web xadd"},
    {"audit:application", "web xadd"},
    {"audit:change", "web xadd"},
    {"audit:denial", "web xadd"},
    {"audit:edit*", "grant xadd; web xadd"},
    {"audit:failure", "web xadd"},
    {"audit:grant", "grant xadd; web xadd"},
    {"audit:login", "web xadd"},
    {"audit:metadata", "courier xadd"},
    {"audit:removal*", "grant xadd; web xadd"},
    {"audit:secret", "web xadd"},
    {"audit:session", "web xadd"},
    {"audit:shown", "web xadd"},
    {"audit:token", "grant xadd"},
    {"audit:upload*", "grant xadd; web xadd"},
    {"catalog:*",
     "svcctl get mget exists set mset del unlink expire hget hmget hset hdel sadd srem "
     "smembers zadd zrem zrange zcard zscore xrange"},
    {"ingest:*", "svcctl get xadd xdel xrange"},
    {"oauth:*",
     "svcctl get mget exists set mset del unlink expire hget hmget hset hdel sadd srem "
     "smembers zadd zrem zrange zcard zscore xrange"},
    {"stats:*", "svcctl hget hgetall hmget hkeys hdel pfcount del zrange zrem"},
    {"web:*",
     "svcctl get mget exists set mset del unlink expire hget hmget hset hdel sadd "
     "srem smembers zadd zrem zrange zcard zscore xrange"},
});

}  // namespace svc::stores
