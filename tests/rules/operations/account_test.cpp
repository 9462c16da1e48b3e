// operations.md: what an account has agrees, whatever clients do at the same time and whenever a
// connection ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/entropy.h"
#include "ctl/command.h"
#include "ctl/commands/groups.h"
#include "rules/api/api.h"
#include "stores/kinds.h"

namespace svc::rules::whole_account {
namespace {

constexpr int kRounds = 30;
constexpr std::size_t kAtOnce = 8;

using Names = std::set<std::string>;

class WholeAccount : public WithApi, public testing::WithParamInterface<unsigned> {
 protected:
  void SetUp() override { token_ = token_of("all:all"); }

  Ask with_token(const Ask& ask) const { return ask.with("Authorization", "Bearer " + token_); }
  Ask json(const std::string& line, const std::string& body) const {
    return with_token(Ask(line).with("Content-Type", "application/json").with_body(body));
  }
  std::size_t any(std::size_t below) { return random_() % below; }
  // Up to 40 KB.
  static std::string cues(std::size_t count) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i)
      all += "1\n00:00:01,000 --> 00:00:02,000\nSome words\n\n";
    return all;
  }
  std::string film() { return "wholefilm" + std::to_string(any(6)); }
  std::string project() { return projects_.empty() ? "n0such" : projects_[any(projects_.size())]; }

  // Mostly changes, of few records, so that they meet.
  Ask next() {
    const std::string path = "/v1/medias/" + film();
    switch (any(9)) {
      case 0: return json("PUT " + path, R"({"name":")" + std::to_string(any(1000)) + "\"}");
      case 1: return json("PUT " + path, R"({"project_id":")" + project() + "\"}");
      case 2:
        return json("PUT /v1/medias/move", R"({"hashed_ids":[")" + film() + R"(",")" + film() +
                                               R"("],"project_id":")" + project() + "\"}");
      case 3: return with_token("DELETE " + path);
      case 4: return with_token("DELETE /v1/projects/" + project());
      case 5: return json("POST /v1/projects", R"({"name":"A project"})");
      case 6:
        return with_token(Ask("POST " + path + "/captions")
                              .with_form({{"language", any(2) == 0 ? "eng" : "deu"},
                                          {"caption_file", cues(1 + any(800))}}));
      case 7: return with_token("DELETE " + path + "/captions/" + (any(2) == 0 ? "eng" : "deu"));
      default:
        return json("PUT " + path + "/swap", R"({"replacement_media_id":")" + film() + "\"}");
    }
  }
  // Adds a film that is gone, as svc-ingest does.
  void add() {
    const std::string id = film();
    if (stores().command({"EXISTS", "catalog:media:" + id}).integer() == 1) return;
    media::Media one = media(id);
    media::Asset file;
    file.type = media::AssetType::Hls;
    file.url = "/files/" + id + "/1/index.m3u8";
    file.size = media::Dimensions{640, 360};
    file.bandwidth = 1'000'000;
    one.assets = {file};
    one.duration = 10;
    put(one);
  }
  // Some end a connection of the service to Redis while they are answered.
  void change() {
    std::vector<Ask> asks;
    while (asks.size() < kAtOnce) asks.push_back(next());
    int left = any(4) == 0 ? 1 + static_cast<int>(any(12)) : 0;
    site_.trips.then = [&] {
      if (left > 0 && --left == 0) stores().command({"CLIENT", "KILL", "SKIPME", "yes"});
    };
    const std::vector<Answer> answers = site_.ask_at_once(asks);
    site_.trips.then = {};
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].status == 201 && asks[i].target == "/v1/projects")
        projects_.push_back(member(answers[i], "hashedId"));
      EXPECT_NE(answers[i].status, 500) << asks[i].method << ' ' << asks[i].target;
    }
  }

  // What the lists name.
  Names listed(const std::string& path) {
    Names all;
    const Answer answer = ask(with_token(Ask(path)));
    EXPECT_EQ(answer.status, 200) << path << answer.body;
    text::json::Document document;
    const auto value = document.parse(answer.body, text::json::Origin::Ours);
    if (!value) return all;
    for (std::size_t i = 0; i < value->size(); ++i)
      all.insert(std::string(*value->at(i).find("hashed_id")->string()));
    return all;
  }
  Names stored(const std::string& prefix) {
    Names all;
    const redis::Reply found = stores().command({"KEYS", prefix + "*"});
    for (std::size_t i = 0; i < found.size(); ++i)
      all.insert(std::string(found.at(i).text()->substr(prefix.size())));
    return all;
  }
  // What svcctl catalog check says; "": nothing is wrong.
  std::string check() {
    const std::optional<base::KeyRing> keys;  // needs none
    const oauth::Limits limits;
    base::SystemEntropy entropy;
    const ctl::Store store{stores().loop(), stores().redis()};
    ctl::Context context{.store = store,
                         .state = store,
                         .keys = keys,
                         .limits = limits,
                         .entropy = entropy,
                         .clock = site_.wall_clock()};
    std::ostringstream out;
    std::streambuf* const before_out = std::cout.rdbuf(out.rdbuf());
    std::streambuf* const before_err = std::cerr.rdbuf(out.rdbuf());
    const int status = ctl::run({&ctl::catalog_commands()}, {"catalog", "check"}, context);
    std::cout.rdbuf(before_out);
    std::cerr.rdbuf(before_err);
    return status == ctl::kDone ? "" : out.str();
  }

  std::mt19937 random_{GetParam()};
  std::string token_;
  std::vector<std::string> projects_;
};

TEST_P(WholeAccount, OperationsD69ListsNumbersAndRecordsAgree) {
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < 3; ++i) add();
    change();
  }
  Names films = stored("catalog:media:wholefilm");
  Names shown;
  for (const std::string& id : listed("/v1/medias?per_page=100")) {
    if (id.starts_with("wholefilm")) shown.insert(id.substr(9));
  }
  EXPECT_EQ(shown, films);
  EXPECT_FALSE(projects_.empty());
  EXPECT_EQ(check(), "");
  for (const std::string& id : films) {
    const Answer captions = ask(with_token(Ask("/v1/medias/wholefilm" + id + "/captions")));
    EXPECT_EQ(captions.status, 200);
    EXPECT_FALSE(captions.has(R"("text":null)")) << "a text is gone";
  }
  // All that is left ends with its media.
  for (const std::string& id : films)
    EXPECT_EQ(ask(with_token("DELETE /v1/medias/wholefilm" + id)).status, 204);
  for (const stores::Kind& kind : stores::kKinds) {
    if (!kind.key.ends_with("<media>")) continue;
    const std::string prefix(kind.key.substr(0, kind.key.find('<')));
    EXPECT_EQ(stored(prefix + "wholefilm"), Names()) << kind.key;
  }
  EXPECT_EQ(check(), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, WholeAccount, testing::Values(1U, 2U, 3U, 4U));

}  // namespace
}  // namespace svc::rules::whole_account
