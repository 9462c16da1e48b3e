#include <string>
#include <vector>

#include "ctl/commands/groups.h"
#include "integration/ctl/command_fixture.h"

namespace svc {
namespace {

using integration::Ran;

class CatalogCommands : public integration::CommandFixture {
 protected:
  Ran catalog(const std::string& command) {
    return run(ctl::catalog_commands(), {command, "--json"});
  }
  void add(const std::string& id, const std::string& name) {
    set("catalog:media:" + id,
        R"({"id":")" + id + R"(","account_id":41,"type":"Video","name":")" + name +
            R"(","status":"ready","duration":null,"width":null,"height":null,"player_color":""})" +
            "\n" +
            R"({"project_id":"p","description":"","created":"2026-01-05T09:00:00Z",)"
            R"("updated":"2026-01-06T09:00:00Z","assets":[]})");
  }
};

// Lists leave them out, so an operator learns of them here. Their entries are not wrong.
TEST_F(CatalogCommands, ARecordThatCannotBeReadIsNamedWithItsField) {
  add("a", "Film");
  add("b", "Film");
  ASSERT_EQ(catalog("reindex").status, 0);
  add("b", std::string(2049, 'n'));
  set("catalog:project:q", "garbage");
  set("catalog:playlist:l", R"({"id":"l","account_id":41,"name":"","media_ids":["?"]})");
  set("catalog:contact:7", "{}");
  set("oauth:client:app", "{}");
  set("catalog:account:42", R"({"id":42,"name":"","host":"h","url":"https://h"})");
  const Ran checked = catalog("check");
  EXPECT_EQ(checked.status, 1);
  for (const char* named :
       {"catalog:media:b: cannot be read: name is longer than 2048 bytes\n",
        "catalog:project:q: cannot be read: ", "catalog:playlist:l: cannot be read: media_ids[0] ",
        "catalog:account:42: cannot be read: name must not be empty\n",
        "catalog:contact:7: cannot be read: ", "oauth:client:app: cannot be read: "})
    EXPECT_NE(checked.err.find(named), std::string::npos) << named << checked.err;
  EXPECT_EQ(checked.err.find("reindex"), std::string::npos) << checked.err;
  EXPECT_EQ(checked.out, R"({"records":1,"unreadable":6,"wrong":0,"noted":0})"
                         "\n");
}

// As after an upgrade from a version without an index, and after each kind of damage.
TEST_F(CatalogCommands, AnIndexThatDoesNotAgreeIsNamedAndMadeAgain) {
  add("a", "Film");
  add("b", "Film");
  set("catalog:project:p",
      R"({"id":"p","account_id":41,"name":"P","created":"2026-01-05T09:00:00Z",)"
      R"("updated":"2026-01-05T09:00:00Z"})");
  const auto is_named = [&](const std::string& what) {
    const Ran checked = catalog("check");
    EXPECT_EQ(checked.status, 1) << what;
    EXPECT_NE(checked.err.find(what), std::string::npos) << checked.err;
    EXPECT_EQ(catalog("reindex").status, 0);
    const Ran again = catalog("check");
    EXPECT_EQ(again.status, 0) << again.err;
  };
  is_named("media a: missing");
  EXPECT_EQ(catalog("reindex").out, R"({"media":2,"projects":1,"unreadable":0})"
                                    "\n");
  EXPECT_EQ(catalog("check").out, R"({"records":3,"unreadable":0,"wrong":0,"noted":0})"
                                  "\n");
  EXPECT_EQ(server_.command({"ZCARD", "ingest:guards"}).integer(), 1) << "all media of it";
  add("b", "Other");
  is_named("media b: out of date");
  server_.command({"DEL", "catalog:media:a"});
  is_named("media a: not in the catalog of this account");
  server_.command({"DEL", "catalog:block:{41}:pmu:"});
  is_named("account 41: the set pmu");
  server_.command({"HINCRBY", "catalog:index:{41}", "medias:p", "5"});
  is_named("account 41: the number of medias:p");
  // The next reader updates the index entry of a record that its writer noted.
  add("c", "Film");
  server_.command({"ZADD", "catalog:changed:{41}", "-5", "media c"});
  EXPECT_EQ(catalog("check").out, R"({"records":3,"unreadable":0,"wrong":0,"noted":1})"
                                  "\n");
}

}  // namespace
}  // namespace svc
