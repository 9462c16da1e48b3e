#include "media/contact.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fakes/json_fields.h"

namespace svc::media {
namespace {

using fakes::JsonFields;

const std::string kHash =
    "\"scrypt$14$8$5$" + std::string(32, 'a') + "$" + std::string(64, 'b') + "\"";
const JsonFields kContact{
    {"id", "502"},
    {"name", R"("Manuel Manager")"},
    {"email", R"("Manuel@Acme.example")"},
    {"password_hash", kHash},
    {"memberships",
     R"([{"account_id":1001,"role":"manager"},{"account_id":1002,"role":"user"},{"account_id":7,"role":"owner"}])"}};

base::Result<Contact, std::string> read_contact(const JsonFields& fields) {
  text::json::Document document;
  const auto value = document.parse(fields.text());
  if (!value) return base::Refusal{"not JSON: " + value.error()};
  text::JsonRecord record(*value);
  record.be_strict();
  record.allow_only(kContactKeys);
  return contact_from_record(record);
}

TEST(ContactRecord, IsEnabledUnlessMarkedAsDisabled) {
  text::json::Document document;
  const auto stored = [&](const JsonFields& fields) {
    text::JsonRecord record(*document.parse(fields.text()));
    return contact_from_record(record);
  };
  EXPECT_FALSE(stored(kContact)->disabled);
  EXPECT_FALSE(stored(kContact.with("disabled", "false"))->disabled);
  const JsonFields disabled = kContact.with("disabled", "true");
  EXPECT_TRUE(stored(disabled)->disabled);
  EXPECT_EQ(to_record(*stored(disabled)), disabled.without("password_hash").text())
      << "the hash has a key of its own";
  EXPECT_EQ(stored(kContact.with("disabled", "1")).error(), "disabled must be true or false");
  EXPECT_EQ(read_contact(disabled).error(),
            "disabled is an unknown key; the allowed keys are kind, id, name, email, password, "
            "password_hash, memberships")
      << "only user disable writes it";
}

TEST(ContactRecord, NeverHoldsAPassword) {
  const auto contact =
      read_contact(kContact.without("password_hash").with("password", R"("hunter2")"));
  ASSERT_TRUE(contact) << contact.error();
  EXPECT_EQ(contact->password_hash, "");
  EXPECT_EQ(to_record(*contact), kContact.without("password_hash").text());
}

TEST(ContactRecord, ErrorsNameTheKey) {
  struct Case {
    std::string_view name;
    JsonFields record;
    std::string_view error;
  };
  const auto email = [](const std::string& text) {
    return kContact.with("email", "\"" + text + "\"");
  };
  const auto members = [](const std::string& json) { return kContact.with("memberships", json); };
  const std::string_view bad_email = "email must be an email address";
  const std::string_view bad_hash =
      "password_hash must be $argon2id$v=19$m=<KiB>,t=<passes>,p=<lanes>$<salt>$<hash>, or "
      "$scrypt$ln=<log2 N>,r=<r>,p=<p>$<salt>$<hash> with N of 2^14 to 2^17";
  for (const Case& c : {
           Case{"no id", kContact.without("id"), "id is missing"},
           Case{"an empty name", kContact.with("name", R"("")"), "name must not be empty"},
           Case{"no email", kContact.without("email"), "email is missing"},
           Case{"no @", email("manuel"), bad_email},
           Case{"nothing before the @", email("@acme.example"), bad_email},
           Case{"nothing behind the @", email("manuel@"), bad_email},
           Case{"two @", email("a@b@c"), bad_email},
           Case{"a space", email("a b@c"), bad_email},
           Case{"a line feed", email("a@c\\nBcc: d@e"), bad_email},
           Case{"angle brackets", email("<a@c>"), bad_email},
           Case{"a long email", email(std::string(250, 'a') + "@b.example"),
                "email is longer than 254 bytes"},
           Case{"a plain password for a hash", kContact.with("password_hash", R"("hunter2")"),
                bad_hash},
           Case{"a cheap hash",
                kContact.with("password_hash", "\"scrypt$10$8$5$" + std::string(32, 'a') + "$" +
                                                   std::string(64, 'b') + "\""),
                bad_hash},
           Case{"no memberships", kContact.without("memberships"), "memberships is missing"},
           Case{"memberships that are none", members("[1001]"),
                "memberships[0]: must be a JSON object"},
           Case{"a membership without an account", members(R"([{"role":"user"}])"),
                "memberships[0]: account_id is missing"},
           Case{"a membership without a role", members(R"([{"account_id":1}])"),
                "memberships[0]: role is missing"},
           Case{"an unknown role", members(R"([{"account_id":1,"role":"admin"}])"),
                "memberships[0]: role must be one of owner, manager, user"},
           Case{"an account twice",
                members(R"([{"account_id":1,"role":"user"},{"account_id":1,"role":"owner"}])"),
                "memberships[1]: account_id occurs twice"},
           Case{"a membership's unknown key",
                members(R"([{"account_id":1,"role":"user","since":1}])"),
                "memberships[0]: since is an unknown key; the allowed keys are account_id, role"},
           Case{"an unknown key", kContact.with("admin", "true"),
                "admin is an unknown key; the allowed keys are kind, id, name, email, password, "
                "password_hash, memberships"},
       }) {
    SCOPED_TRACE(c.name);
    const auto contact = read_contact(c.record);
    EXPECT_EQ(contact ? "accepted" : contact.error(), c.error);
  }
}

}  // namespace
}  // namespace svc::media
