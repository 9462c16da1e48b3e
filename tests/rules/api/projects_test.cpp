// api.md: changes of projects, moves of media. What happens between the steps of a deletion and a
// move is in integration/stores/project_registry_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>

#include "rules/api/api.h"
#include "text/json.h"

namespace svc::rules::projects {
namespace {

constexpr const char* kPath = "/v1/projects/prj_one";

class ProjectEdits : public WithApi {
 protected:
  void SetUp() override {
    token_ = token_of("all:all");
    for (const std::string id : {"prj_one", "prj_two"})
      stores().import(R"({"kind": "project", "id": ")" + id +
                      R"(", "account_id": 1001, "name": "Before", "description": "Old words",)"
                      R"("created": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z"})");
    for (const std::string id : {"moved00001", "moved00002", "moved00003"}) put(in_project(id, ""));
  }
  static media::Media in_project(const std::string& id, const std::string& project) {
    media::Media one = media(id);
    if (!project.empty()) one.project = media::ProjectId{project};
    return one;
  }
  Ask with_token(const Ask& ask) const { return ask.with("Authorization", "Bearer " + token_); }
  Answer send(const std::string& line, const std::string& body) {
    return ask(with_token(Ask(line).with("Content-Type", "application/json").with_body(body)));
  }
  Answer get(const std::string& path = kPath) { return ask(with_token(Ask(path))); }
  Answer remove(const std::string& path = kPath) { return ask(with_token(Ask("DELETE " + path))); }
  Answer move(const std::string& ids, const std::string& project) {
    return send("PUT /v1/medias/move",
                R"({"hashed_ids":[)" + ids + R"(],"project_id":")" + project + "\"}");
  }
  Answer upload_into_project() {
    const std::string film =
        "--B\r\nContent-Disposition: form-data; name=\"project_id\"\r\n\r\nprj_one\r\n"
        "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.mp4\"\r\n\r\nx\r\n"
        "--B--\r\n";
    return ask(Ask("POST /v1/medias?access_token=" + token_)
                   .with("Content-Type", "multipart/form-data; boundary=B")
                   .with_body(film));
  }
  std::string project_of(const std::string& id) {
    const Answer media = get("/v1/medias/" + id);
    const std::size_t at = media.body.find(R"("hashedId":")");
    return at == std::string::npos ? "none" : media.body.substr(at + 12, 7);
  }

  std::string token_;
};

TEST_F(ProjectEdits, ApiP2CreatesAProject) {
  const Answer created = send("POST /v1/projects", R"({"name":" A ","description":"B"})");
  EXPECT_EQ(created.status, 201);
  const std::string id = member(created, "hashedId");
  EXPECT_EQ(id.size(), 12u);
  EXPECT_EQ(created.header("Location"), "https://api.svc.example/v1/projects/" + id);
  const Answer shown = get("/v1/projects/" + id);
  EXPECT_EQ(shown.body, created.body);
  EXPECT_EQ(shown.header("ETag"), created.header("ETag"));
  EXPECT_EQ(member(shown, "name"), "A");
  EXPECT_EQ(member(shown, "description"), "B");
  EXPECT_EQ(member(shown, "mediaCount"), "0");
  EXPECT_TRUE(get("/v1/projects?sort_by=created&sort_direction=0").has(id));
  const Answer form =
      ask(with_token(Ask("POST /v1/projects.json").with_form({{"name", "Of a form"}})));
  EXPECT_EQ(form.status, 201);
  EXPECT_NE(member(form, "hashedId"), id);
  EXPECT_EQ(member(form, "description"), "");
  EXPECT_EQ(stores().events("project.created 502 project " + id), 1u);
}

TEST_F(ProjectEdits, ApiP2AnAccountHasTenThousandProjects) {
  const std::string all = member(get("/v1/account"), "projectCount");
  const std::string others = std::to_string(9'999 - std::stoi(all));
  stores().command({"HINCRBY", "catalog:index:{1001}", "projects", others});
  EXPECT_EQ(send("POST /v1/projects", R"({"name":"The last"})").status, 201);
  const Answer refused = send("POST /v1/projects", R"({"name":"One more"})");
  EXPECT_EQ(refused.status, 507);
  EXPECT_TRUE(refused.has("10000 projects")) << refused.body;
  EXPECT_EQ(stores().events("project.created"), 1u);
}

TEST_F(ProjectEdits, ApiP2RefusesInvalidNames) {
  for (const auto& [body, field] : {std::pair{"{}", R"("name":["is required"])"},
                                    {R"({"name":null})", R"("name":["is required"])"},
                                    {R"({"name":7})", R"("name":["must be a string"])"},
                                    {R"({"name":" "})", R"("name":["must be one line)"},
                                    {R"({"name":"a","description":[]})", R"("description":[)"}}) {
    const Answer answer = send("POST /v1/projects", body);
    EXPECT_EQ(answer.status, 422) << body;
    EXPECT_TRUE(answer.has(field)) << answer.body;
  }
  EXPECT_EQ(send(std::string("PUT ") + kPath, R"({"name":null})").status, 422);
  EXPECT_EQ(stores().events("project."), 0u);
}

TEST_F(ProjectEdits, ApiP2SetsTheFieldsThatAreGiven) {
  put(in_project("moved00001", "prj_one"));
  const std::string line = std::string("PUT ") + kPath;
  const Answer renamed = send(line, R"({"name":"  After  ","mediaCount":7})");
  EXPECT_EQ(renamed.status, 200);
  EXPECT_EQ(member(renamed, "name"), "After");
  EXPECT_EQ(member(renamed, "description"), "Old words");
  EXPECT_NE(member(renamed, "updated"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(member(renamed, "created"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(get().body, renamed.body);
  EXPECT_TRUE(get("/v1/medias/moved00001").has(R"("name":"After"})"));
  EXPECT_EQ(member(send(line, R"({"description":null})"), "description"), "");
  send(line, R"({"name":"After"})");
  EXPECT_EQ(stores().events("project.changed 502 project prj_one name"), 1u);
  EXPECT_EQ(stores().events("project.changed"), 2u);
}

TEST_F(ProjectEdits, ApiP2P3NeedAWritingScopeAndAProjectOfTheAccount) {
  const auto all = [&](const std::string& path) {
    return std::vector{send("PUT " + path, "{"), remove(path)};
  };
  for (const std::string id : {"prj2studio", "unknown", "!"}) {
    for (const Answer& answer : all("/v1/projects/" + id)) EXPECT_EQ(answer.status, 404) << id;
  }
  token_ = token_of("all:read media:upload");
  for (const Answer& answer : all(kPath)) EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(send("POST /v1/projects", "{").status, 403);
  EXPECT_EQ(move(R"("moved00001")", "prj_one").status, 403);
  EXPECT_TRUE(stores().command({"EXISTS", "catalog:project:prj2studio"}).integer() == 1);
}

TEST_F(ProjectEdits, ApiN6TagsTheFirstPageOfAProject) {
  put(in_project("moved00001", "prj_one"));
  put(in_project("moved00002", "prj_one"));
  const std::string tag(get().header("ETag"));
  EXPECT_TRUE(tag.starts_with('"')) << tag;
  EXPECT_EQ(get(std::string(kPath) + "?per_page=1").header("ETag"), tag);
  EXPECT_EQ(get(std::string(kPath) + "?per_page=1&page=2").header("ETag"), "none");
  EXPECT_EQ(ask(with_token(Ask(kPath).with("If-None-Match", tag))).status, 304);
  const auto put_if = [&](const std::string& condition, const std::string& name) {
    return ask(with_token(Ask(std::string("PUT ") + kPath)
                              .with("Content-Type", "application/json")
                              .with_body("{\"name\":\"" + name + "\"}")
                              .with("If-Match", condition)));
  };
  EXPECT_EQ(put_if("\"other\"", "a").status, 412);
  const Answer changed = put_if(tag, "b");
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.header("ETag"), get().header("ETag"));
  EXPECT_EQ(put_if(tag, "c").status, 412);
  EXPECT_EQ(move(R"("moved00001","moved00002")", "prj_two").status, 200);
  const Ask removal = with_token(Ask(std::string("DELETE ") + kPath));
  EXPECT_EQ(ask(removal.with("If-Match", std::string(changed.header("ETag")))).status, 412);
  EXPECT_EQ(ask(removal.with("If-Match", std::string(get().header("ETag")))).status, 204);
}

TEST_F(ProjectEdits, ApiP3DeletesOnlyAnEmptyProject) {
  put(in_project("moved00001", "prj_one"));
  put(in_project("moved00002", "prj_one"));
  const Answer refused = remove();
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(member(refused, "error"), "conflict");
  EXPECT_EQ(member(refused, "mediaCount"), "2");
  EXPECT_EQ(stores().events("project.deleted"), 0u);
  EXPECT_EQ(ask(with_token(Ask("DELETE /v1/medias/moved00001"))).status, 204);
  EXPECT_EQ(move(R"("moved00002")", "prj_two").status, 200);
  const Answer deleted = remove();
  EXPECT_EQ(deleted.status, 204);
  EXPECT_EQ(deleted.type, "none");
  EXPECT_EQ(get().status, 404);
  EXPECT_FALSE(get("/v1/projects").has("prj_one"));
  EXPECT_EQ(remove().status, 404);
  EXPECT_EQ(stores().events("project.deleted 502 project prj_one"), 1u);
  EXPECT_EQ(member(get("/v1/account"), "projectCount"), "2");
}

TEST_F(ProjectEdits, ApiP3OneOfTwoSimultaneousDeletionsSucceeds) {
  std::vector<int> statuses;
  for (const Answer& answer : site_.ask_at_once(with_token(Ask(std::string("DELETE ") + kPath)), 2))
    statuses.push_back(answer.status);
  EXPECT_EQ(std::ranges::count(statuses, 204) + std::ranges::count(statuses, 404), 2);
  EXPECT_GE(std::ranges::count(statuses, 204), 1);
  EXPECT_EQ(get().status, 404);
}

TEST_F(ProjectEdits, ApiP3ADeletedProjectGetsNoMedia) {
  EXPECT_EQ(remove().status, 204);
  EXPECT_EQ(move(R"("moved00001")", "prj_one").status, 404);
  EXPECT_EQ(project_of("moved00001"), "none");
  const Answer upload = upload_into_project();
  EXPECT_EQ(upload.status, 422);
  EXPECT_TRUE(upload.has(R"("project_id":["must be a project of the account"])")) << upload.body;
}

TEST_F(ProjectEdits, ApiP3AnUploadKeepsItsProject) {
  const Answer upload = upload_into_project();
  EXPECT_EQ(upload.status, 201);
  EXPECT_EQ(member(remove(), "mediaCount"), "1");
}

TEST_F(ProjectEdits, ApiM5MovesAllMedia) {
  put(in_project("moved00001", "prj_two"));
  const Answer moved = move(R"("moved00001","moved00002","moved00002")", "prj_one");
  EXPECT_EQ(moved.status, 200);
  EXPECT_EQ(moved.body, R"({"message":"2 media were moved"})");
  EXPECT_EQ(project_of("moved00001"), "prj_one");
  EXPECT_EQ(project_of("moved00002"), "prj_one");
  EXPECT_EQ(project_of("moved00003"), "none");
  EXPECT_EQ(member(get(), "mediaCount"), "2");
  EXPECT_EQ(member(get("/v1/projects/prj_two"), "mediaCount"), "0");
  EXPECT_NE(member(get("/v1/medias/moved00001"), "updated"), "2026-03-01T10:00:00Z");
  EXPECT_EQ(stores().events("media.moved 502 project prj_one, media moved00001 moved00002"), 1u);
  const Answer again =
      ask(with_token(Ask("PUT /v1/medias/move.json")
                         .with_form({{"hashed_ids[]", "moved00001"}, {"project_id", "prj_one"}})));
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(again.body, R"({"message":"all media were in the project already"})");
  EXPECT_EQ(stores().events("media.moved"), 1u);
}

TEST_F(ProjectEdits, ApiM5MovesNoMediaIfOneDoesNotExist) {
  const Answer missing = move(R"("moved00001","nowhere","not-an-id","un1c0de777")", "prj_one");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(member(missing, "error_description"),
            "no such media in this account: nowhere, not-an-id, un1c0de777");
  for (const std::string project : {"unknown", "prj2studio", "!"}) {
    const Answer answer = move(R"("moved00001")", project);
    EXPECT_EQ(answer.status, 404) << project;
    EXPECT_EQ(member(answer, "error_description"), "no such project in this account");
  }
  EXPECT_EQ(project_of("moved00001"), "none");
  EXPECT_EQ(stores().events("media.moved"), 0u);
}

TEST_F(ProjectEdits, ApiM5RefusesOtherFields) {
  std::string many;
  for (int i = 0; i < 101; ++i) many += (i == 0 ? "\"a" : ",\"a") + std::to_string(i) + "\"";
  for (const auto& [body, field] : std::vector<std::pair<std::string, std::string>>{
           {"{}", R"("hashed_ids":["must be 1 to 100 strings"])"},
           {"{}", R"("project_id":["is required"])"},
           {R"({"hashed_ids":[]})", R"("hashed_ids":[)"},
           {R"({"hashed_ids":"moved00001"})", R"("hashed_ids":[)"},
           {R"({"hashed_ids":[1]})", R"("hashed_ids":[)"},
           {R"({"hashed_ids":[)" + many + "]}", R"("hashed_ids":[)"},
           {R"({"hashed_ids":["moved00001"],"project_id":7})", R"("project_id":[)"}}) {
    const Answer answer = send("PUT /v1/medias/move", body);
    EXPECT_EQ(answer.status, 422) << body;
    EXPECT_TRUE(answer.has(field)) << answer.body;
  }
  const Answer file = ask(with_token(
      Ask("PUT /v1/medias/move")
          .with("Content-Type", "multipart/form-data; boundary=b")
          .with_body(
              "--b\r\nContent-Disposition: form-data; name=\"hashed_ids[]\"; filename=f\r\n\r\n"
              "moved00001\r\n--b--\r\n")));
  EXPECT_EQ(file.status, 422);
  EXPECT_TRUE(file.has(R"("hashed_ids":["must be a text, not a file"])")) << file.body;
  const Answer get_it = get("/v1/medias/move");
  EXPECT_EQ(get_it.status, 405);
  EXPECT_EQ(get_it.header("Allow"), "PUT");
}

TEST_F(ProjectEdits, ApiM5AnImportLacksMediaOfThatName) {
  const auto line = [](const std::string& id) {
    return R"({"kind": "media", "id": ")" + id +
           R"(", "account_id": 1001, "type": "Video", "name": "z", "description": "",)"
           R"("status": "ready", "duration": 1, "width": 16, "height": 9, "player_color": "",)"
           R"("thumbnail": null, "created": "2026-01-01T00:00:00Z",)"
           R"("updated": "2026-06-10T08:30:00Z", "assets": []})";
  };
  EXPECT_THROW(stores().import(line("move")), std::exception);
  stores().import(line("moved00009"));
  EXPECT_EQ(get("/v1/medias/moved00009").status, 200);
}

}  // namespace
}  // namespace svc::rules::projects
