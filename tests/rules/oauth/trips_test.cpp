// The number of round trips to the store per request of an application.
#include <gtest/gtest.h>

#include <set>

#include "rules/oauth/application.h"

namespace svc::rules::trips {
namespace {

class OauthTrips : public WithApplication {
 protected:
  // Afterwards Redis knows the scripts, and the grant was used a moment ago.
  OauthTrips() {
    introspect(new_tokens().access);
    tokens_ = tokens_of(counted([&, code = new_code()] { return exchange(code); }));
  }

  // trips_ is the number of round trips of these requests.
  template <class Requests>
  auto counted(Requests requests) -> decltype(requests()) {
    site_.trips.count = 0;
    auto answers = requests();
    trips_ = site_.trips.count;
    return answers;
  }
  static Ask to_refresh(const std::string& token, const std::string& secret = kSecret) {
    return Ask("POST /oauth/token")
        .with_form({{"client_id", kClient},
                    {"client_secret", secret},
                    {"grant_type", "refresh_token"},
                    {"refresh_token", token}});
  }

  int trips_ = 0;
  Tokens tokens_;
};

TEST_F(OauthTrips, AnExchangeAndARefreshTakeTwoEach) {
  EXPECT_EQ(trips_, 2);
  EXPECT_EQ(counted([&] { return refresh(tokens_.refresh); }).status, 200);
  EXPECT_EQ(trips_, 2);
}

TEST_F(OauthTrips, ATokenCheckTakesOne) {
  EXPECT_EQ(
      counted([&] { return ask("/v1/medias/unknown0?access_token=" + tokens_.access); }).status,
      404);
  EXPECT_EQ(trips_, 1);
  // The project of a media that was read before is read with it.
  for (const int needed : {2, 1}) {
    EXPECT_EQ(
        counted([&] { return ask("/v1/medias/l4unchf1lm?access_token=" + tokens_.access); }).status,
        200);
    EXPECT_EQ(trips_, needed);
  }
  // The first round trip reads the account, the second one its counts.
  EXPECT_TRUE(counted([&] { return lives(tokens_.access); }));
  EXPECT_EQ(trips_, 2);
  EXPECT_EQ(member_of(counted([&] { return introspect(tokens_.access); }), "active"), "true");
  EXPECT_EQ(trips_, 1);
  EXPECT_EQ(counted([&] { return revoke("unknown"); }).status, 200);
  EXPECT_EQ(trips_, 1);
}

TEST_F(OauthTrips, FiftyChecksAtTheSameTimeTakeOne) {
  const std::vector<Ask> asks(50, "/v1/medias/unknown0?access_token=" + tokens_.access);
  for (const Answer& answer : counted([&] { return site_.ask_at_once(asks); }))
    EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(trips_, 1);
}

TEST_F(OauthTrips, FiftyRefreshesAtTheSameTimeTakeTwoAndGetTokensOfTheirOwn) {
  const std::vector<Ask> asks(50, to_refresh(tokens_.refresh));
  std::set<std::string> all;
  for (const Answer& answer : counted([&] { return site_.ask_at_once(asks); }))
    all.insert(tokens_of(answer).access);
  EXPECT_EQ(trips_, 2);
  EXPECT_EQ(all.size(), asks.size());
  for (const std::string& access : all) EXPECT_TRUE(lives(access));
}

TEST_F(OauthTrips, OauthT6AWrongSecretDoesNotAffectRequestsAtTheSameTime) {
  std::vector<Ask> asks;
  for (int i = 0; i < 40; ++i)
    asks.push_back(to_refresh(tokens_.refresh, i % 4 == 0 ? "wrong" : kSecret));
  const std::vector<Answer> answers = site_.ask_at_once(asks);
  for (std::size_t i = 0; i < answers.size(); ++i)
    EXPECT_EQ(answers[i].status, i % 4 == 0 ? 401 : 200) << i;
}

// All requests read the count before the first guess is counted.
TEST_F(OauthTrips, OauthT6GuessesAtTheSameTimeCountOneByOne) {
  const std::vector<Ask> asks(30, to_refresh(tokens_.refresh, "wrong"));
  int refused = 0;
  for (const Answer& answer : site_.ask_at_once(asks)) refused += answer.status == 429;
  EXPECT_EQ(refused, 10);
  EXPECT_EQ(refresh(tokens_.refresh).status, 429);
}

TEST_F(OauthTrips, OauthT10NoRefreshOutlivesARevocationAtTheSameTime) {
  std::vector<Ask> asks(20, to_refresh(tokens_.refresh));
  asks[10] =
      Ask("POST /oauth/revoke")
          .with_form(
              {{"client_id", kClient}, {"client_secret", kSecret}, {"token", tokens_.refresh}});
  for (const Answer& answer : site_.ask_at_once(asks)) {
    const std::string access = member_of(answer, "access_token");
    EXPECT_TRUE(access.empty() || !lives(access)) << answer.status;
  }
  EXPECT_FALSE(lives(tokens_.access));
  EXPECT_TRUE(keys("oauth:access:*").empty());
}

TEST_F(OauthTrips, OauthT8OneOfManyExchangesAtTheSameTimeSpendsTheCode) {
  const std::vector<Ask> asks(8, Ask("POST /oauth/token")
                                     .with_form({{"client_id", kClient},
                                                 {"client_secret", kSecret},
                                                 {"grant_type", "authorization_code"},
                                                 {"redirect_uri", kRedirectUri},
                                                 {"code", new_code()}}));
  int spent = 0;
  for (const Answer& answer : site_.ask_at_once(asks)) {
    spent += answer.status == 200;
    if (answer.status != 200) {
      EXPECT_EQ(outcome(answer), "400 invalid_grant");
    } else {
      EXPECT_FALSE(lives(tokens_of(answer).access)) << "its code came again";
    }
  }
  EXPECT_EQ(spent, 1);
}

}  // namespace
}  // namespace svc::rules::trips
