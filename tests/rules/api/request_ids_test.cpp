// api.md: the ids that refusals show: of the request, and of the subject that a client named.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "rules/api/api.h"

namespace svc::rules::request_ids {
namespace {

class RequestIds : public WithApi {
 protected:
  void SetUp() override { site_.request_id = std::string(32, 'a'); }
  Ask json(const std::string& line, const std::string& body) const {
    return Ask(line)
        .with("Authorization", "Bearer " + token_)
        .with("Content-Type", "application/json")
        .with_body(body);
  }
  std::string token_ = token_of("all:all");
};

TEST_F(RequestIds, ApiN3AreInEachRefusal) {
  put(media("requested01"));
  const std::string upload = "POST /v1/medias?access_token=" + token_;
  const std::vector<std::pair<Ask, int>> all{
      {Ask("/v1/account"), 401},
      {Ask("/v1/account?access_token=a&bearer_token=b"), 400},
      {Ask("PATCH /v1/account"), 405},
      {json("/v1/medias/absent00001", ""), 404},
      {json("/v1/medias?page=0", ""), 400},
      {json("/v1/medias?status=ready", ""), 400},
      {json("/v1/medias/requested01", ""), 200},
      {json("/v1/medias/requested01", "").with("If-None-Match", "*"), 304},
      {json("HEAD /v1/medias/requested01", ""), 200},
      {json("OPTIONS /v1/medias/requested01", ""), 204},
      {json("PUT /v1/medias/requested01", R"({"name":7})"), 422},
      {json("PUT /v1/medias/requested01", "{"), 400},
      {json("PUT /v1/medias/requested01", "{}").with("If-None-Match", "*"), 412},
      {json("PUT /v1/medias/requested01", "{}").with("Content-Type", "text/plain"), 415},
      {Ask("POST /v1/medias"), 401},
      {Ask(upload).with("Content-Type", "text/plain").with_body("x"), 415},
      {Ask(upload).with("Content-Type", "multipart/form-data; boundary=b").with_body("--b--\r\n"),
       422},
      {Ask("/v1/openapi.json?x=1"), 400},
      {Ask("POST /v1/openapi.json"), 405},
  };
  for (const auto& [request, status] : all) {
    SCOPED_TRACE(request.method + " " + request.target);
    const Answer answer = ask(request);
    EXPECT_EQ(answer.status, status) << answer.body;
    if (status < 400) {
      EXPECT_FALSE(answer.has("request_id")) << answer.body;
    } else {
      EXPECT_EQ(member(answer, "request_id"), site_.request_id) << answer.body;
    }
  }
  const Answer unknown = site_.ask_pool("grant", "/v1/nothing");
  EXPECT_EQ(member(unknown, "request_id"), site_.request_id) << unknown.body;
  stores().command({"SET", "catalog:media:requested01", "{"});
  const Answer away = ask(json("/v1/medias/requested01", ""));
  EXPECT_EQ(away.status, 503);
  EXPECT_EQ(member(away, "request_id"), site_.request_id) << away.body;
}

TEST_F(RequestIds, ApiN3ARepetitionHasItsOwn) {
  const Ask post = json("POST /v1/projects", R"({"name":7})").with("Idempotency-Key", "one");
  ask(post);
  site_.request_id = std::string(32, 'b');
  const Answer again = ask(post);
  EXPECT_EQ(again.status, 422);
  EXPECT_EQ(member(again, "request_id"), site_.request_id);
}

TEST_F(RequestIds, ApiN3ARefusalShowsSixtyFourBytesOfWhatAClientNamed) {
  put(media("requested01"));
  const std::string name = "hashed_ids" + std::string(1000, 'n');
  const std::string twice = R"({")" + name + R"(":1,")" + name + R"(":2})";
  for (const Ask& each :
       {json("/v1/medias?" + name + "=1", ""), json("/v1/account?" + name + "=1", ""),
        json("PUT /v1/medias/requested01", twice), json("POST /v1/projects", twice),
        json("PUT /v1/medias/move", R"({"project_id":"none","hashed_ids":[")" + name + R"("]})")}) {
    const Answer answer = ask(each);
    EXPECT_GE(answer.status, 400) << each.target;
    EXPECT_TRUE(answer.has(name.substr(0, 61) + "…")) << each.target << answer.body;
    EXPECT_FALSE(answer.has(name.substr(0, 65))) << each.target << answer.body;
  }
}

// Ignored, it would seem to have moved the media.
TEST_F(RequestIds, ApiN7AnEditRefusesAProjectAndNamesTheMove) {
  put(media("requested01"));
  for (const char* body : {R"({"name":"B","project_id":"any"})", R"({"project_id":null})"}) {
    const Answer answer = ask(json("PUT /v1/medias/requested01", body));
    EXPECT_EQ(answer.status, 422) << body;
    EXPECT_TRUE(answer.has(R"("project_id":["is changed by PUT /v1/medias/move"])")) << answer.body;
  }
  EXPECT_EQ(member(ask(json("/v1/medias/requested01", "")), "name"), "A film");
  EXPECT_EQ(
      ask(json("PUT /v1/medias/requested01", ask(json("/v1/medias/requested01", "")).body)).status,
      200)
      << "a record may be sent back";
}

}  // namespace
}  // namespace svc::rules::request_ids
