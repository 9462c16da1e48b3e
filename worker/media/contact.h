// Contact: a user who can log in, with a role in one or more accounts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "media/id.h"
#include "text/json_record.h"

namespace svc::media {

enum class Role { Owner, Manager, User };
std::string_view to_text(Role role);  // as in an import line

struct Membership {
  AccountId account;
  Role role = Role::User;
};

inline constexpr std::size_t kMaxContactRecord = 64 * 1024;  // bytes

struct Contact {
  ContactId id;
  std::string name;
  std::string email;  // media/email: canonical, unless stored by an earlier version
  // base/password_hash; empty: cannot log in. It is no part of the stored record
  // (stores/catalog/password_hashes.h), but of records of earlier versions.
  std::string password_hash;
  std::vector<Membership> memberships;
  bool disabled = false;  // by an operator: no login, session, code or token of the contact works
};

base::Result<Contact, std::string> contact_from_record(text::JsonRecord& record);
// Without the hash.
std::string to_record(const Contact& contact, const Contact* before = nullptr);
extern const std::vector<std::string_view> kContactKeys;

}  // namespace svc::media
