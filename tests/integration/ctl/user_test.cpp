#include "ctl/user.h"

#include "base/password_hash.h"
#include "integration/ctl/command_fixture.h"

namespace svc {
namespace {

using integration::Ran;

class User : public integration::CommandFixture {
 protected:
  std::string hash_of(media::ContactId id) {
    const auto contact = redis::People(store_).find_contact(id);
    store_.settle();
    return contact ? contact->password_hash : "";
  }
};

TEST_F(User, CanLogInWithThePasswordThatWasGiven) {
  const Ran ran = run(ctl::user_commands(),
                      {"create", "--name", "N", "--email", "n@example.com", "--account", "41:owner",
                       "--password-stdin"},
                      "a good password \r\nmore\n");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto contact = redis::People(store_).find_contact("N@EXAMPLE.COM");
  ASSERT_TRUE(contact);
  EXPECT_TRUE(base::password_matches("a good password ", contact->password_hash));
}

TEST_F(User, PasswordSetEndsTheSessions) {
  const auto keys = ring();
  redis::Sessions sessions(store_, keys, entropy_, clock_, {});
  const std::string first = sessions.begin({410}, "192.0.2.1", "tag");
  const std::string second = sessions.begin({410}, "192.0.2.2", "tag");
  const std::string others = sessions.begin({411}, "192.0.2.3", "tag");
  const Ran ran =
      run(ctl::user_commands(), {"passwd", "Owner@example.com", "--password-stdin", "--json"},
          "new password\n");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, R"({"contact_id":410,"email":"owner@example.com","sessions_ended":2})"
                     "\n");
  EXPECT_FALSE(sessions.find(first));
  EXPECT_FALSE(sessions.find(second));
  EXPECT_TRUE(sessions.find(others));
  EXPECT_TRUE(base::password_matches("new password", hash_of({410})));
  EXPECT_NE(audited().find(R"("what":"password.changed","contact":410)"), std::string::npos);
}

TEST_F(User, WithoutAPasswordGetsOne) {
  set("catalog:contact:410", R"({"id":410,"name":"Owner","email":"owner@example.com",)"
                             R"("memberships":[{"account_id":41,"role":"owner"}]})");
  EXPECT_EQ(run(ctl::user_commands(), {"passwd", "owner@example.com", "--password-stdin"},
                "new password\n")
                .status,
            0);
  EXPECT_TRUE(base::password_matches("new password", hash_of({410})));
}

}  // namespace
}  // namespace svc
