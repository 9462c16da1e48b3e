#include "login/visitors.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/key_ring.h"
#include "fakes/fixed_entropy.h"
#include "fakes/login.h"

namespace svc::login {
namespace {

const media::Contact kOlivia{{501}, "Olivia", "olivia@acme.example", "a hash", {}};

class Browsers : public testing::Test {
 protected:
  Visitor of(std::string_view cookie, bool secure = true) {
    http::Request request;
    request.cookie = cookie;
    Visitors visitors(sessions_, keys_, entropy_, secure);
    return fakes::now(visitors.of(request));
  }
  Visitor of_pair(const std::string& set_cookie) {
    return of(set_cookie.substr(0, set_cookie.find(';')));
  }
  std::string log_in(const Visitor& visitor, const media::Contact& contact,
                     std::string_view address) {
    http::Request request;
    request.remote_address = address;
    request.user_agent = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
    return fakes::now(visitors_.log_in(visitor, contact, request));
  }
  static std::optional<media::Contact> who(const Visitor& visitor, media::People& people) {
    return fakes::now(contact_of(visitor, people));
  }

  const base::KeyRing keys_ = *base::KeyRing::parse("k1:" + std::string(64, 'a'));
  fakes::FixedEntropy entropy_;
  fakes::MemorySessions sessions_;
  Visitors visitors_{sessions_, keys_, entropy_, true};
};

TEST_F(Browsers, OauthL2GetAnHttpOnlySecureCookie) {
  EXPECT_EQ(
      of("").set_cookie,
      "__Host-svc_session=svcv_000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
      "; Path=/; HttpOnly; SameSite=Lax; Secure");
  EXPECT_EQ(of("", false).set_cookie,
            "svc_session=svcv_202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
            "; Path=/; HttpOnly; SameSite=Lax");
}

TEST_F(Browsers, OauthL2KeepTheirCookieWithoutASession) {
  const Visitor first = of("");
  const Visitor again = of_pair(first.set_cookie);
  EXPECT_EQ(again.set_cookie, "");
  EXPECT_EQ(again.binding, first.binding);
  EXPECT_FALSE(again.session);
}

TEST_F(Browsers, OauthL2GetANewCookieForAnInvalidOne) {
  const std::string hex(64, 'a');
  for (const std::string& value :
       {std::string(), std::string("x"), hex, "svcx_" + hex, "svcv_" + hex + "a",
        "svcv_" + hex.substr(1), "svcv_" + std::string(64, 'A'), "svcv_" + std::string(64, 'g'),
        "svcs_" + hex, std::string("svcs_"), "svcv_" + std::string(63, 'a') + '"'}) {
    SCOPED_TRACE(value);
    const Visitor visitor = of("__Host-svc_session=" + value);
    EXPECT_FALSE(visitor.session);
    EXPECT_NE(visitor.set_cookie, "");
  }
  EXPECT_NE(of("svc_session=svcv_" + hex).set_cookie, "") << "the name for plain http";
  EXPECT_NE(of("X__Host-svc_session=svcv_" + hex).set_cookie, "") << "another name";
}

TEST_F(Browsers, OauthL2FindTheirCookieAmongOthers) {
  const std::string ours = "__Host-svc_session=svcv_" + std::string(64, 'a');
  for (const std::string& cookie : {ours, "a=b; " + ours, ours + "; a=b", "a=b;" + ours + ";c=d",
                                    "__Host-svc_session2=x; " + ours, "; ;" + ours}) {
    SCOPED_TRACE(cookie);
    EXPECT_EQ(of(cookie).set_cookie, "");
  }
}

TEST_F(Browsers, OauthL2LoginReplacesTheSession) {
  const Visitor anonymous = of("");
  const std::string first = log_in(anonymous, kOlivia, "192.0.2.1");
  EXPECT_TRUE(first.starts_with("__Host-svc_session=svcs_"));
  EXPECT_TRUE(first.ends_with("; Path=/; HttpOnly; SameSite=Lax; Secure"));
  const Visitor known = of_pair(first);
  ASSERT_TRUE(known.session);
  EXPECT_EQ(known.session->contact, media::ContactId{501});
  EXPECT_EQ(known.session->address, "192.0.2.1");
  EXPECT_EQ(known.set_cookie, "");
  EXPECT_NE(known.binding, anonymous.binding);

  const std::string second = log_in(known, media::Contact{{502}, "", "", "", {}}, "192.0.2.1");
  EXPECT_NE(second, first);
  EXPECT_FALSE(of_pair(first).session);
  EXPECT_EQ(of_pair(second).session->contact, media::ContactId{502});
}

TEST_F(Browsers, OauthL2LogoutEndsTheSession) {
  const std::string cookie = log_in(of(""), kOlivia, "192.0.2.1");
  EXPECT_EQ(fakes::now(visitors_.log_out(of_pair(cookie))),
            "__Host-svc_session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0");
  const Visitor after = of_pair(cookie);
  EXPECT_FALSE(after.session);
  EXPECT_NE(after.set_cookie, "") << "the ended session's cookie is none of a visitor";
}

// The cookie of a session must not become that of a visitor by a change of its
// prefix, or the reverse.
TEST_F(Browsers, OauthL2KindsOfCookiesDoNotMix) {
  const std::string cookie = log_in(of(""), kOlivia, "192.0.2.1");
  const std::string secret = cookie.substr(cookie.find("svcs_") + 5, 64);
  EXPECT_FALSE(of("__Host-svc_session=svcv_" + secret).session);
}

TEST_F(Browsers, OauthL1FormTokensAreValidForOneVisitorAndPurpose) {
  const Visitor visitor = of("");
  const std::string token = form_token(keys_, visitor, "login");
  EXPECT_TRUE(is_form_token(keys_, visitor, "login", token));
  EXPECT_FALSE(is_form_token(keys_, visitor, "logout", token));
  EXPECT_FALSE(is_form_token(keys_, of(""), "login", token)) << "another visitor's";
  for (const std::string& wrong :
       {std::string(), token.substr(1), token + "0", std::string(64, '0')})
    EXPECT_FALSE(is_form_token(keys_, visitor, "login", wrong)) << wrong;
}

TEST_F(Browsers, OauthL2SessionsEndWhenThePasswordChanges) {
  fakes::MemoryPeople people;
  people.contacts = {kOlivia};
  EXPECT_FALSE(who(of(""), people));
  const Visitor visitor = of_pair(log_in(of(""), kOlivia, ""));
  const auto contact = who(visitor, people);
  ASSERT_TRUE(contact);
  EXPECT_EQ(contact->id, kOlivia.id);
  people.contacts[0].name = "Olivia B";
  EXPECT_TRUE(who(visitor, people));
  people.contacts[0].password_hash = "another hash";
  EXPECT_FALSE(who(visitor, people)) << "though nobody ended the session";
  people.contacts.clear();
  EXPECT_FALSE(who(visitor, people));
}

TEST_F(Browsers, OauthL2AreNobodyWhileTheirContactIsDisabled) {
  fakes::MemoryPeople people;
  people.contacts = {kOlivia};
  const Visitor visitor = of_pair(log_in(of(""), kOlivia, ""));
  people.contacts[0].disabled = true;
  EXPECT_FALSE(who(visitor, people)) << "though nobody ended the session";
  people.contacts[0].disabled = false;
  EXPECT_TRUE(who(visitor, people));
}

TEST_F(Browsers, OauthL1FormTokensFromBeforeTheLoginAreInvalid) {
  const Visitor before = of("");
  const Visitor after = of_pair(log_in(before, kOlivia, ""));
  EXPECT_FALSE(is_form_token(keys_, after, "login", form_token(keys_, before, "login")));
}

TEST_F(Browsers, OauthL1FormTokensSurviveANewFirstKey) {
  const Visitor visitor = of_pair(log_in(of(""), kOlivia, ""));
  const std::string token = form_token(keys_, visitor, "login");
  const auto rotated =
      *base::KeyRing::parse("k2:" + std::string(64, 'b') + "\nk1:" + std::string(64, 'a'));
  EXPECT_TRUE(is_form_token(rotated, visitor, "login", token));
}

}  // namespace
}  // namespace svc::login
