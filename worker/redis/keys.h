// keys: every key we write: its shape, its type, its time to live.
//
//   catalog:account:<id>          string, Account record as JSON     no time to live
//   catalog:contact:<id>          string, Contact record             no time to live
//   catalog:contact_email:<email> string, id of the Contact          no time to live
//   catalog:project:<id>          string, Project record             no time to live
//   catalog:media:<hashed_id>     string, Media record               no time to live
//   catalog:playlist:<hashed_id>  string, Playlist record            no time to live
//   oauth:client:<client_id>      string, Client record              no time to live
//   oauth:deleted_client:<client_id> string, permission_version of an application that is
//                                 restored with that id            no time to live
//   oauth:account_clients:<id>    set, client_ids of the account    no time to live
//   oauth:grant:{<grant>}         hash, Grant                       400 days after its last use, or
//                                                                   its refresh token's end
//   oauth:code:{<grant>}:<mac>    hash, AuthorizationCode, and by whom it was spent, for what
//                                                                   60 s, spent 10 minutes
//   oauth:access:{<grant>}        stream, Issued and mac of each    an access token's lifetime and
//                                                                   up to two minutes
//   oauth:refresh:{<grant>}:<mac> string, Issued, a line a field    idle expiry, or 10 years
//   oauth:grant_used:{<grant>}    string, s since 1970              400 days
//   oauth:once:<mac>              string, that this was so before   10 minutes
//   oauth:contact_grants:<contact> zset, grant → s of its last use   400 days
//   oauth:client_grants:<client>   zset, the same                    400 days
//   oauth:account_grants:<account> zset, the same; a grant from before there was this list enters
//                                 it at its next use                 400 days
//   oauth:ending_clients          zset, client → s of its deletion   no time to live; a client
//   stays
//                                 until its grants have ended, a minute at least
//   oauth:guess:<client>:<address> string, wrong secrets             60 s
//   usage:manifest:<yyyy-mm-dd>   hash, account id → answers         400 days (UTC days)
//   embed:rendering:<hashed_id>   hash, configuration and variant → begun, account, what else it
//   was
//                                 made from, rendering (in the cache Redis)
//                                                                   rendering-lifetime at most
//   web:session:<mac>             hash, Session                      session-idle, and never past
//                                                                    session-max from its begin
//   web:contact_sessions:<id>     zset, mac → last moment            session-max; at most 100
//   web:login_pair:{<mac>}:<addr> hash, failures of an email there   an hour after the last
//   web:login_email:{<mac>}       string, failures of an email       an hour from the first
//   web:login_known:{<mac>}       zset, address → last login         30 days after the last login;
//                                                                    at most 50
//   web:login_address:<addr>      string, failures from an address,  10 minutes from the first
//                                 and refusals as busy
//   web:login_network:<net>       string, the same, from a network   10 minutes from the first
//   web:settings_forms:<contact>  string, forms of the settings sent 60 s from the first
//   audit:<kind>                  stream, who did what               the newest so many of the
//   kind:
//                                                                    oauth/audit_event.h
//   audit                         stream, the same, as it was written before there were kinds
//
// tests/data/stored_formats.txt has an example of each, as written by the code.
//
// <mac> is the HMAC of a token, session or email, never the thing itself. What stands in braces
// picks the slot in a cluster, so that all of one grant, or email, changes in one step. The catalog
// is the truth, not a cache: it lives in the state Redis, which never evicts.
#pragma once

#include <string>
#include <string_view>

#include "media/id.h"
#include "oauth/audit_event.h"
#include "oauth/client.h"
#include "oauth/grant.h"
#include "oauth/token.h"
#include "text/ascii.h"

namespace svc::redis::keys {

inline std::string account(media::AccountId id) {
  return "catalog:account:" + std::to_string(id.number);
}
inline std::string contact(media::ContactId id) {
  return "catalog:contact:" + std::to_string(id.number);
}
// Emails are compared without case.
inline std::string contact_email(std::string_view email) {
  return "catalog:contact_email:" + text::to_lower(email);
}
inline std::string project(const media::ProjectId& id) { return "catalog:project:" + id.text; }
// What every one of them begins with.
inline constexpr const char* kContacts = "catalog:contact";  // and their emails
inline constexpr const char* kContactRecords = "catalog:contact:";
inline constexpr const char* kAccounts = "catalog:account:";
inline constexpr const char* kMedias = "catalog:media:";
inline constexpr const char* kPlaylists = "catalog:playlist:";
inline std::string media(const media::HashedId& id) { return "catalog:media:" + id.text(); }
inline std::string playlist(const media::HashedId& id) { return "catalog:playlist:" + id.text(); }
inline std::string usage_manifest(std::string_view day) {
  return "usage:manifest:" + std::string(day);
}
inline std::string rendering(const media::HashedId& id) { return "embed:rendering:" + id.text(); }
inline std::string client(const oauth::ClientId& id) { return "oauth:client:" + id.text; }
inline std::string deleted_client(const oauth::ClientId& id) {
  return "oauth:deleted_client:" + id.text;
}
inline std::string account_clients(media::AccountId id) {
  return "oauth:account_clients:" + std::to_string(id.number);
}

inline std::string grant(const oauth::GrantId& id) { return "oauth:grant:{" + id.text + "}"; }
// All access tokens of a grant.
inline std::string access(const oauth::GrantId& id) { return "oauth:access:{" + id.text + "}"; }
inline std::string grant_used(const oauth::GrantId& id) {
  return "oauth:grant_used:{" + id.text + "}";
}
inline std::string code(const oauth::GrantId& grant, std::string_view mac) {
  return "oauth:code:{" + grant.text + "}:" + std::string(mac);
}
inline std::string refresh(const oauth::GrantId& grant, std::string_view mac) {
  return "oauth:refresh:{" + grant.text + "}:" + std::string(mac);
}
inline std::string contact_grants(media::ContactId id) {
  return "oauth:contact_grants:" + std::to_string(id.number);
}
inline std::string client_grants(const oauth::ClientId& id) {
  return "oauth:client_grants:" + id.text;
}
inline std::string account_grants(media::AccountId id) {
  return "oauth:account_grants:" + std::to_string(id.number);
}
inline constexpr std::string_view kEndingClients = "oauth:ending_clients";
inline std::string once(std::string_view mac) { return "oauth:once:" + std::string(mac); }
inline std::string guess(const oauth::ClientId& id, std::string_view address) {
  return "oauth:guess:" + id.text + ":" + std::string(address);
}
inline std::string session(std::string_view mac) { return "web:session:" + std::string(mac); }
inline std::string contact_sessions(media::ContactId id) {
  return "web:contact_sessions:" + std::to_string(id.number);
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

inline std::string settings_forms(media::ContactId id) {
  return "web:settings_forms:" + std::to_string(id.number);
}

inline constexpr std::string_view kAudit = "audit";
inline std::string audit(const oauth::AuditKind& kind) { return "audit:" + std::string(kind.name); }

}  // namespace svc::redis::keys
