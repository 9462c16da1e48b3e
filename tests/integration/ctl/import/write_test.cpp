#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "integration/ctl/import/write_fixture.h"

namespace svc::integration::import_write {
namespace {

TEST_F(ImportWrite, WritesEveryKindUnderItsKey) {
  ASSERT_TRUE(write({playlist_line("l", 1, {"m"}), media_line("m", 1, "p"), project_line("p", 1),
                     user_line(5, "Some.Body@B.example", 1), application_line("app", 1, "secret"),
                     account_line(1)}));
  const Dump dump = server_.dump();
  std::vector<std::string> keys;
  for (const auto& [key, value] : dump) keys.push_back(key);
  EXPECT_EQ(keys, (Lines{"catalog:account:1", "catalog:contact:5",
                         "catalog:contact_email:some.body@b.example", "catalog:media:m",
                         "catalog:playlist:l", "catalog:project:p", "oauth:account_clients:1",
                         "oauth:client:app"}));
  EXPECT_EQ(dump.at("oauth:account_clients:1"), "app");
  EXPECT_EQ(dump.at("catalog:contact_email:some.body@b.example"), "5");
  EXPECT_EQ(dump.at("catalog:playlist:l"),
            R"({"id":"l","account_id":1,"name":"List","media_ids":["m"]})");
  EXPECT_EQ(dangling(dump), Lines{});
  for (const auto& [key, value] : dump)
    EXPECT_EQ(server_.command({"TTL", key}).integer(), -1) << key;
}

TEST_F(ImportWrite, OperationsD5ChangesNothingIfRunAgain) {
  const Lines lines{account_line(1),
                    user_line(1, "a@b.example", 1, R"(,"password":"p4ssword")"),
                    user_line(2, "b@b.example", 1),
                    project_line("p", 1),
                    media_line("m", 1, "p"),
                    playlist_line("l", 1, {"m"}),
                    application_line("app", 1, "s3cret")};
  ASSERT_TRUE(write(lines));
  const Dump dump = server_.dump();
  const std::string digest = server_.digest();
  const base::UniqueFd content = file(joined(lines));
  ctl::ImportCheck check(content.get(), store_, true, go_on);
  ASSERT_TRUE(check.run());
  ctl::ImportWrite write(content.get(), store_, &keys_, entropy_, go_on);
  ASSERT_TRUE(write.run(check));
  EXPECT_EQ(server_.dump(), dump);
  EXPECT_EQ(server_.digest(), digest);
  for (const ctl::Kind kind : {ctl::Kind::Account, ctl::Kind::User, ctl::Kind::Project,
                               ctl::Kind::Application, ctl::Kind::Media, ctl::Kind::Playlist}) {
    EXPECT_EQ(write.written(kind).added, 0u);
    EXPECT_EQ(write.written(kind).changed, 0u);
    EXPECT_EQ(write.written(kind).unchanged, kind == ctl::Kind::User ? 2u : 1u);
  }
}

TEST_F(ImportWrite, WritesOnlyWhatDiffers) {
  ASSERT_TRUE(write({account_line(1), media_line("a", 1), media_line("b", 1)}));
  const Lines lines{media_line("a", 1), media_line("b", 1, "", "Renamed"), media_line("c", 1)};
  const base::UniqueFd content = file(joined(lines));
  ctl::ImportCheck check(content.get(), store_, true, go_on);
  ASSERT_TRUE(check.run());
  ctl::ImportWrite write(content.get(), store_, nullptr, entropy_, go_on);
  ASSERT_TRUE(write.run(check));
  EXPECT_EQ(write.written(ctl::Kind::Media).added, 1u);
  EXPECT_EQ(write.written(ctl::Kind::Media).changed, 1u);
  EXPECT_EQ(write.written(ctl::Kind::Media).unchanged, 1u);
  EXPECT_NE(server_.text({"GET", "catalog:media:b"}).find("Renamed"), std::string::npos);
}

TEST_F(ImportWrite, KeepsRecordsThatTheFileDoesNotContain) {
  ASSERT_TRUE(write({account_line(1), media_line("a", 1)}));
  server_.command({"SET", "somebody:else", "x"});
  ASSERT_TRUE(write({media_line("b", 1)}));
  EXPECT_EQ(server_.command({"EXISTS", "catalog:media:a", "somebody:else"}).integer(), 2);
}

TEST_F(ImportWrite, RemovesTheIndexOfAFormerEmail) {
  ASSERT_TRUE(
      write({account_line(1), user_line(1, "old@b.example", 1), user_line(2, "c@b.example", 1)}));
  ASSERT_TRUE(write({user_line(1, "new@b.example", 1)}));
  Dump dump = server_.dump();
  EXPECT_FALSE(dump.contains("catalog:contact_email:old@b.example"));
  EXPECT_EQ(dump["catalog:contact_email:new@b.example"], "1");
  EXPECT_EQ(dump["catalog:contact_email:c@b.example"], "2");
  EXPECT_EQ(dangling(dump), Lines{});
  // Another user can have the former email.
  ASSERT_TRUE(write({user_line(3, "OLD@b.example", 1)}));
  EXPECT_EQ(server_.text({"GET", "catalog:contact_email:old@b.example"}), "3");
}

// Both were checked before either wrote.
TEST_F(ImportWrite, AssignsAnEmailToOneUserIfTwoImportsWriteIt) {
  ASSERT_TRUE(write({account_line(1)}));
  const base::UniqueFd first = file(joined({user_line(1, "same@b.example", 1)}));
  ctl::ImportCheck first_check(first.get(), store_, true, go_on);
  ASSERT_TRUE(first_check.run());
  // With lines of other kinds in the same batch, and a file of its own.
  const base::UniqueFd second(open(
      directory_
          .write("second.jsonl", joined({user_line(2, "SAME@b.example", 1),
                                         user_line(3, "other@b.example", 1), project_line("p", 1)}))
          .c_str(),
      O_RDONLY | O_CLOEXEC));
  ctl::ImportCheck second_check(second.get(), store_, true, go_on);
  ASSERT_TRUE(second_check.run());
  ASSERT_EQ(second_check.refused(), 0u);
  ASSERT_TRUE(ctl::ImportWrite(first.get(), store_, &keys_, entropy_, go_on).run(first_check));
  ctl::ImportWrite second_write(second.get(), store_, &keys_, entropy_, go_on);
  try {
    second_write.run(second_check);
    ADD_FAILURE() << "was written";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "catalog:contact_email:same@b.example was changed by another client during the import "
        "and was not overwritten; all written records are complete. Run the import again for the "
        "rest");
  }
  const Dump dump = server_.dump();
  EXPECT_EQ(dump.at("catalog:contact_email:same@b.example"), "1");
  EXPECT_FALSE(dump.contains("catalog:contact:2"));
  EXPECT_FALSE(dump.contains("catalog:contact:3")) << "a batch of users is all or nothing";
  EXPECT_EQ(dangling(dump), Lines{});
  EXPECT_EQ(second_write.written(ctl::Kind::User).total(), 0u);
  EXPECT_EQ(second_write.written(ctl::Kind::Project).added, 1u);
  // The next run names the line.
  EXPECT_EQ(check({user_line(2, "SAME@b.example", 1)}),
            Problems{"1: user 1 already has this email"});
}

TEST_F(ImportWrite, DoesNotOverwriteAUserThatChangedDuringTheImport) {
  ASSERT_TRUE(write({account_line(1), user_line(1, "a@b.example", 1)}));
  int calls = 0;
  Lines lines;
  for (int i = 1; i <= kOfEach; ++i)
    lines.push_back(user_line(i, "u" + std::to_string(i) + "@b.example", 1));
  const std::string theirs = R"({"id":1,"name":"Theirs","email":"a@b.example","memberships":[]})";
  EXPECT_THROW(write(lines,
                     [&](std::uint64_t, std::uint64_t) {
                       // The first batch is read from the store, and not written yet.
                       if (++calls == 1) server_.command({"SET", "catalog:contact:1", theirs});
                       return true;
                     }),
               std::runtime_error);
  const Dump dump = server_.dump();
  EXPECT_EQ(dump.at("catalog:contact:1"), theirs);
  EXPECT_EQ(dump.at("catalog:contact_email:a@b.example"), "1");
  EXPECT_FALSE(dump.contains("catalog:contact_email:u1@b.example"));
  EXPECT_EQ(dangling(dump), Lines{});
  EXPECT_NO_THROW(store_.run(store_.redis.read({"PING"})))
      << "no answer was left behind on the connection";
  ASSERT_TRUE(write(lines));
  EXPECT_EQ(server_.dump().at("catalog:contact_email:u1@b.example"), "1");
}

// A store without memory still removes keys: the index of the former email was lost.
TEST_F(ImportWrite, ChangesAUserAndItsEmailsAtomically) {
  ASSERT_TRUE(write({account_line(1), user_line(1, "old@b.example", 1)}));
  const Dump before = server_.dump();
  server_.command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_THROW(write({user_line(1, "new@b.example", 1)}), base::Unavailable);
  server_.command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(server_.dump(), before);
  wait_for_the_store();
  ASSERT_TRUE(write({user_line(1, "new@b.example", 1)}));
  EXPECT_EQ(server_.dump().at("catalog:contact_email:new@b.example"), "1");
  EXPECT_EQ(server_.dump().size(), before.size());
}

TEST_F(ImportWrite, KeepsTheIndexOfAnEmailWhoseCaseChanged) {
  ASSERT_TRUE(write({account_line(1), user_line(1, "a@b.example", 1)}));
  ASSERT_TRUE(write({user_line(1, "A@B.example", 1)}));
  const Dump dump = server_.dump();
  EXPECT_EQ(dump.at("catalog:contact_email:a@b.example"), "1");
  EXPECT_NE(dump.at("catalog:contact:1").find("A@B.example"), std::string::npos);
  EXPECT_EQ(dump.size(), 3u);
}

TEST_F(ImportWrite, OperationsD5KeepsRecordsThatItCannotRead) {
  struct Case {
    std::string_view name, key, value, line;
  };
  const std::string user = user_line(5, "a@b.example", 1, R"(,"password":"file-password")");
  const std::string application = application_line("app", 1, "file-secret");
  const auto unreadable = [](const std::string& key) {
    return "the stored record " + key + " cannot be read, so it is not overwritten: ";
  };
  for (const Case& c : {
           Case{"an application, not JSON", "oauth:client:app", "{", application},
           Case{"an application, empty", "oauth:client:app", "", application},
           Case{"an application with half a record", "oauth:client:app", R"({"client_id":"app"})",
                application},
           Case{"a user, not JSON", "catalog:contact:5", "{", user},
           Case{"a user, not an object", "catalog:contact:5", "[1]", user},
           Case{"a user with another kind of hash", "catalog:contact:5",
                R"({"id":5,"password_hash":7})", user},
       }) {
    SCOPED_TRACE(c.name);
    server_.command({"FLUSHALL"});
    ASSERT_TRUE(write({account_line(1)}));
    server_.command({"SET", c.key, c.value});
    const Problems problems = check({project_line("p", 1), std::string(c.line)});
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_TRUE(problems[0].starts_with("2: " + unreadable(std::string(c.key)))) << problems[0];
    const std::string digest = server_.digest();
    file(joined({std::string(c.line), project_line("p", 1)}));
    for (const bool reset : {false, true}) {
      Lines words{path()};
      if (reset) words.push_back("--reset-credentials");
      EXPECT_EQ(run(words, some_keys()).status, 1);
      EXPECT_EQ(server_.digest(), digest) << "the whole import is refused";
    }
    EXPECT_EQ(run({path(), "--keep-going"}, some_keys()).status, 1);
    EXPECT_EQ(server_.text({"GET", c.key}), c.value);
    EXPECT_EQ(server_.command({"EXISTS", "catalog:project:p"}).integer(), 1);
    EXPECT_EQ(audit_.said.size(), 1u) << "only that there was an import";
    audit_.said.clear();
  }
}

// The records are damaged after the check.
TEST_F(ImportWrite, OperationsD5KeepsRecordsThatBecameUnreadableDuringTheImport) {
  for (const bool resets : {false, true}) {
    server_.command({"FLUSHALL"});
    const Lines lines{account_line(1), application_line("app", 1, "file-secret"),
                      user_line(5, "a@b.example", 1, R"(,"password":"file-password")")};
    const base::UniqueFd content = file(joined(lines));
    ctl::ImportCheck check(content.get(), store_, true, go_on);
    ASSERT_TRUE(check.run());
    ASSERT_EQ(check.refused(), 0u);
    server_.command({"SET", "oauth:client:app", "{"});
    server_.command({"SET", "catalog:contact:5", "{"});
    const ctl::CredentialReset reset{audit_, "by a test"};
    ctl::ImportWrite write(content.get(), store_, &keys_, entropy_, go_on, nullptr,
                           resets ? &reset : nullptr);
    EXPECT_THROW(write.run(check), std::runtime_error);
    EXPECT_EQ(server_.text({"GET", "oauth:client:app"}), "{");
    EXPECT_EQ(server_.text({"GET", "catalog:contact:5"}), "{");
    EXPECT_EQ(audit_.said, Lines{});
  }
}

// A former release accepted a redirect URI with this name. The import overwrote the secrets with
// the retired secret.
TEST_F(ImportWrite, ListsTheApplicationsOfAnAccount) {
  ASSERT_TRUE(write({account_line(1), account_line(2), application_line("a", 1, "secret-a"),
                     application_line("b", 1, "secret-b"), application_line("c", 2, "secret-c")}));
  EXPECT_EQ(server_.command({"SCARD", "oauth:account_clients:1"}).integer(), 2);
  EXPECT_EQ(server_.command({"SISMEMBER", "oauth:account_clients:2", "c"}).integer(), 1);
}

TEST_F(ImportWrite, OauthS3CountsTheVersionsOfAnApplicationsPermissions) {
  const auto with_scopes = [](const std::string& scopes) {
    std::string line = application_line("app", 1, "secret");
    const std::size_t begin = line.find('[', line.find("\"scopes\""));
    return line.replace(begin, line.find(']', begin) + 1 - begin, scopes);
  };
  ASSERT_TRUE(write({account_line(1), with_scopes(R"(["media:read","stats:read"])")}));
  EXPECT_EQ(client("app").permission_version, 1);
  ASSERT_TRUE(write({with_scopes(R"(["stats:read","media:read"])")}));
  EXPECT_EQ(client("app").permission_version, 1) << "the same in another order";
  ASSERT_TRUE(write({with_scopes(R"(["media:read"])")}));
  EXPECT_EQ(client("app").permission_version, 2) << "fewer";
  ASSERT_TRUE(write({with_scopes(R"(["media:read"])")}));
  EXPECT_EQ(client("app").permission_version, 2);
  ASSERT_TRUE(write({with_scopes(R"(["media:read","stats:read"])")}));
  EXPECT_EQ(client("app").permission_version, 3) << "as they were once is not as they were";
}

}  // namespace
}  // namespace svc::integration::import_write
