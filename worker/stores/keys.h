// keys: the name of every key that we write. kinds.h has the table of them: type, contents, time to
// live, bounds, and the users of Redis that have it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/number.h"
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
// Prefixes of these keys.
inline constexpr const char* kContacts = "catalog:contact";  // and their emails
inline constexpr const char* kContactRecords = "catalog:contact:";
inline constexpr const char* kAccounts = "catalog:account:";
inline constexpr const char* kMedias = "catalog:media:";
inline constexpr const char* kCaptions = "catalog:captions:";
// The parts of the index, without an account's numbers.
inline constexpr std::array<const char*, 3> kOfIndex{
    "catalog:unindexed:", "catalog:directory:", "catalog:block:"};
inline constexpr const char* kPlaylists = "catalog:playlist:";
inline std::string media(const media::HashedId& id) { return "catalog:media:" + id.value(); }
inline std::string files_owner(const media::HashedId& id) { return "catalog:files:" + id.value(); }
inline std::string captions(const media::HashedId& id) { return kCaptions + id.value(); }
inline std::string captioned(media::AccountId id) {
  return "catalog:captioned:" + std::to_string(id.value());
}
inline std::string playlist(const media::HashedId& id) { return "catalog:playlist:" + id.value(); }
inline constexpr const char* kIndexes = "catalog:index:";
inline std::string index(media::AccountId id) {
  return kIndexes + ("{" + std::to_string(id.value()) + "}");
}
// nullopt: not such a key.
inline std::optional<media::AccountId> account_of_index(std::string_view key) {
  const std::size_t begin = key.find('{');
  const std::size_t end = key.find('}');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
    return std::nullopt;
  const auto id = base::parse_number<std::int64_t>(key.substr(begin + 1, end - begin - 1), 1,
                                                   media::kMaxIntegerId);
  return id ? std::optional(media::AccountId{*id}) : std::nullopt;
}
inline std::string directory(media::AccountId id, std::string_view set) {
  return "catalog:directory:{" + std::to_string(id.value()) + "}:" + std::string(set);
}
inline std::string block(media::AccountId id, std::string_view set, std::string_view begin) {
  std::string key = "catalog:block:{" + std::to_string(id.value()) + "}:";
  key.append(set).append(":").append(begin);
  return key;
}
inline std::string unindexed(media::AccountId id) {
  return "catalog:unindexed:{" + std::to_string(id.value()) + "}";
}
// Of versions without catalog:unindexed.
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

// Those with {courier} are in one slot, for a function.
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
inline constexpr std::string_view kIngestGuarding = "ingest:guarding";
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
