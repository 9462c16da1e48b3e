// api.md: a repeated POST.
#include "oauth/repetitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/hex.h"
#include "oauth/grant.h"
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

  struct Film {
    std::string name = "f.mp4";
    std::string bytes = "0123456789";
    std::string fields{};
    std::string boundary = "B";
  };
  static std::string field(const std::string& name, const std::string& value) {
    return "--B\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
  }
  Ask upload(const std::string& key, const Film& film) const {
    const std::string limit = "--" + film.boundary;
    return Ask("POST /v1/medias?access_token=" + token_)
        .with("Content-Type", "multipart/form-data; boundary=" + film.boundary)
        .with("Idempotency-Key", key)
        .with_body(film.fields + limit +
                   "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + film.name +
                   "\"\r\n\r\n" + film.bytes + "\r\n" + limit + "--\r\n");
  }
  Ask upload(const std::string& key) const { return upload(key, Film()); }
  // Uploads that wait for svc-ingest.
  std::int64_t waiting() { return stores().command({"LLEN", "ingest:incoming"}).integer(); }
  std::size_t files() { return site_.files_of_uploads(); }

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
  const Answer again = ask(post("one", R"({"name":7})"));
  EXPECT_EQ(again.status, 422);
  EXPECT_EQ(member(again, "error"), member(first, "error"));
  EXPECT_TRUE(again.has("with another key")) << again.body;
  const Answer other = ask(post("one", R"({"name":"Right"})"));
  EXPECT_EQ(other.status, 422);
  EXPECT_TRUE(other.has("Idempotency-Key")) << other.body;
  EXPECT_EQ(created(), 0U);
}

// The stored size does not grow with the names in a body.
TEST_F(Repetitions, ApiN10KeepStatusAndCodeOfARefusalOnly) {
  put(media("repeated001"));
  std::string fields = R"({"name":7)";
  for (int i = 0; i < 20; ++i) {
    const std::string field = ",\"" + std::to_string(i) + std::string(1000, 'n') + "\":1";
    fields += field + field;
  }
  const struct {
    std::string path, body;
    int status;
  } refused[] = {{"/v1/projects", fields + "}", 422},
                 {"/v1/medias/repeated001/links", R"({"expires_in":1})", 422},
                 {"/v1/medias/repeated001/captions", fields + "}", 422},
                 {"/v1/allowed_domains", R"({"domain":"no domain"})", 422}};
  for (const auto& [path, body, status] : refused) {
    Ask asked = post("one", body);
    asked.target = path;
    const Answer first = ask(asked);
    EXPECT_EQ(first.status, status) << path << first.body;
    EXPECT_LE(first.body.size(), 6000U) << path;
    const Answer again = ask(asked);
    EXPECT_EQ(again.status, status) << path;
    EXPECT_EQ(member(again, "error"), member(first, "error")) << path;
    EXPECT_TRUE(again.has("with another key")) << path << again.body;
  }
  const redis::Reply kept = stores().command({"KEYS", "oauth:repetition:*"});
  ASSERT_EQ(kept.size(), std::size(refused));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const redis::Reply record = stores().command({"GET", kept.at(i).text().value_or("")});
    EXPECT_TRUE(record.text().value_or("").starts_with("kept "));
    EXPECT_LE(record.text().value_or("").size(), 256U);
  }
}

TEST_F(Repetitions, ApiN10KeepBytesAndNotHexadecimals) {
  const Answer first =
      ask(post("one", R"({"name":"New","description":")" + std::string(4000, 'd') + R"("})"));
  EXPECT_EQ(first.status, 201);
  const redis::Reply kept = stores().command({"KEYS", "oauth:repetition:*"});
  ASSERT_EQ(kept.size(), 1U);
  const redis::Reply record = stores().command({"GET", kept.at(0).text().value_or("")});
  EXPECT_LE(record.text().value_or("").size(), first.body.size() + 400);
}

// By a worker of an earlier version: in hexadecimal, under the name of the grant.
TEST_F(Repetitions, ApiN10ReadWhatAnEarlierVersionKept) {
  const std::string digest = base::to_hex(base::sha256("POST /v1/projects\none"));
  const std::string grant = oauth::GrantId::of({502}, {kAcme}, oauth::ClientId{kOther}).value();
  const std::string key = "oauth:repetition:{" + grant + "}:" + digest;
  const std::string line = "kept " + std::to_string(site_.now() + 60) + " " +
                           base::to_hex(base::sha256(R"({"name":"New",})")) + " request\n";
  for (const std::string& text :
       {std::string("not sealed"), std::string("keys:00"), std::string()}) {
    stores().command({"SET", key, line + text});
    const Answer answer = ask(post("one", R"({"name":"New"})"));
    EXPECT_EQ(answer.status, 409) << text << answer.body;
  }
  EXPECT_EQ(created(), 0U);
}

// Those of two grants.
TEST_F(Repetitions, ApiN10AnAccountHasAsManyAsAreAllowed) {
  const std::string bytes = "oauth:repetition_bytes:{" + std::to_string(kAcme) + "}";
  ask(post("one", R"({"name":"New"})"));
  stores().command({"HSET", bytes, "all", std::to_string(oauth::Repetitions::kMostBytes)});
  const Answer full = ask(post("two", R"({"name":"New"})"));
  EXPECT_EQ(full.status, 429);
  EXPECT_EQ(full.header("Retry-After"), std::to_string(oauth::Repetitions::kKept))
      << "when the first of them ends";
  EXPECT_EQ(ask(post("one", R"({"name":"New"})")).status, 201);
  EXPECT_EQ(ask(post("", R"({"name":"New"})")).status, 201);
  token_ = token_of("all:all", "1002");
  EXPECT_EQ(ask(post("two", R"({"name":"New"})")).status, 201);
  EXPECT_EQ(created(), 3U);
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

TEST_F(Repetitions, ApiN10CarriesOutOneOfTwoSimultaneousRequests) {
  const std::vector<Answer> both = site_.ask_at_once(post("one", R"({"name":"New"})"), 2);
  const int first = std::min(both[0].status, both[1].status);
  const int second = std::max(both[0].status, both[1].status);
  EXPECT_EQ(first, 201);
  EXPECT_TRUE(second == 409 || second == 201) << second;
  EXPECT_EQ(created(), 1U);
}

TEST_F(Repetitions, ApiN10OfAnUploadMakeOneMedia) {
  const Answer first = ask(upload("one"));
  EXPECT_EQ(first.status, 201) << first.body;
  Film other_boundary;
  other_boundary.boundary = "Another";
  Film other_bytes;
  other_bytes.bytes = "9876543210";
  for (const Film& film : {Film(), other_boundary, other_bytes}) {
    const Answer again = ask(upload("one", film));
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.type, first.type);
    EXPECT_EQ(again.header("Location"), first.header("Location"));
    EXPECT_EQ(again.header("Cache-Control"), "no-store");
  }
  Film other_name;
  other_name.name = "g.mp4";
  Film other_size;
  other_size.bytes = "0";
  Film other_field;
  other_field.fields = field("name", "A film");
  for (const Film& film : {other_name, other_size, other_field}) {
    const Answer refused = ask(upload("one", film));
    EXPECT_EQ(refused.status, 422);
    EXPECT_TRUE(refused.has("Idempotency-Key")) << refused.body;
  }
  EXPECT_EQ(waiting(), 1);
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(ask(upload("two")).status, 201);
  EXPECT_EQ(ask(upload("")).status, 201);
  EXPECT_EQ(ask(upload("")).status, 201);
  token_ = token_of("media:upload", "1002");
  EXPECT_EQ(ask(upload("one")).status, 201);
  EXPECT_EQ(waiting(), 5);
  site_.pass(24 * 3600 + 1);
  token_ = token_of("media:upload");
  EXPECT_EQ(ask(upload("one")).status, 201);
  EXPECT_EQ(waiting(), 6);
  EXPECT_EQ(files(), 6U);
}

TEST_F(Repetitions, ApiN10KeepTheRefusalOfAnUpload) {
  Film film;
  film.fields = field("project_id", "prj_late");
  const Answer first = ask(upload("one", film));
  EXPECT_EQ(first.status, 422);
  stores().import(R"({"kind": "project", "id": "prj_late", "account_id": 1001, "name": "A",)"
                  R"("created": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z"})");
  EXPECT_EQ(ask(upload("one", film)).status, 422);
  EXPECT_EQ(ask(upload("two", film)).status, 201);
  // A form that cannot be read.
  const Answer cut = ask(upload("three").with_body("--B\r\n"));
  EXPECT_EQ(cut.status, 422);
  EXPECT_EQ(ask(upload("three").with_body("--B\r\n")).status, 422);
  EXPECT_TRUE(ask(upload("three")).has("Idempotency-Key"));
  EXPECT_EQ(ask(upload(std::string(256, 'k'))).status, 400);
  EXPECT_EQ(waiting(), 1);
  EXPECT_EQ(files(), 1U);
}

TEST_F(Repetitions, ApiN10KeepsOneOfTwoSimultaneousUploads) {
  const std::vector<Answer> both = site_.ask_at_once(upload("one"), 2);
  const int first = std::min(both[0].status, both[1].status);
  const int second = std::max(both[0].status, both[1].status);
  EXPECT_EQ(first, 201);
  EXPECT_TRUE(second == 409 || both[0].body == both[1].body) << second;
  EXPECT_EQ(waiting(), 1);
  EXPECT_EQ(files(), 1U);
}

// The worker ended after it kept the response.
TEST_F(Repetitions, ApiN10OfAnUploadMayBeThoseOfNginx) {
  site_.request_id = "same";
  const Answer first = ask(upload("one"));
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(ask(upload("one")).body, first.body);
  EXPECT_EQ(waiting(), 1);
  EXPECT_EQ(files(), 1U);
}

TEST_F(Repetitions, ApiN10RefuseAnInvalidKey) {
  for (const std::string& key :
       {std::string(256, 'k'), std::string("\xc3\xa4"), std::string("a\tb")})
    EXPECT_EQ(ask(post(key, R"({"name":"New"})")).status, 400) << key;
  EXPECT_EQ(ask(post(std::string(255, '~'), R"({"name":"New"})")).status, 201);
  token_ = token_of("media:read");
  EXPECT_EQ(ask(post(std::string(256, 'k'), "{}")).status, 403);
}

}  // namespace
}  // namespace svc::rules::repetitions
