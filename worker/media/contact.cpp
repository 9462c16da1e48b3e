#include "media/contact.h"

#include <algorithm>
#include <array>

#include "base/password_hash.h"
#include "media/email.h"
#include "media/record_table.h"

namespace svc::media {
namespace {

constexpr std::array<std::pair<std::string_view, Role>, 3> kRoles{
    {{"owner", Role::Owner}, {"manager", Role::Manager}, {"user", Role::User}}};

bool is_email(std::string_view email) {
  const std::size_t at = email.find('@');
  if (at == 0 || at == std::string_view::npos || at + 1 == email.size()) return false;
  for (const char c : email) {
    if (text::is_control(c) || c == ' ' || c == '<' || c == '>' || c == '"') return false;
  }
  return email.find('@', at + 1) == std::string_view::npos;
}

std::string_view why_not_email(std::string_view email) {
  return is_email(email) ? "" : "must be an email address";
}

std::string_view why_not_hash(std::string_view hash) {
  return base::is_password_hash(hash)
             ? ""
             : "must be $argon2id$v=19$m=<KiB>,t=<passes>,p=<lanes>$<salt>$<hash>, or "
               "$scrypt$ln=<log2 N>,r=<r>,p=<p>$<salt>$<hash> with N of 2^14 to 2^17";
}

constexpr auto kMembership = base::describe<Membership>(Field{"account_id", &Membership::account},
                                                        Field{"role", &Membership::role, kRoles});

void check_membership(text::JsonRecord& json, const Membership& added,
                      const std::vector<Membership>& before) {
  for (const Membership& other : before) {
    if (other.account == added.account) json.refuse("account_id", "occurs twice");
  }
}

constexpr auto kContact = base::describe<Contact>(
    Field{"id", &Contact::id}, Field{"name", &Contact::name, kName},
    Field{"email", &Contact::email, Text{kMaxEmailBytes, why_not_email}},
    Field{"password_hash", &Contact::password_hash, Text{512, why_not_hash, Absent::Omitted}},
    Field{"memberships", &Contact::memberships, List{kMembership, check_membership}},
    Field{"disabled", &Contact::disabled, Stored<>{}});

}  // namespace

const std::vector<std::string_view> kContactKeys = [] {
  std::vector<std::string_view> keys = keys_of(kContact, {"kind"});
  keys.insert(std::ranges::find(keys, "password_hash"), "password");
  return keys;
}();

base::Result<Contact, std::string> contact_from_record(text::JsonRecord& record) {
  auto contact = from_record<Contact>(record, kContact);
  // Records that earlier versions stored must remain readable.
  if (contact && record.is_strict() && !is_form_email(contact->email))
    return base::Refusal{
        std::string("email must be an email address that a browser accepts in a login form")};
  return contact;
}

std::string_view to_text(Role role) { return name_of(kRoles, role); }

std::string to_record(const Contact& contact, const Contact* before) {
  Contact stored = contact;
  stored.password_hash.clear();
  return text::pass_gate<OneLine<Contact, kContact, kMaxContactRecord>>(stored, before);
}

}  // namespace svc::media
