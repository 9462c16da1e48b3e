// api.md: a repeated POST.
#include <gtest/gtest.h>

#include <algorithm>

#include "rules/api/api.h"

namespace svc::rules::repetitions {
namespace {

class Repetitions : public WithApi {
 protected:
  void SetUp() override { token_ = token_of("all:all"); }

  Ask post(const std::string& key, const std::string& body,
           const std::string& type = "application/json") const {
    return Ask("POST /v1/projects")
        .with("Authorization", "Bearer " + token_)
        .with("Content-Type", type)
        .with("Idempotency-Key", key)
        .with_body(body);
  }
  std::size_t created() { return stores().events("project.created"); }

  std::string token_;
};

TEST_F(Repetitions, ApiN10GetTheFirstResponse) {
  const Answer first = ask(post("one", R"({"name":"New","description":"Words"})"));
  EXPECT_EQ(first.status, 201);
  for (const auto& [body, type] :
       {std::pair{R"({"name":"New","description":"Words"})", "application/json"},
        {R"( { "description" : "W\u006frds", "name" : "New" } )", "application/json"},
        {"description=Words&name=New", "application/x-www-form-urlencoded"}}) {
    const Answer again = ask(post("one", body, type));
    EXPECT_EQ(again.status, 201) << body;
    EXPECT_EQ(again.body, first.body) << body;
    EXPECT_EQ(again.type, first.type);
    EXPECT_EQ(again.header("Location"), first.header("Location"));
    EXPECT_EQ(again.header("ETag"), first.header("ETag"));
  }
  EXPECT_EQ(created(), 1U);
  EXPECT_EQ(ask(post("two", R"({"name":"New"})")).status, 201);
  EXPECT_EQ(ask(post("", R"({"name":"New"})")).status, 201);
  EXPECT_EQ(created(), 3U);
}

TEST_F(Repetitions, ApiN10AreOfEachPathThatTakesAPost) {
  put(media("repeated001"));
  const auto twice = [&](const std::string& path, const std::string& body) {
    Ask each = post("one", body);
    each.target = path;
    const Answer first = ask(each);
    EXPECT_EQ(first.status, 201) << path << first.body;
    const Answer again = ask(each);
    EXPECT_EQ(again.status, 201) << path;
    EXPECT_EQ(again.body, first.body) << path;
  };
  twice("/v1/projects", R"({"name":"New"})");
  twice("/v1/medias/repeated001/customizations", R"({"playerColor":"ff0000"})");
  twice("/v1/medias/repeated001/captions.json",
        R"({"language":"en","caption_file":"WEBVTT\n\n00:00.000 --> 00:01.000\nHi\n"})");
}

TEST_F(Repetitions, ApiN10KeepARefusalAndRefuseAnotherBody) {
  const Answer first = ask(post("one", R"({"name":7})"));
  EXPECT_EQ(first.status, 422);
  EXPECT_EQ(ask(post("one", R"({"name":7})")).body, first.body);
  const Answer other = ask(post("one", R"({"name":"Right"})"));
  EXPECT_EQ(other.status, 422);
  EXPECT_TRUE(other.has("Idempotency-Key")) << other.body;
  EXPECT_EQ(created(), 0U);
}

TEST_F(Repetitions, ApiN10EqualNumbersAreEqualToTheLastDigit) {
  for (const auto& [first, other] : {std::pair{"0.12345678", "0.12345679"}, {"1e-9", "2e-9"}}) {
    const auto body = [](const std::string& number) {
      return R"({"name":"New","colour":{"b":)" + number + R"(,"a":1}})";
    };
    EXPECT_EQ(ask(post(first, body(first))).status, 201);
    EXPECT_EQ(ask(post(first, body(first + std::string(" ")))).status, 201);
    EXPECT_EQ(
        ask(post(first, R"({"colour":{"a":1,"b":)" + std::string(first) + R"(},"name":"New"})"))
            .status,
        201);
    EXPECT_EQ(ask(post(first, body(other))).status, 422) << other;
  }
  EXPECT_EQ(created(), 2U);
}

TEST_F(Repetitions, ApiN10EndAfterADayAndAreOfOneGrantAndKey) {
  const std::string body = R"({"name":"New"})";
  ask(post("one", body));
  token_ = token_of("all:all", "1002");
  EXPECT_EQ(ask(post("one", body)).status, 201);
  EXPECT_EQ(created(), 2U);
  token_ = token_of("all:all");
  site_.pass(24 * 3600 + 1);
  token_ = token_of("all:all");
  EXPECT_EQ(ask(post("one", body)).status, 201);
  EXPECT_EQ(created(), 3U);
}

TEST_F(Repetitions, ApiN10OneOfTwoAtOnceIsMade) {
  const std::vector<Answer> both = site_.ask_at_once(post("one", R"({"name":"New"})"), 2);
  const int first = std::min(both[0].status, both[1].status);
  const int second = std::max(both[0].status, both[1].status);
  EXPECT_EQ(first, 201);
  EXPECT_TRUE(second == 409 || second == 201) << second;
  EXPECT_EQ(created(), 1U);
}

TEST_F(Repetitions, ApiN10RefuseAKeyThatIsNone) {
  for (const std::string& key :
       {std::string(256, 'k'), std::string("\xc3\xa4"), std::string("a\tb")})
    EXPECT_EQ(ask(post(key, R"({"name":"New"})")).status, 400) << key;
  EXPECT_EQ(ask(post(std::string(255, '~'), R"({"name":"New"})")).status, 201);
  token_ = token_of("media:read");
  EXPECT_EQ(ask(post(std::string(256, 'k'), "{}")).status, 403);
}

}  // namespace
}  // namespace svc::rules::repetitions
