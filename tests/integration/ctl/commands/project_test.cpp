#include <algorithm>
#include <string>
#include <vector>

#include "ctl/commands/groups.h"
#include "integration/ctl/command_fixture.h"

namespace svc {
namespace {

using integration::Ran;

class Projects : public integration::CommandFixture {
 protected:
  Ran project(const std::vector<std::string>& words) { return run(ctl::project_commands(), words); }
  // Returns the id.
  std::string create(const std::string& name) {
    const Ran ran = project({"create", "--account", "41", "--name", name, "--json"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.out.substr(15, 12);
  }
  Ran move(const std::string& media, const std::string& project) {
    return run(ctl::media_commands(), {"edit", media, "--project", project});
  }
};

TEST_F(Projects, AreCreatedAndListedWithTheNumberOfTheirMedia) {
  EXPECT_EQ(project({"list", "41"}).err, "no projects\n");
  EXPECT_EQ(project({"list", "41", "--json"}).err, "");
  const Ran created = project(
      {"create", "--account", "41", "--name", " Films ", "--description", "Of June", "--json"});
  EXPECT_EQ(created.status, 0) << created.err;
  const std::string id = created.out.substr(15, 12);
  EXPECT_NE(
      created.out.find(R"(","account_id":41,"name":"Films","description":"Of June","created":)"),
      std::string::npos)
      << created.out;
  add_media("abc");
  EXPECT_EQ(move("abc", id).status, 0);
  const std::string listed = project({"list", "41"}).out;
  EXPECT_TRUE(listed.starts_with("PROJECT       MEDIA    CREATED               NAME\n" + id +
                                 "  1        "))
      << listed;
  EXPECT_TRUE(listed.ends_with("  Films\n")) << listed;
  EXPECT_TRUE(project({"list", "41", "--json"}).out.ends_with(",\"medias\":1}\n"));
  EXPECT_NE(audited().find(R"("what":"project.created","account":41,"detail":"by )"),
            std::string::npos);
  EXPECT_NE(audited().find(", project " + id), std::string::npos);
}

TEST_F(Projects, AreListedWhole) {
  for (int i = 0; i < 201; ++i) create("P");
  const std::string listed = project({"list", "41", "--json"}).out;
  EXPECT_EQ(std::count(listed.begin(), listed.end(), '\n'), 201);
}

TEST_F(Projects, ChangeTheirNameAndDescription) {
  const std::string id = create("Before");
  const Ran edited = project({"edit", id, "--name", "After", "--json"});
  EXPECT_EQ(edited.status, 0) << edited.err;
  EXPECT_NE(edited.out.find(R"("name":"After","description":"")"), std::string::npos);
  EXPECT_EQ(project({"edit", id, "--description", "More"}).status, 0);
  const std::string record = server_.text({"GET", "catalog:project:" + id});
  EXPECT_NE(record.find(R"("name":"After","description":"More")"), std::string::npos) << record;
  EXPECT_NE(audited().find("project " + id + " name\""), std::string::npos);
  EXPECT_EQ(project({"edit", id}).status, 2);
  EXPECT_EQ(project({"edit", "nothing", "--name", "A"}).err,
            "svcctl project edit: there is no project nothing\n");
}

TEST_F(Projects, RefuseTheSameInputAsTheApi) {
  const std::string id = create("Before");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"create", "--account", "41", "--name", " "},
        {"edit", id, "--name", "a\nb"},
        {"edit", id, "--description", std::string(9000, 'a')}}) {
    const Ran ran = project(words);
    EXPECT_EQ(ran.status, 1) << words.front();
    EXPECT_NE(ran.err.find(" must be "), std::string::npos) << ran.err;
  }
  EXPECT_EQ(project({"create", "--account", "42", "--name", "A"}).err,
            "svcctl project create: there is no account 42\n");
  EXPECT_EQ(project({"list", "42"}).status, 1);
}

TEST_F(Projects, AreDeletedOnlyIfTheyAreEmpty) {
  const std::string id = create("Films");
  add_media("abc");
  EXPECT_EQ(move("abc", id).status, 0);
  const Ran full = project({"delete", id, "--yes"});
  EXPECT_EQ(full.status, 1);
  EXPECT_NE(full.err.find("the project " + id + " is not empty: it has 1 media"), std::string::npos)
      << full.err;
  EXPECT_EQ(move("abc", create("Others")).status, 0);
  EXPECT_EQ(project({"delete", id}).status, 1) << "--yes is missing";
  const Ran deleted = project({"delete", id, "--yes", "--json"});
  EXPECT_EQ(deleted.status, 0) << deleted.err;
  EXPECT_EQ(deleted.out, R"({"project_id":")" + id +
                             R"(","account_id":41,"name":"Films","deleted":true})"
                             "\n");
  EXPECT_EQ(server_.command({"EXISTS", "catalog:project:" + id}).integer(), 0);
  EXPECT_NE(audited().find(R"("what":"project.deleted","account":41)"), std::string::npos);
  EXPECT_EQ(project({"delete", id, "--yes"}).err,
            "svcctl project delete: there is no project " + id + "\n");
}

// The record names its account, or an account's index lists it, or its account is unknown.
TEST_F(Projects, AreDeletedAlsoIfTheirRecordCannotBeRead) {
  struct Case {
    std::string name, record, account;
    bool is_indexed;
  };
  for (const Case& c :
       {Case{"a name", R"({"id":"x","account_id":41,"name":""})", "41", false},
        Case{"garbage", "\x01garbage", "41", true}, Case{"nothing", "", "null", false}}) {
    SCOPED_TRACE(c.name);
    const std::string id = create("Films");
    const std::string key = "catalog:project:" + id;
    if (c.is_indexed) {
      EXPECT_NE(project({"list", "41"}).out.find(id), std::string::npos);
    } else {
      server_.command({"DEL", "catalog:unindexed:{41}"});
    }
    set(key, c.record);
    EXPECT_EQ(project({"list", "41"}).status, 0);
    EXPECT_NE(project({"edit", id, "--name", "A"}).err.find("cannot be read"), std::string::npos);
    const Ran deleted = project({"delete", id, "--yes", "--json"});
    EXPECT_EQ(deleted.status, 0) << deleted.err;
    EXPECT_EQ(deleted.out, R"({"project_id":")" + id + R"(","account_id":)" + c.account +
                               R"(,"name":"","deleted":true})"
                               "\n");
    EXPECT_EQ(server_.command({"EXISTS", key}).integer(), 0);
  }
  const std::string id = create("Films");
  add_media("abc");
  ASSERT_EQ(move("abc", id).status, 0);
  ASSERT_EQ(project({"list", "41"}).status, 0);
  set("catalog:project:" + id, "{}");
  EXPECT_NE(project({"delete", id, "--yes"}).err.find("is not empty: it has 1 media"),
            std::string::npos);
}

}  // namespace
}  // namespace svc
