// api.md: lists of media and projects, the account.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rules/api/api.h"
#include "text/json.h"

namespace svc::rules::lists {
namespace {

class Lists : public WithApi {
 protected:
  // Account 1002 has few media. These are added, with equal times but for the last digits.
  static constexpr const char* kAccount = "1002";

  void SetUp() override {
    token_ = token_of("media:read", kAccount);
    for (const auto& [id, name, created, updated] :
         {std::tuple{"list000003", "b", "2026-01-01T00:00:01Z", "2026-02-03T00:00:00Z"},
          {"list000001", "B", "2026-01-01T00:00:02Z", "2026-02-02T00:00:00Z"},
          {"list000002", "ä", "2026-01-01T00:00:02Z", "2026-02-01T00:00:00Z"},
          {"list000004", "a", "2026-01-01T00:00:03.5Z", "2026-02-01T00:00:00Z"}}) {
      media::Media one = media(id, name);
      one.account = {1002};
      one.type = "Listed";
      one.created = created;
      one.updated = updated;
      put(one);
    }
  }
  // A hundred records of the type Large, whose chapters have 40 KB. Returns their ids.
  std::vector<std::string> put_large() {
    std::vector<std::string> ids;
    for (int i = 0; i < 100; ++i) {
      media::Media one = media(ids.emplace_back("large" + std::to_string(10'000 + i)));
      one.account = {1002};
      one.type = "Large";
      for (int k = 0; k < 200; ++k) one.chapters.push_back({10'000 * k, std::string(80, 'c')});
      one.description = std::string(9000, 'd');
      put(one);
    }
    return ids;
  }
  Answer list(const std::string& query, const std::string& path = "/v1/medias") {
    return ask(Ask(path + "?" + query).with("Authorization", "Bearer " + token_));
  }
  // The last digits of the hashed ids, or the error.
  std::string ids(const std::string& query) { return ids_in(list("type=Listed&" + query)); }
  static std::string ids_in(const Answer& answer) {
    text::json::Document document;
    const auto value = document.parse(answer.body, text::json::Origin::Ours);
    if (!value) return "no JSON: " + answer.body;
    if (answer.status != 200) return std::to_string(answer.status);
    std::string ids;
    for (std::size_t i = 0; i < value->size(); ++i)
      ids += value->at(i).find("hashed_id")->string()->back();
    return ids;
  }
  static std::string text_of(const Answer& answer, std::size_t index, std::string_view key) {
    text::json::Document document;
    const auto value = document.parse(answer.body, text::json::Origin::Ours);
    return std::string(*value->at(index).find(key)->string());
  }
  // Returns the query of the link of that relation, or "" without such a link.
  static std::string link(const Answer& answer, const std::string& relation) {
    const std::string links(answer.header("Link"));
    const std::size_t end = links.find(">; rel=\"" + relation + "\"");
    if (end == std::string::npos) return "";
    const std::size_t begin = links.rfind('<', end) + 1;
    const std::string url = links.substr(begin, end - begin);
    return url.substr(url.find('?') + 1);
  }

  std::string token_;
};

TEST_F(Lists, ApiN4AreInTheOrderThatIsAskedFor) {
  for (const auto& [query, expected] : {std::pair{"", "3124"},
                                        {"sort_by=created", "3124"},
                                        {"sort_by=id&sort_direction=1", "3124"},
                                        {"sort_by=position&sort_direction=0", "4213"},
                                        {"sort_by=updated", "2413"},
                                        {"sort_by=updated&sort_direction=0", "3142"},
                                        {"sort_by=name", "1432"},
                                        {"sort_by=name&sort_direction=0", "2341"},
                                        {"per_page=3", "312"},
                                        {"per_page=3&page=2", "4"},
                                        {"per_page=2&page=3", ""},
                                        {"page=100", ""},
                                        {"per_page=1&page=10000", ""}})
    EXPECT_EQ(ids(query), expected) << query;
}

TEST_F(Lists, ApiN4OtherValuesAreNamed) {
  for (const auto& [query, words] :
       {std::pair{"page=0", "page must be a number from 1 to 10000"},
        {"page=1.0", "page must be a number"},
        {"page=", "page must be a number"},
        {"page=1&page=1", "page is given twice"},
        {"per_page=101", "per_page must be a number from 1 to 100"},
        {"per_page=-1", "per_page must be a number"},
        {"per_page=100&page=101", "cursor[enabled]=1"},
        {"sort_by=mediaCount", "created, updated, name"},
        {"sort_by=NAME", "created, updated, name"},
        {"sort_direction=2", "1 (ascending) or 0 (descending)"},
        {"sort_direction=asc", "1 (ascending)"},
        {"archived=yes", "true or false"},
        {"name=a&name=b", "name is given twice"},
        {"type=a&type=a", "type is given twice"},
        {"hashed_id=a&hashed_id=b", "hashed_id is given twice"},
        {"project_id=a&project_id=b", "project_id is given twice"},
        {"archived=true&archived=false", "archived is given twice"},
        {"hashed_ids=a", "hashed_ids is not offered: use hashed_ids[]"},
        {"hashed_ids[0]=a", "use hashed_ids[]"},
        {"tags[]=a", "tags[] is not offered"},
        {"cursor[enabled]=2", "cursor[enabled] must be 1 or 0"}}) {
    const Answer answer = list(query);
    EXPECT_EQ(answer.status, 400) << query;
    EXPECT_TRUE(answer.has(words)) << query << ": " << answer.body;
    EXPECT_EQ(answer.header("Cache-Control"), "no-store");
  }
}

TEST_F(Lists, ApiN4LinksLeadToTheOtherPagesWithoutTheToken) {
  const Answer first =
      ask("/v1/medias?type=Listed&cursor[enabled]=0&per_page=2&access_token=" + token_);
  EXPECT_EQ(
      first.header("Link"),
      "<https://api.svc.example/v1/medias?type=Listed&cursor%5Benabled%5D=0&per_page=2&page=2>; "
      "rel=\"next\"");
  EXPECT_EQ(first.header("Link").find(token_), std::string::npos);
  const Answer second = list(link(first, "next"));
  EXPECT_EQ(ids_in(second), "24");
  EXPECT_EQ(link(second, "next"), "");
  EXPECT_EQ(ids_in(list(link(second, "prev"))), "31");
  EXPECT_EQ(link(list(""), "prev"), "");
}

TEST_F(Lists, ApiN5CursorsWalkBothWays) {
  for (const std::string direction : {"1", "0"}) {
    const std::string all = direction == "1" ? "3124" : "4213";
    const std::string query =
        "type=Listed&cursor[enabled]=1&per_page=3&sort_direction=" + direction;
    const Answer first = list(query);
    EXPECT_EQ(ids_in(first), all.substr(0, 3));
    EXPECT_EQ(link(first, "prev"), "");
    const Answer second = list(link(first, "next"));
    EXPECT_EQ(ids_in(second), all.substr(3));
    EXPECT_EQ(link(second, "next"), "");
    EXPECT_EQ(ids_in(list(link(second, "prev"))), all.substr(0, 3));
    const std::string third = text_of(first, 2, "cursor");
    EXPECT_EQ(ids_in(list(query + "&cursor[before]=" + third)), all.substr(0, 2));
    EXPECT_EQ(ids_in(list("type=Listed&per_page=1&sort_direction=" + direction +
                          "&cursor[before]=" + third)),
              all.substr(1, 1));
    // A cursor of a deleted media.
    stores().command({"DEL", "catalog:media:list00000" + all.substr(2, 1)});
    EXPECT_EQ(ids_in(list(query + "&cursor[after]=" + third)), all.substr(3));
    SetUp();
  }
}

TEST_F(Lists, ApiN5AnotherCursorIsRefused) {
  const std::string cursor = text_of(list("cursor[enabled]=1"), 0, "cursor");
  const std::string after = "cursor[after]=" + cursor;
  EXPECT_EQ(list(after).status, 200);
  for (const std::string& query :
       {after + "&sort_direction=0", after + "&sort_by=name", after + "&page=1",
        after + "&cursor[before]=" + cursor, after + "&name=a", after + "&hashed_id=list000001",
        std::string("cursor[after]="), std::string("cursor[after]=x"), after + "0", after + "00",
        "cursor[after]=" + cursor.substr(0, cursor.size() - 24)})
    EXPECT_EQ(list(query).status, 400) << query;
  token_ = token_of("media:read", "1001");
  EXPECT_EQ(list(after).status, 400);
}

TEST_F(Lists, ApiM1FiltersAreCombined) {
  stores().import(R"({"kind": "project", "id": "prj_listed", "account_id": 1002, "name": "P",)"
                  R"("created": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z"})");
  media::Media one = media("list000005", "b");
  one.account = {1002};
  one.type = "Listed";
  one.project = media::ProjectId::parse("prj_listed");
  put(one);
  for (const auto& [query, expected] : {std::pair{"project_id=prj_listed", "5"},
                                        {"name=b", "35"},
                                        {"name=b&project_id=prj_listed", "5"},
                                        {"name=B", "1"},
                                        {"name=", ""},
                                        {"name=b&sort_by=updated", "35"},
                                        {"hashed_id=list000002", "2"},
                                        {"hashed_ids[]=list000002&hashed_ids[]=list000003", "32"},
                                        {"hashed_ids[]=list000002&hashed_id=list000003", ""},
                                        {"hashed_ids[]=list000003&name=b", "3"},
                                        {"hashed_ids[]=l4unchf1lm", ""},
                                        {"hashed_id=no-id", ""},
                                        {"project_id=prj1launch", ""},
                                        {"project_id=!", ""},
                                        {"archived=true", ""},
                                        {"archived=false&name=a", "4"}})
    EXPECT_EQ(ids(query), expected) << query;
  EXPECT_EQ(ids_in(list("type=listed")), "");
  std::string many = "hashed_ids[]=a";
  for (int i = 0; i < 99; ++i) many += "&hashed_ids[]=a";
  EXPECT_EQ(list(many).status, 200);
  EXPECT_EQ(list(many + "&hashed_ids[]=a").status, 400);
}

// macOS names files in NFD, and keyboards write NFC.
TEST_F(Lists, ApiM1NamesAreFoundInEachNormalizationForm) {
  for (const auto& [id, name] : {std::pair{"list000005", "re\u0301sume\u0301"},
                                 {"list000006", "r\u00e9sum\u00e9"},
                                 {"list000007", "a\u0308"},
                                 {"list000008", "Vi\u0065\u0302\u0323t"},  // neither form
                                 {"list000009", "\u212bngstrom \u0628\u0651\u064e"}}) {
    media::Media one = media(id, name);
    one.account = {1002};
    one.type = "Listed";
    one.created = "2026-01-01T00:00:0" + std::string(1, id[9]) + "Z";
    put(one);
  }
  for (const char* sort : {"", "&sort_by=updated", "&per_page=100"}) {
    EXPECT_EQ(ids(std::string("name=r%C3%A9sum%C3%A9") + sort), "56") << sort;
    EXPECT_EQ(ids(std::string("name=re%CC%81sume%CC%81") + sort), "56") << sort;
  }
  EXPECT_EQ(ids("name=%C3%A4"), "27");
  EXPECT_EQ(ids("name=a%CC%88&hashed_ids[]=list000002"), "2");
  EXPECT_EQ(ids("name=resume"), "");
  for (const char* viet : {"Vi%E1%BB%87t", "Vie%CC%A3%CC%82t", "Vie%CC%82%CC%A3t"})
    EXPECT_EQ(ids(std::string("name=") + viet), "8") << viet;
  EXPECT_EQ(ids("name=%C3%85ngstrom%20%D8%A8%D9%8E%D9%91"), "9");
}

// Nanoseconds of the processor that this thread has had, which other processes do not change.
std::int64_t worked() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

// Regression: a login waited until a list of a hundred large records was complete.
TEST_F(Lists, ApiC5AListOfLargeRecordsRunsInPieces) {
  put_large();
  const Ask asked = Ask("/v1/medias?type=Large").with("Authorization", "Bearer " + token_);
  ASSERT_EQ(ask(asked).status, 200) << "and the index has them";
  std::int64_t before = worked();
  std::int64_t longest = 0;
  std::int64_t all = 0;
  const Answer answer = site_.ask(asked, [&] {
    const std::int64_t now = worked();
    const std::int64_t turn = now - std::exchange(before, now);
    longest = std::max(longest, turn);
    all += turn;
  });
  EXPECT_TRUE(answer.has("large10099"));
  EXPECT_LT(longest, all / 5) << "of " << all << " ns";
}

// Regression: a move of a hundred large records held its worker for a quarter of a second.
TEST_F(Lists, ApiC5AMoveOfLargeRecordsRunsInPieces) {
  std::string moved;
  for (const std::string& id : put_large())
    moved.append(moved.empty() ? "\"" : ",\"").append(id).append("\"");
  token_ = token_of("all:all", kAccount);
  const auto asked = [&](const std::string& what, const std::string& body) {
    return Ask(what)
        .with("Authorization", "Bearer " + token_)
        .with("Content-Type", "application/json")
        .with_body(body);
  };
  const Answer made = ask(asked("POST /v1/projects", R"({"name":"Large"})"));
  ASSERT_EQ(made.status, 201) << made.body;
  const std::size_t at = made.body.find(R"("hashedId":")") + 12;
  const std::string project = made.body.substr(at, made.body.find('"', at) - at);
  std::int64_t before = worked();
  std::int64_t longest = 0;
  std::int64_t all = 0;
  const Answer answer =
      site_.ask(asked("PUT /v1/medias/move",
                      R"({"project_id":")" + project + R"(","hashed_ids":[)" + moved + "]}"),
                [&] {
                  const std::int64_t now = worked();
                  const std::int64_t turn = now - std::exchange(before, now);
                  longest = std::max(longest, turn);
                  all += turn;
                });
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_LT(longest, all / 5) << "of " << all << " ns";
}

TEST_F(Lists, ApiM1NeedAScopeThatReads) {
  for (const auto& [scope, status] : {std::pair{"all:all", 200},
                                      {"all:read", 200},
                                      {"media:read", 200},
                                      {"media:upload", 403},
                                      {"stats:read", 403}}) {
    token_ = token_of(scope, kAccount);
    for (const char* path : {"/v1/medias", "/v1/projects", "/v1/projects/prj1launch"}) {
      const Answer answer = list("", path);
      EXPECT_EQ(answer.status == 403, status == 403) << scope << path;
      const bool is_named =
          answer.header("WWW-Authenticate").find(R"(, scope="media:read", error=)") !=
          std::string::npos;
      EXPECT_EQ(is_named, status == 403) << scope << path;
    }
  }
  EXPECT_EQ(ask("/v1/medias").status, 401);
}

TEST_F(Lists, ApiM1AChangeIsSeenByTheNextRequest) {
  media::Media one = media("list000004", "0");
  one.account = {1002};
  one.type = "Listed";
  one.created = "2026-01-01T00:00:03.5Z";
  put(one);
  EXPECT_EQ(ids("sort_by=name"), "4132");
  const std::string all = token_of("all:all", kAccount);
  EXPECT_EQ(ask("DELETE /v1/medias/list000001?access_token=" + all).status, 204);
  EXPECT_EQ(ids(""), "324");
  stores().import(R"({"kind": "media", "id": "list000009", "account_id": 1002, "type": "Listed",)"
                  R"("name": "z", "description": "", "status": "ready", "duration": 1,)"
                  R"("width": 16, "height": 9, "player_color": "", "thumbnail": null,)"
                  R"("created": "2026-01-01T00:00:00Z", "updated": "2026-06-10T08:30:00Z",)"
                  R"("assets": []})");
  EXPECT_EQ(ids(""), "9324");
}

TEST_F(Lists, ApiM2AMediaOfAListIsAsThatOfItsAddress) {
  token_ = token_of("media:read", "1001");
  const Answer one = list("", "/v1/medias/l4unchf1lm");
  EXPECT_EQ(list("hashed_id=l4unchf1lm").body, "[" + one.body + "]");
}

TEST_F(Lists, ApiP1ProjectsAreThoseOfTheAccount) {
  token_ = token_of("media:read", "1001");
  stores().import(R"({"kind": "project", "id": "prj_other", "account_id": 1001, "name": "A",)"
                  R"("created": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z"})");
  const Answer all = list("sort_by=name", "/v1/projects");
  EXPECT_LT(all.body.find("prj_other"), all.body.find("prj1launch"));
  EXPECT_EQ(all.status, 200);
  EXPECT_TRUE(all.has(
      R"("hashedId":"prj1launch","name":"Launch films","description":"What opens in June.",)"))
      << all.body;
  EXPECT_TRUE(all.has(R"("public":false,"publicId":null})"));
  EXPECT_EQ(list("sort_by=mediaCount", "/v1/projects").status, 400);
  const Answer first = list("per_page=1", "/v1/projects");
  EXPECT_EQ(link(first, "next"), "per_page=1&page=2");
  // Each media of a project is in it once, and counted.
  const Answer one = list("", "/v1/projects/prj1launch");
  const Answer medias = list("project_id=prj1launch");
  EXPECT_TRUE(one.has("\"medias\":" + medias.body)) << one.body;
  const auto in = std::ranges::count(ids_in(medias), ' ') + ids_in(medias).size();
  EXPECT_TRUE(one.has("\"mediaCount\":" + std::to_string(in) + ","));
  EXPECT_EQ(link(list("per_page=1", "/v1/projects/prj1launch"), "next"), "per_page=1&page=2");
  EXPECT_EQ(list("per_page=501", "/v1/projects/prj1launch").status, 400);
  for (const char* path : {"/v1/projects/unknown", "/v1/projects/", "/v1/projects/prj1launch/x"})
    EXPECT_EQ(list("", path).status, 404) << path;
  token_ = token_of("media:read", kAccount);
  EXPECT_EQ(list("", "/v1/projects/prj1launch").status, 404);
  EXPECT_FALSE(list("", "/v1/projects").has("prj1launch"));
}

}  // namespace
}  // namespace svc::rules::lists
