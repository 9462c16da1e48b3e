// keys: every key we write: its shape, its type, its time to live.
//
//   catalog:account:<id>          string, Account record as JSON     no time to live
//   catalog:contact:<id>          string, Contact record             no time to live
//   catalog:contact_email:<email> string, id of the Contact          no time to live
//   catalog:project:<id>          string, Project record             no time to live
//   catalog:media:<hashed_id>     string, Media record               no time to live
//   catalog:playlist:<hashed_id>  string, Playlist record            no time to live
//   oauth:client:<client_id>      string, Client record              no time to live
//   usage:manifest:<yyyy-mm-dd>   hash, account id → answers         400 days (UTC days)
//
// The catalog is the truth, not a cache: it lives in the state Redis, which never evicts.
#pragma once

#include <string>
#include <string_view>

#include "media/id.h"
#include "oauth/client.h"
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
inline std::string media(const media::HashedId& id) { return "catalog:media:" + id.text(); }
inline std::string playlist(const media::HashedId& id) { return "catalog:playlist:" + id.text(); }
inline std::string usage_manifest(std::string_view day) {
  return "usage:manifest:" + std::string(day);
}
inline std::string client(const oauth::ClientId& id) { return "oauth:client:" + id.text; }

}  // namespace svc::redis::keys
