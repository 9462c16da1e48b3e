#include "media/contact.h"

#include <array>

#include "base/password_hash.h"
#include "media/email.h"
#include "media/record_fields.h"

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

}  // namespace

const std::vector<std::string_view> kContactKeys{
    "kind", "id", "name", "email", "password", "password_hash", "memberships"};

base::Result<Contact, std::string> contact_from_record(text::JsonRecord& record) {
  Contact contact;
  contact.id = {record.integer("id", 1, kMaxIntegerId)};
  contact.name = read_name(record, "name");
  contact.email = record.text("email", kMaxEmailBytes);
  if (!is_email(contact.email)) record.refuse("email", "must be an email address");
  // Records that earlier versions stored must remain readable.
  if (record.is_strict() && !is_form_email(contact.email))
    record.refuse("email", "must be an email address that a browser accepts in a login form");
  contact.password_hash = record.optional_text("password_hash", 512).value_or("");
  if (!contact.password_hash.empty() && !base::is_password_hash(contact.password_hash)) {
    record.refuse("password_hash",
                  "must be scrypt$<log2 N>$<r>$<p>$<salt>$<hash>, with N of 2^14 to 2^17");
  }
  if (const auto memberships = record.array("memberships")) {
    for (std::size_t i = 0; i < memberships->size() && record.ok(); ++i) {
      static const std::vector<std::string_view> kKeys{"account_id", "role"};
      text::JsonRecord fields(record, "memberships", i, memberships->at(i));
      fields.allow_only(kKeys);
      const AccountId account{fields.integer("account_id", 1, kMaxIntegerId)};
      contact.memberships.push_back({account, read_choice(fields, "role", kRoles)});
      for (std::size_t j = 0; j < i; ++j) {
        if (contact.memberships[j].account == account) fields.refuse("account_id", "occurs twice");
      }
      record.adopt(fields);
    }
  }
  // Not a key of import lines: only svcctl user disable writes it.
  contact.disabled = record.optional_boolean("disabled", false);
  if (!record.ok()) return base::Refusal{record.error()};
  return contact;
}

std::string_view to_text(Role role) { return name_of(kRoles, role); }

std::string to_record(const Contact& contact) {
  std::string out;
  text::json::ObjectWriter writer(out);
  writer.integer("id", contact.id.number)
      .string("name", contact.name)
      .string("email", contact.email);
  if (!contact.password_hash.empty()) writer.string("password_hash", contact.password_hash);
  text::json::ArrayWriter memberships(writer.raw("memberships"));
  for (const Membership& membership : contact.memberships) {
    text::json::ObjectWriter(memberships.next())
        .integer("account_id", membership.account.number)
        .string("role", name_of(kRoles, membership.role))
        .end();
  }
  memberships.end();
  if (contact.disabled) writer.boolean("disabled", true);
  writer.end();
  return out;
}

}  // namespace svc::media
