// api.md: conditions of changes.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "rules/api/api.h"

namespace svc::rules::conditions {
namespace {

class Conditions : public WithApi {
 protected:
  void SetUp() override {
    token_ = token_of("all:all");
    put(media("condition01"));
    put(media("replacement1"));
    project_ = member_of(ask(json("POST /v1/projects", R"({"name":"A project"})")), "hashedId");
    ask(json("POST /v1/medias/condition01/captions",
             R"({"language":"en","caption_file":)" + kSrt + "}"));
    ask(json("PUT /v1/medias/condition01/chapters", R"({"chapters_file":)" + kSrt + "}"));
    changes_ = {
        {"PUT", "/v1/medias/condition01", R"({"name":"B"})"},
        {"PUT", "/v1/projects/" + project_, R"({"name":"B"})"},
        {"PUT", "/v1/medias/condition01/customizations", R"({"volume":0.5})"},
        {"POST", "/v1/medias/condition01/customizations", R"({"volume":0.25})"},
        {"PUT", "/v1/medias/condition01/chapters", R"({"chapters_file":)" + kSrt + "}"},
        {"PUT", "/v1/medias/condition01/captions/en", R"({"caption_file":)" + kSrt + "}"},
        {"PUT", "/v1/medias/condition01/swap", R"({"replacement_media_id":"replacement1"})"},
        {"DELETE", "/v1/medias/condition01/captions/en", ""},
        {"DELETE", "/v1/medias/condition01/customizations", ""},
        {"DELETE", "/v1/medias/condition01/chapters", ""},
        {"DELETE", "/v1/medias/condition01", ""},
        {"DELETE", "/v1/projects/" + project_, ""},
    };
  }

  Ask json(const std::string& line, const std::string& body) const {
    return Ask(line)
        .with("Authorization", "Bearer " + token_)
        .with("Content-Type", "application/json")
        .with_body(body);
  }
  struct Change {
    std::string method, path, body;
  };
  Ask ask_of(const Change& change) const {
    return json(change.method + " " + change.path, change.body);
  }
  // Where the tag of the changed record is.
  std::string tag_of(const Change& change) {
    std::string path = change.path;
    if (path.ends_with("/swap")) path.resize(path.size() - 5);
    return ask(json("GET " + path, "")).header("ETag");
  }
  std::size_t recorded() {
    return stores().events("media.edited") + stores().events("project.edited");
  }

  const std::string kSrt = R"("1\n00:00:01,000 --> 00:00:02,500\nHello\n")";
  std::string token_;
  std::string project_;
  std::vector<Change> changes_;
};

TEST_F(Conditions, ApiN6AreNotMetByARecordThatExists) {
  for (const Change& change : changes_) {
    SCOPED_TRACE(change.method + " " + change.path);
    const std::string tag = tag_of(change);
    ASSERT_TRUE(tag.starts_with('"')) << tag;
    const std::string opaque = tag.substr(1, tag.size() - 2);
    const std::vector<std::pair<std::string, std::string>> not_met{
        {"If-None-Match", "*"},
        {"If-None-Match", " * "},
        {"If-None-Match", tag},
        {"If-None-Match", "W/" + tag},
        {"If-None-Match", R"("other", W/)" + tag},
        {"If-None-Match", R"(, "other" ,, )" + tag + ","},
        {"If-None-Match", opaque},
        {"If-None-Match", R"("other)"},
        {"If-None-Match", R"("other", *)"},
        {"If-None-Match", ","},
        {"If-Match", "W/" + tag},
        {"If-Match", opaque},
        {"If-Match", R"("other")"},
        {"If-Match", tag + ", other"},
        {"If-Match", tag + R"( "other")"},
        {"If-Match", tag + R"(, "other)"},
        {"If-Match", "*, " + tag},
        {"If-Match", R"(w/"other", )" + tag},
        {"If-Match", ","},
        {"If-Match", ", ,"},
    };
    const std::size_t before = recorded();
    for (const auto& [name, value] : not_met) {
      const Answer answer = ask(ask_of(change).with(name, value));
      EXPECT_EQ(answer.status, 412) << name << ": " << value << answer.body;
    }
    EXPECT_EQ(ask(ask_of(change).with("If-Match", tag).with("If-None-Match", "*")).status, 412);
    if (change.method == "PUT") {
      // Also with a body that would be refused (api-N1).
      const Ask other = ask_of(change).with("If-Match", R"("other")");
      EXPECT_EQ(ask(Ask(other).with_body(R"({"unknown":)")).status, 412);
      EXPECT_EQ(ask(Ask(other).with("Content-Type", "image/png")).status, 412);
    }
    EXPECT_EQ(tag_of(change), tag) << "nothing changed";
    EXPECT_EQ(recorded(), before);
  }
}

TEST_F(Conditions, ApiN6AreMetByTheTagAndByOthers) {
  for (const Change& change : changes_) {
    SCOPED_TRACE(change.method + " " + change.path);
    const bool is_gone = change.method == "DELETE";
    const std::string tag = tag_of(change);
    const std::vector<Ask> met{
        ask_of(change)
            .with("If-Match", R"(W/"a,b" ,, "other",)" + tag + " ,")
            .with("If-None-Match", R"("other", W/"another")"),
        ask_of(change).with("If-Match", " * "),
        ask_of(change).with("If-None-Match", R"(W/"other")"),
    };
    for (const Ask& each : met) {
      const Answer answer = ask(each);
      EXPECT_LT(answer.status, 300) << answer.body;
      if (is_gone) break;
    }
  }
}

// A GET that has a tag gets it again unless the list has it, whatever else is in it.
TEST_F(Conditions, ApiN6OfAGetAreWeak) {
  for (const std::string path :
       {"/v1/medias/condition01", "/v1/account", "/v1/medias/condition01/chapters"}) {
    const std::string tag = ask(json("GET " + path, "")).header("ETag");
    for (const auto& [value, status] :
         std::vector<std::pair<std::string, int>>{{"*", 304},
                                                  {"W/" + tag, 304},
                                                  {R"("other", )" + tag, 304},
                                                  {R"("other")", 200},
                                                  {"other", 200},
                                                  {",", 200}})
      EXPECT_EQ(ask(json("GET " + path, "").with("If-None-Match", value)).status, status)
          << path << value;
  }
}

}  // namespace
}  // namespace svc::rules::conditions
