// keys: every key that we write, its type and its time to live.
//
// Catalog, most without a time to live:
//   catalog:account:<id>           string, Account as JSON
//   catalog:contact:<id>           string, Contact as JSON
//   catalog:contact_email:<email>  string, id of the Contact
//   catalog:password:<id>          string, hash of the Contact's password. None: no login
//   catalog:project:<id>           string, Project as JSON
//   catalog:uses:{catalog:project:<id>}
//                                  zset, use or deletion of a project that was begun →
//                                  its time in µs, or 0 (media/project_records.h).
//                                  2 minutes
//   catalog:media:<hashed_id>      string, Media as JSON
//   catalog:captions:<hashed_id>   hash, version → text of captions of the media that
//                                  clients set (stores/caption_texts.h)
//   catalog:captioned:<account>    zset, media with such captions → bytes of their texts
//   catalog:files:<hashed_id>      string, id of the media that has got the folder of this
//                                  media by a swap, or is getting it. Until svc-ingest has
//                                  deleted the folder
//   catalog:playlist:<hashed_id>   string, Playlist as JSON
//   catalog:index:{<account>}      hash, numbers of its media and projects
//   catalog:directory:{<account>}:<set>
//                                  zset, where the blocks of a set begin; all scores 0
//   catalog:block:{<account>}:<set>:<begin>
//                                  string, a block of the set (stores/index_block.h)
//   catalog:changed:{<account>}    zset, record whose entries may be out of date → time in
//                                  ms, negative once the record is written. Until a
//                                  reader has updated them
//
// Applications, no time to live:
//   oauth:client:<client_id>       string, Client as JSON
//   oauth:deleted_client:<client_id>
//                                  string, permission_version of an application
//                                  that is restored with that id
//   oauth:account_clients:<id>     set, client_ids of the account
//   oauth:ending_clients           zset, client → time of its deletion; removed
//                                  once its grants have ended
//   oauth:public_clients           zset, "<origin> <client_id>" of each origin of a public
//                                  application's redirect URIs, or " <client_id>"; all
//                                  scores 0 (stores/client_index.h)
//   oauth:resources                the same, "<resource> <client_id>" of each resource of a
//                                  resource server
//
// Grants, codes and tokens. G: 400 days after the last use, or the idle time of
// a refresh token if that is longer; 10 years if refresh tokens do not expire:
//   oauth:grant:{<grant>}          hash, Grant. G
//   oauth:grant_used:{<grant>}     string, time of last use. G
//   oauth:contact_grants:<contact> zset, grant → time of its last use. G
//   oauth:client_grants:<client>   the same. G
//   oauth:account_grants:<account> the same. G. A grant older than this list is
//                                  added at its next use
//   oauth:code:{<grant>}:<mac>     hash, AuthorizationCode; once spent, also by
//                                  which request and for which access token.
//                                  code-lifetime, once spent 10 minutes
//   oauth:codes:{<grant>}          zset, mac of a code → its turn; the last 20.
//                                  code-lifetime
//   oauth:access:{<grant>}         stream, Issued and mac of each access token.
//                                  Their lifetime and up to two minutes
//   oauth:refresh:{<grant>}:<mac>  string, Issued, one line per field. Its idle
//                                  time, or 10 years
//   oauth:account_token:{<account>}:<name>
//                                  hash, AccountTokenRecord and mac. Until it expires, or
//                                  10 years
//   oauth:account_token_used:{<account>}:<name>
//                                  string, time of last use. The same
//   oauth:account_tokens:{<account>}
//                                  zset, account token → end of its record. 10 years after
//                                  the last one was made
//   oauth:contact_account_tokens:<contact>
//                                  the same
//   oauth:repetition:{<account>}:<digest>
//                                  string, the request with an Idempotency-Key and its
//                                  response (stores/repetitions.cpp). 24 hours, 60 s unless
//                                  the response is kept
//   oauth:repetitions:{<account>}  zset, digest → when its record ends. As the records
//   oauth:repetition_bytes:{<account>}
//                                  hash, digest → bytes of its record; all → their sum. The
//                                  same
//   oauth:once:<mac>               string, set by the first of several equal
//                                  events. 10 minutes
//   oauth:guess:<client>:<address> string, number of wrong secrets. 60 s
//
// Uploads:
//   ingest:incoming                list, jobs. Until svc-ingest moves them to
//                                  ingest:jobs
//   ingest:jobs                    stream, jobs of svc-ingest. Until they are done
//   ingest:deletions               stream, media whose files svc-ingest deletes, copies or
//                                  moves to another media. Until that is done
//   ingest:guards                  zset, media and accounts whose folders svc-ingest is to
//                                  mark (stores/guard_queue.h) → 0. Until it begins
//   ingest:guards_again            the same → when they are to be marked once more, in µs
//                                  since 1970. Until that is done, a minute later
//   ingest:dead                    stream, jobs that failed. failed-upload-days
//   ingest:progress:<hashed_id>    string, thousandths that are processed. 1 hour
//                                  after the last report
//   ingest:uploads:<account>       zset, media that did not fail → time of its
//                                  upload. Until it is deleted
//   ingest:failed:<account>        the same of media that failed. At most
//                                  failed-upload-days
//   ingest:large:<account>         zset, media whose record has more than 2 KiB →
//                                  its bytes. Until the media is deleted
//   ingest:bytes:<account>         zset, uploads → bytes of their files: of the
//                                  upload, then of the files made from it. Until the
//                                  media is deleted
//
// Client ID metadata documents:
//   courier:queue:{courier}        list, fetches that svc-courier has not begun
//   courier:asked:{courier}:<sha256 of a URL>
//                                  string, set while a fetch is due. 20 s
//   courier:contact:{courier}:<id>, courier:address:{courier}:<address>
//                                  string, fetches for a user, and for clients at an
//                                  address. 60 s after the first
//   courier:host:{courier}:<host>  string, fetches from a host of documents that are not
//                                  known. 60 s after the first
//   courier:again:{courier}:<sha256 of a URL>
//                                  string, fetches of a known document. 10 s after the first
//   courier:known:{courier}        zset, sha256 of a known document's URL → time of its
//                                  last fetch that returned it; at most 10 000
//   courier:document:<sha256 of a URL>
//                                  string, what the last fetch returned
//                                  (stores/client_documents.h). 10 s, or as long as the
//                                  document is fresh: at most 24 hours
//   courier:documents              zset, sha256 of a fresh document's URL → time of its
//                                  fetch; at most 1000
//
// Replacements of files:
//   web:replacements               hash, upload → media, account, contact, begin (ms). Until its
//                                  conversion has ended
//   web:replacement_failure:<hashed_id>
//                                  string, a sentence. A week
//
// Usage:
//   usage:manifest:<yyyy-mm-dd>    hash, account id → number of manifests, per
//                                  UTC day; @table → its last batch. 400 days
//
// Viewing (stores/statistics.h); a subject is media:<hashed_id> or account:<id>:
//   stats:pieces:{<subject>}       hash, day and table → counts of a table. Until they are
//                                  added to the rows
//   stats:rows:{<subject>}         hash, day → counts; total → all days. Days for stats-days;
//                                  those of a media until it is deleted
//   stats:visitors:{<subject>}:<yyyymmdd>
//                                  HyperLogLog of salted digests. Until it is added, at most
//                                  30 days
//   stats:openings:{media:<hashed_id>}
//                                  hash, link → how often it was opened. 400 days after the last
//   stats:open                     zset, day and subject with pieces → day since 1970
//   stats:kept                     zset, subject with rows → its oldest day
//   stats:plays:<account>          zset, media → plays, about
//
// In the cache Redis:
//   embed:salt:<yyyymmdd>          string, random. Until the end of that day
//   embed:rendering:<hashed_id>    hash, configuration and variant → begin of
//                                  the build (ms), account, other records it
//                                  depends on, text. At most rendering-lifetime
//
// Sessions and logins:
//   web:session:<mac>              hash, Session. session-idle, but at most
//                                  session-max after its begin
//   web:contact_sessions:<id>      zset, mac → end of its lifetime; at most
//                                  100. session-max
//   web:login_pair:{<mac>}:<addr>  hash, failures of an email from an address.
//                                  1 hour after the last
//   web:login_email:{<mac>}        string, failures of an email. 1 hour after
//                                  the first
//   web:login_known:{<mac>}        zset, address → last login; at most 50.
//                                  30 days after the last login
//   web:login_address:<addr>       string, failures from an address, and
//                                  attempts refused as busy. 10 minutes after
//                                  the first
//   web:login_network:<net>        the same, from a network
//   web:login_factor:<contact>     hash, StoredFactor, last step used, mac of each recovery
//                                  code, and four fields per passkey. Until removed, no
//                                  time to live
//   web:login_required:accounts    hash, account that requires a second factor → 1. No
//                                  time to live
//   web:login_challenge:<sha256>   hash, the request that used a passkey's challenge.
//                                  10 minutes
//   web:login_codes:<contact>      string, codes of a second factor that were tried.
//                                  60 s after the first
//   web:settings_forms:<contact>   string, number of settings forms sent and
//                                  applications allowed or denied. 60 s after
//                                  the first
//
// Audit:
//   audit:<kind>                   stream of events. Capped per kind:
//                                  oauth/audit_event.h; of kinds with several
//                                  streams: written by earlier versions
//   audit:<kind>:<number>          one of several streams, by account
//   audit                          stream, written before there were kinds
//
// tests/data/stored_formats.txt has an example of each, as written by the code.
// Times are seconds since 1970.
//
// <mac> is the HMAC of a token, session or email, never the value itself. The
// part in braces selects the slot in a cluster, so that all keys of one grant
// or email can change atomically. The catalog is not a cache: it is stored in
// the state Redis, which never evicts.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "media/id.h"
#include "oauth/account_token.h"
#include "oauth/audit_event.h"
#include "oauth/client.h"
#include "oauth/grant.h"
#include "oauth/token.h"
#include "text/ascii.h"

namespace svc::stores::keys {

inline std::string account(media::AccountId id) {
  return "catalog:account:" + std::to_string(id.value());
}
inline std::string contact(media::ContactId id) {
  return "catalog:contact:" + std::to_string(id.value());
}
inline std::string password(media::ContactId id) {
  return "catalog:password:" + std::to_string(id.value());
}
// Emails are compared without case.
inline std::string contact_email(std::string_view email) {
  return "catalog:contact_email:" + text::to_lower(email);
}
inline constexpr const char* kProjects = "catalog:project:";
inline std::string project(const media::ProjectId& id) { return kProjects + id.value(); }
// In the slot of the project's record.
inline std::string project_uses(const media::ProjectId& id) {
  return "catalog:uses:{" + project(id) + "}";
}
// Prefixes of these keys.
inline constexpr const char* kContacts = "catalog:contact";  // and their emails
inline constexpr const char* kContactRecords = "catalog:contact:";
inline constexpr const char* kAccounts = "catalog:account:";
inline constexpr const char* kMedias = "catalog:media:";
inline constexpr const char* kCaptions = "catalog:captions:";
// The parts of the index, without the notes of changes.
inline constexpr std::array<const char*, 3> kOfIndex{
    "catalog:index:", "catalog:directory:", "catalog:block:"};
inline constexpr const char* kPlaylists = "catalog:playlist:";
inline std::string media(const media::HashedId& id) { return "catalog:media:" + id.value(); }
inline std::string files_owner(const media::HashedId& id) { return "catalog:files:" + id.value(); }
inline std::string captions(const media::HashedId& id) { return kCaptions + id.value(); }
inline std::string captioned(media::AccountId id) {
  return "catalog:captioned:" + std::to_string(id.value());
}
inline std::string playlist(const media::HashedId& id) { return "catalog:playlist:" + id.value(); }
inline std::string index(media::AccountId id) {
  return "catalog:index:{" + std::to_string(id.value()) + "}";
}
inline std::string directory(media::AccountId id, std::string_view set) {
  return "catalog:directory:{" + std::to_string(id.value()) + "}:" + std::string(set);
}
inline std::string block(media::AccountId id, std::string_view set, std::string_view begin) {
  std::string key = "catalog:block:{" + std::to_string(id.value()) + "}:";
  key.append(set).append(":").append(begin);
  return key;
}
inline std::string changed(media::AccountId id) {
  return "catalog:changed:{" + std::to_string(id.value()) + "}";
}
inline std::string usage_manifest(std::string_view day) {
  return "usage:manifest:" + std::string(day);
}
inline constexpr std::string_view kReplacements = "web:replacements";
inline std::string replacement_failure(const media::HashedId& media) {
  return "web:replacement_failure:" + media.value();
}
inline constexpr std::string_view kStatsOpen = "stats:open";
inline constexpr std::string_view kStatsKept = "stats:kept";
inline std::string stats_pieces(std::string_view subject) {
  return "stats:pieces:{" + std::string(subject) + "}";
}
inline std::string stats_rows(std::string_view subject) {
  return "stats:rows:{" + std::string(subject) + "}";
}
inline std::string stats_openings(std::string_view media) {
  return "stats:openings:{media:" + std::string(media) + "}";
}
inline std::string stats_visitors(std::string_view subject, std::string_view day) {
  return "stats:visitors:{" + std::string(subject) + "}:" + std::string(day);
}
inline std::string stats_plays(media::AccountId account) {
  return "stats:plays:" + std::to_string(account.value());
}
inline std::string salt(std::string_view day) { return "embed:salt:" + std::string(day); }
inline std::string rendering(const media::HashedId& id) { return "embed:rendering:" + id.value(); }
inline std::string client(const oauth::ClientId& id) { return "oauth:client:" + id.value(); }
inline std::string deleted_client(const oauth::ClientId& id) {
  return "oauth:deleted_client:" + id.value();
}
inline std::string account_clients(media::AccountId id) {
  return "oauth:account_clients:" + std::to_string(id.value());
}

inline std::string grant(const oauth::GrantId& id) { return "oauth:grant:{" + id.value() + "}"; }
// All access tokens of a grant, or of one of its families.
inline std::string access(const oauth::GrantId& id, std::string_view family = {}) {
  std::string key = "oauth:access:{" + id.value() + "}";
  if (!family.empty()) (key += ':') += family;
  return key;
}
inline std::string grant_used(const oauth::GrantId& id) {
  return "oauth:grant_used:{" + id.value() + "}";
}
inline std::string code(const oauth::GrantId& grant, std::string_view mac) {
  return "oauth:code:{" + grant.value() + "}:" + std::string(mac);
}
inline std::string codes(const oauth::GrantId& grant) {
  return "oauth:codes:{" + grant.value() + "}";
}
inline std::string refresh(const oauth::GrantId& grant, std::string_view mac) {
  return "oauth:refresh:{" + grant.value() + "}:" + std::string(mac);
}
inline std::string contact_grants(media::ContactId id) {
  return "oauth:contact_grants:" + std::to_string(id.value());
}
inline std::string client_grants(const oauth::ClientId& id) {
  return "oauth:client_grants:" + id.value();
}
inline std::string account_grants(media::AccountId id) {
  return "oauth:account_grants:" + std::to_string(id.value());
}
inline std::string repetition(media::AccountId account, std::string_view name) {
  return "oauth:repetition:{" + std::to_string(account.value()) + "}:" + std::string(name);
}
// The names of an account's repetitions.
inline std::string repetitions(media::AccountId account) {
  return "oauth:repetitions:{" + std::to_string(account.value()) + "}";
}
// Their bytes.
inline std::string repetition_bytes(media::AccountId account) {
  return "oauth:repetition_bytes:{" + std::to_string(account.value()) + "}";
}
// Where workers of earlier versions write a repetition.
inline std::string repetition_of_grant(const oauth::GrantId& grant, std::string_view name) {
  return "oauth:repetition:{" + grant.value() + "}:" + std::string(name);
}
// In the slot of the account.
inline std::string account_token(const oauth::AccountTokenId& id) {
  std::string key = "oauth:account_token:{" + std::to_string(id.account().value()) + "}:";
  return key.append(id.name());
}
inline std::string account_token_used(const oauth::AccountTokenId& id) {
  std::string key = "oauth:account_token_used:{" + std::to_string(id.account().value()) + "}:";
  return key.append(id.name());
}
inline constexpr std::string_view kAccountTokens = "oauth:account_tokens:{";
inline std::string account_tokens(media::AccountId id) {
  return std::string(kAccountTokens) + std::to_string(id.value()) + "}";
}
inline std::string contact_account_tokens(media::ContactId id) {
  return "oauth:contact_account_tokens:" + std::to_string(id.value());
}
inline constexpr std::string_view kEndingClients = "oauth:ending_clients";
inline constexpr std::string_view kPublicClients = "oauth:public_clients";
inline constexpr std::string_view kResources = "oauth:resources";
inline std::string once(std::string_view mac) { return "oauth:once:" + std::string(mac); }
inline std::string guess(const oauth::ClientId& id, std::string_view address) {
  return "oauth:guess:" + id.value() + ":" + std::string(address);
}
inline std::string session(std::string_view mac) { return "web:session:" + std::string(mac); }
inline std::string contact_sessions(media::ContactId id) {
  return "web:contact_sessions:" + std::to_string(id.value());
}
inline std::string login_pair(std::string_view email_mac, std::string_view address) {
  return "web:login_pair:{" + std::string(email_mac) + "}:" + std::string(address);
}
inline std::string login_email(std::string_view email_mac) {
  return "web:login_email:{" + std::string(email_mac) + "}";
}
inline std::string login_known(std::string_view email_mac) {
  return "web:login_known:{" + std::string(email_mac) + "}";
}
inline std::string login_address(std::string_view address) {
  return "web:login_address:" + std::string(address);
}
inline std::string login_network(std::string_view network) {
  return "web:login_network:" + std::string(network);
}

inline std::string login_factor(media::ContactId id) {
  return "web:login_factor:" + std::to_string(id.value());
}
inline constexpr std::string_view kLoginRequired = "web:login_required:accounts";
inline std::string login_challenge(std::string_view digest) {
  return "web:login_challenge:" + std::string(digest);
}
inline std::string login_codes(media::ContactId id) {
  return "web:login_codes:" + std::to_string(id.value());
}
inline std::string settings_forms(media::ContactId id) {
  return "web:settings_forms:" + std::to_string(id.value());
}

// Those with {courier} are in one slot, for a script.
inline constexpr std::string_view kCourierQueue = "courier:queue:{courier}";
inline std::string courier_asked(std::string_view digest) {
  return "courier:asked:{courier}:" + std::string(digest);
}
inline std::string courier_host(std::string_view host) {
  return "courier:host:{courier}:" + std::string(host);
}
inline std::string courier_address(std::string_view address) {
  return "courier:address:{courier}:" + std::string(address);
}
inline std::string courier_contact(media::ContactId id) {
  return "courier:contact:{courier}:" + std::to_string(id.value());
}
inline std::string courier_again(std::string_view digest) {
  return "courier:again:{courier}:" + std::string(digest);
}
inline constexpr std::string_view kCourierKnown = "courier:known:{courier}";
inline constexpr const char* kCourierDocument = "courier:document:";
inline std::string courier_document(std::string_view digest) {
  return kCourierDocument + std::string(digest);
}
inline constexpr std::string_view kCourierDocuments = "courier:documents";

inline constexpr std::string_view kIngestIncoming = "ingest:incoming";
inline constexpr std::string_view kIngestJobs = "ingest:jobs";
inline constexpr std::string_view kIngestDeletions = "ingest:deletions";
inline constexpr std::string_view kIngestGuards = "ingest:guards";
inline constexpr std::string_view kIngestGuardsAgain = "ingest:guards_again";
inline constexpr std::string_view kIngestDead = "ingest:dead";
inline std::string ingest_progress(const media::HashedId& id) {
  return "ingest:progress:" + id.value();
}
inline std::string ingest_uploads(media::AccountId id) {
  return "ingest:uploads:" + std::to_string(id.value());
}
inline std::string ingest_failed(media::AccountId id) {
  return "ingest:failed:" + std::to_string(id.value());
}
inline std::string ingest_large(media::AccountId id) {
  return "ingest:large:" + std::to_string(id.value());
}
inline std::string ingest_bytes(media::AccountId id) {
  return "ingest:bytes:" + std::to_string(id.value());
}

inline constexpr std::string_view kAudit = "audit";
inline std::string audit(const oauth::AuditKind& kind) { return "audit:" + std::string(kind.name); }
// `stream`: from 0 to kind.streams - 1.
inline std::string audit(const oauth::AuditKind& kind, std::int64_t stream) {
  return audit(kind) + ":" + std::to_string(stream);
}

}  // namespace svc::stores::keys
