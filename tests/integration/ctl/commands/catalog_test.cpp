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

// Lists leave these records out, so this command shows them. Their index entries are right.
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

// Keys of both stores, which hold something else than their kind.
TEST_F(CatalogCommands, OperationsD53AKeyOfAnotherTypeIsNamedAndDiscarded) {
  ASSERT_EQ(catalog("reindex").status, 0);
  const std::vector<std::string> of_catalog{
      "ingest:jobs", "stats:open", "oauth:account_tokens:{41}", "audit:login", "web:replacements"};
  const std::vector<std::string> of_state{"oauth:grant:{12}", "web:contact_sessions:410"};
  for (const std::string& key : of_catalog) server_.command({"SET", key, "foreign"});
  for (const std::string& key : of_state) state_command({"SET", key, "foreign"});
  // A key without a kind, and a key of the right type.
  server_.command({"SET", "other:software", "x"});
  server_.command({"RPUSH", "ingest:incoming", "{}"});
  const Ran checked = catalog("check");
  EXPECT_EQ(checked.status, 1);
  EXPECT_NE(checked.out.find(R"("unreadable":7,)"), std::string::npos) << checked.out;
  std::vector<std::string> all = of_catalog;
  all.insert(all.end(), of_state.begin(), of_state.end());
  const auto run_with = [this](std::vector<std::string> words) {
    words.emplace_back("--json");
    return run(ctl::catalog_commands(), words);
  };
  for (const std::string& key : all) {
    EXPECT_NE(checked.err.find(key + ": its key has another type, string: svcctl catalog discard"),
              std::string::npos)
        << key << checked.err;
    EXPECT_EQ(run_with({"check", key}).status, 1) << key;
    EXPECT_NE(run_with({"discard", key}).status, 0) << "asks";
    EXPECT_EQ(run_with({"discard", key, "--yes"}).status, 0) << key;
    EXPECT_EQ(run_with({"check", key}).status, 0) << key;
    EXPECT_EQ(run_with({"discard", key, "--yes"}).status, 1) << "there is none";
  }
  EXPECT_EQ(catalog("check").status, 0);
  EXPECT_EQ(server_.command({"EXISTS", "other:software", "ingest:incoming"}).integer(), 2);
  for (const char* refused : {"other:software", "catalog:media:a", "catalog:contact:7"})
    EXPECT_EQ(run_with({"discard", refused, "--yes"}).status, 1) << refused;
  server_.command({"DEL", "other:software"});
}

TEST_F(CatalogCommands, OperationsD53ChecksOnlyTheKeysThatAreNamed) {
  add("a", std::string(2049, 'n'));
  set("catalog:playlist:l", "{}");
  const auto check = [this](const std::string& key) {
    return run(ctl::catalog_commands(), {"check", key});
  };
  const Ran one = check("catalog:media:a");
  EXPECT_EQ(one.status, 1);
  EXPECT_EQ(one.err, "catalog:media:a: cannot be read: name is longer than 2048 bytes\n");
  EXPECT_EQ(check("catalog:media:b").status, 0) << "deleted since";
  EXPECT_EQ(check("other:software").status, 0);
}

TEST_F(CatalogCommands, OperationsD53EachRedisForgetsWhatTheOtherOneHas) {
  const auto prune = [this](const std::string& yes) {
    return run(ctl::catalog_commands(), {"prune", "--json", yes});
  };
  const Ran refused = [&] {
    server_.command({"RENAME", "catalog:account:41", "away"});
    Ran ran = prune("--yes");
    server_.command({"RENAME", "away", "catalog:account:41"});
    return ran;
  }();
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("has no account"), std::string::npos) << refused.err;
  // As after a copy.
  state_command({"SET", "catalog:account:41", "{}"});
  state_command({"SET", "other:software", "x"});
  state_command({"HSET", "oauth:grant:{1}", "consent", "x"});
  server_.command({"HSET", "oauth:grant:{1}", "consent", "x"});
  server_.command({"SET", "web:login_address:192.0.2.1", "1"});
  const Ran pruned = prune("--yes");
  EXPECT_EQ(pruned.status, 0) << pruned.err;
  EXPECT_NE(pruned.out.find(R"("of_catalog_in_state":1,"of_state_in_catalog":2)"),
            std::string::npos)
      << pruned.out;
  EXPECT_EQ(state_command({"EXISTS", "catalog:account:41", "other:software", "oauth:grant:{1}"})
                .integer(),
            2);
  EXPECT_EQ(server_.command({"EXISTS", "catalog:account:41", "oauth:grant:{1}"}).integer(), 1);
  state_command({"DEL", "other:software"});
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
  // A change that is not in the blocks of the index yet.
  const Ran edited = run(ctl::media_commands(), {"edit", "b", "--name", "Renamed"});
  ASSERT_EQ(edited.status, 0) << edited.err;
  EXPECT_EQ(catalog("check").out, R"({"records":2,"unreadable":0,"wrong":0,"noted":1})"
                                  "\n");
}

}  // namespace
}  // namespace svc
