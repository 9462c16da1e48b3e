#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/unavailable.h"
#include "integration/ctl/import/fixture.h"
#include "integration/store.h"
#include "stores/access/client_registry.h"
#include "stores/catalog/catalog_registry.h"

namespace svc::integration {
namespace {

TEST_F(Import, WritesEveryKindUnderItsKey) {
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

TEST_F(Import, KeepsRecordsThatTheFileDoesNotContain) {
  ASSERT_TRUE(write({account_line(1), media_line("a", 1)}));
  server_.command({"SET", "somebody:else", "x"});
  ASSERT_TRUE(write({media_line("b", 1)}));
  EXPECT_EQ(server_.command({"EXISTS", "catalog:media:a", "somebody:else"}).integer(), 2);
}

TEST_F(Import, RemovesTheIndexOfAFormerEmail) {
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

TEST_F(Import, KeepsTheIndexOfAnEmailWhoseCaseChanged) {
  ASSERT_TRUE(write({account_line(1), user_line(1, "a@b.example", 1)}));
  ASSERT_TRUE(write({user_line(1, "A@B.example", 1)}));
  const Dump dump = server_.dump();
  EXPECT_EQ(dump.at("catalog:contact_email:a@b.example"), "1");
  EXPECT_NE(dump.at("catalog:contact:1").find("A@B.example"), std::string::npos);
  EXPECT_EQ(dump.size(), 3u);
}

TEST_F(Import, CountsTheVersionsOfAnApplicationsPermissions) {
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

// Two imports were checked before either wrote; an owner or an operator was faster than an import.
TEST_F(Import, OperationsD5DoesNotOverwriteWhatAnotherClientChangedDuringTheImport) {
  Store others(server_);
  stores::ClientRegistry theirs(others.redis());
  const std::string app = application_line("app", 1, "ours");
  struct Case {
    std::string name;
    Lines stored;
    std::string line;
    std::string overtaken;
    std::function<void()> meanwhile;
  };
  for (const Case& c : {
           Case{"another user has the email address",
                {},
                with_password("a password"),
                "catalog:contact_email:a@b.example",
                [&] {
                  server_.command({"SET", "catalog:contact_email:a@b.example", "2"});
                }},
           Case{"a changed user",
                {with_hash(kHash)},
                with_password("a password"),
                "catalog:contact:1",
                [&] {
                  server_.command({"SET", "catalog:contact:1",
                                   R"({"id":1,"name":"Theirs","email":"a@b.example",)"
                                   R"("memberships":[]})"});
                }},
           Case{"a deleted application",
                {application_line("app", 1, "old")},
                app,
                "oauth:client:app",
                [&] { others.run(theirs.remove({"app"}, 1)); }},
           Case{"a created and deleted application",
                {},
                app,
                "oauth:client:app",
                [&] {
                  others.run(theirs.add(client("example"), 100));
                  server_.command({"RENAME", "oauth:client:example", "oauth:client:app"});
                  others.run(theirs.remove({"app"}, 1));
                }},
           Case{"a changed application",
                {application_line("app", 1, "old")},
                app,
                "oauth:client:app",
                [&] {
                  oauth::Client changed = client("app");
                  changed.name = "Theirs";
                  server_.command({"SET", "oauth:client:app", to_record(changed)});
                }},
       }) {
    SCOPED_TRACE(c.name);
    server_.command({"FLUSHALL"});
    ASSERT_TRUE(write({account_line(1), application_line("example", 1, "theirs")}));
    ASSERT_TRUE(write(c.stored));
    // Readers skip listed applications that do not exist.
    const auto dump = [&] {
      Dump all = server_.dump();
      all.erase("oauth:account_clients:1");
      return all;
    };
    Dump theirs_only;
    entropy_.meanwhile = [&] {
      c.meanwhile();
      theirs_only = dump();
    };
    try {
      reset({c.line, project_line("later", 1)});
      ADD_FAILURE() << "was written";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), c.overtaken +
                                  " was changed by another client during the import and was not "
                                  "overwritten; all written records are complete. Run the import "
                                  "again for the rest");
    }
    EXPECT_EQ(dump(), theirs_only);
  }
}

// The store holds back the write of the import and that of an application, which have both read the
// media: the second writer begins again.
TEST_F(Import, KeepsTheChangesOfApplicationsWhileItWrites) {
  const auto until_held_back = [&](std::size_t clients) {
    const auto held_back = [&] {
      const std::string list = server_.text({"CLIENT", "LIST"});
      std::size_t count = 0;
      for (std::size_t at = 0; (at = list.find("flags=b", at)) != std::string::npos; ++at) ++count;
      return count;
    };
    while (held_back() < clients) std::this_thread::yield();
  };
  for (const bool import_is_first : {true, false}) {
    ASSERT_TRUE(write({account_line(1), media_line("a", 1)}));
    const std::function<void()> import_it = [&] {
      EXPECT_TRUE(write({media_line("a", 1, "", "Renamed")}));
    };
    const std::function<void()> edit_it = [&] {
      integration::Store store(server_);
      stores::CatalogRegistry registry(store.redis());
      store.run(registry.edit_media(*media::HashedId::parse("a"), [](media::Media& media) {
        media.description = "Edited";
        media.customizations["volume"] = 0.5;
        return true;
      }));
    };
    server_.command({"CLIENT", "PAUSE", "600000", "WRITE"});
    std::thread first(import_is_first ? import_it : edit_it);
    until_held_back(1);
    std::thread second(import_is_first ? edit_it : import_it);
    until_held_back(2);
    server_.command({"CLIENT", "UNPAUSE"});
    first.join();
    second.join();
    const std::string stored = server_.text({"GET", "catalog:media:a"});
    EXPECT_NE(stored.find("Renamed"), std::string::npos) << stored;
    EXPECT_NE(stored.find(R"("customizations":{"volume":0.5})"), std::string::npos) << stored;
  }
}

// A store without memory still removes keys: the index of the former email was lost.
TEST_F(Import, KeepsTheFormerEmailOfAUserIfTheStoreIsFull) {
  ASSERT_TRUE(write({account_line(1), user_line(1, "old@b.example", 1)}));
  const Dump before = server_.dump();
  server_.command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_THROW(write({user_line(1, "new@b.example", 1)}), base::Unavailable);
  server_.command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(server_.dump(), before);
}

TEST_F(Import, OperationsD5KeepsRecordsThatItCannotRead) {
  struct Case {
    std::string_view name, key, value;
    std::string line;
  };
  const std::string user = with_password("file-password", 5);
  const std::string application = application_line("app", 1, "file-secret");
  for (const Case& c : {
           Case{"an application, not JSON", "oauth:client:app", "{", application},
           Case{"an application, empty", "oauth:client:app", "", application},
           Case{"half an application", "oauth:client:app", R"({"client_id":"app"})", application},
           Case{"a user, not JSON", "catalog:contact:5", "{", user},
           Case{"a user, not an object", "catalog:contact:5", "[1]", user},
           Case{"a user with another kind of hash", "catalog:contact:5",
                R"({"id":5,"password_hash":7})", user},
       }) {
    SCOPED_TRACE(c.name);
    server_.command({"FLUSHALL"});
    ASSERT_TRUE(write({account_line(1)}));
    server_.command({"SET", c.key, c.value});
    const std::string digest = server_.digest();
    const Lines lines{c.line, project_line("p", 1)};
    for (const Lines& more : {Lines{}, Lines{"--reset-credentials"}}) {
      const Ran ran = import(lines, more);
      EXPECT_EQ(ran.status, 1);
      EXPECT_TRUE(ran.err.starts_with(path() + ":1: the stored record " + std::string(c.key) +
                                      " cannot be read, so it is not overwritten: "))
          << ran.err;
      EXPECT_EQ(server_.digest(), digest) << "the whole import is refused";
    }
    EXPECT_EQ(import(lines, {"--keep-going"}).status, 1);
    EXPECT_EQ(server_.text({"GET", c.key}), c.value);
    EXPECT_EQ(server_.command({"EXISTS", "catalog:project:p"}).integer(), 1);
  }
}

// The record is damaged after the check.
TEST_F(Import, OperationsD5KeepsARecordThatBecameUnreadableDuringTheImport) {
  ASSERT_TRUE(write({account_line(1), application_line("app", 1, "secret")}));
  const auto damage = [&](std::uint64_t, std::uint64_t) {
    server_.command({"SET", "oauth:client:app", "{"});
    return true;
  };
  const ctl::CredentialReset reset{audit_, "by a test"};
  EXPECT_THROW(write({project_line("p", 1), application_line("app", 1, "new")}, damage, &reset),
               std::runtime_error);
  EXPECT_EQ(server_.text({"GET", "oauth:client:app"}), "{");
  EXPECT_EQ(audit_.said, Lines{});
}

// More than any batch holds.
constexpr int kOfEach = 1100;
constexpr int kFilms = 2 * kOfEach;

// kOfEach lines of every kind without secrets, which cost time; each line comes before those that
// it refers to.
std::vector<std::string> large_catalog(const std::string& name = "Film") {
  std::vector<std::string> lines;
  for (int i = 0; i < kOfEach; ++i) {
    const std::string id = std::to_string(i);
    lines.push_back(
        playlist_line("l" + id, 1 + i, {"m" + id, "m" + std::to_string(kFilms - 1 - i)}));
  }
  for (int i = 0; i < kFilms; ++i) {
    const int of = i % kOfEach;
    lines.push_back(media_line("m" + std::to_string(i), 1 + of, "p" + std::to_string(of), name));
  }
  for (int i = 0; i < kOfEach; ++i) lines.push_back(project_line("p" + std::to_string(i), 1 + i));
  for (int i = 1; i <= kOfEach; ++i)
    lines.push_back(user_line(i, "u" + std::to_string(i) + "@b.example", i));
  for (int i = 1; i <= kOfEach; ++i) lines.push_back(account_line(i));
  return lines;
}

TEST_F(Import, IsCompletedByTheNextRunAfterAnInterruptAtAnyStep) {
  const Lines lines = large_catalog();
  ASSERT_TRUE(write(lines));
  EXPECT_EQ(server_.dump().size(), 7u * kOfEach);
  const std::string whole = server_.digest();
  for (int stop_at = 1;; ++stop_at) {
    SCOPED_TRACE(stop_at);
    server_.command({"FLUSHALL"});
    int calls = 0;
    const bool done = write(lines, [&](std::uint64_t, std::uint64_t) { return ++calls < stop_at; });
    EXPECT_EQ(dangling(server_.dump()), Lines{});
    if (done) break;
    EXPECT_EQ(calls, stop_at) << "it stops at once";
    ASSERT_TRUE(write(lines));
    EXPECT_EQ(server_.digest(), whole);
  }
}

TEST_F(Import, IsCompletedByTheNextRunAfterTheStoreWasFull) {
  ASSERT_TRUE(write(large_catalog()));
  const Lines renamed = large_catalog("Renamed");
  int calls = 0;
  EXPECT_THROW(write(renamed,
                     [&](std::uint64_t, std::uint64_t) {
                       // The accounts, users, projects and a batch of media are written.
                       if (++calls == 7) server_.command({"CONFIG", "SET", "maxmemory", "1"});
                       return true;
                     }),
               base::Unavailable);
  EXPECT_EQ(dangling(server_.dump()), Lines{});
  EXPECT_NE(server_.text({"GET", "catalog:media:m0"}),
            server_.text({"GET", "catalog:media:m2199"}));
  server_.command({"CONFIG", "SET", "maxmemory", "0"});
  ASSERT_TRUE(write(renamed));
  for (const auto& [key, record] : server_.dump())
    EXPECT_EQ(record.find("\"Film\""), std::string::npos) << key;
}

TEST_F(Import, RefusesAFileThatChangedAfterTheCheck) {
  EXPECT_THROW(write({account_line(1), media_line("m", 1)},
                     [&](std::uint64_t, std::uint64_t) {
                       directory_.write(
                           "catalog.jsonl",
                           account_line(1) + "\n" + media_line("m", 1, "", "Other") + "\n");
                       return true;
                     }),
               std::runtime_error);
  EXPECT_EQ(server_.dump().size(), 1u) << "the account was written before";
}

TEST_F(Import, OperationsD55NoLineMovesARecordToAnotherAccount) {
  const Lines lines{account_line(1), account_line(2), project_line("p", 1), media_line("m", 1)};
  ASSERT_TRUE(write(lines));
  EXPECT_EQ(check({project_line("p", 2), media_line("m", 2)}),
            (Problems{"1: account_id must be 1: the project is of that account. Delete it first "
                      "(svcctl project delete)",
                      "2: account_id must be 1: the media is of that account. Delete it first "
                      "(svcctl media delete)"}));
  ASSERT_TRUE(write({media_line("m", 1, "", "Renamed")}));
}

TEST_F(Import, WritesNoMediaIntoAProjectThatIsDeletedDuringTheImport) {
  const Lines lines{account_line(1), project_line("p", 1), media_line("m", 1, "p")};
  int batches = 0;
  const auto delete_it = [&](std::uint64_t, std::uint64_t) {
    if (++batches == 2) server_.command({"DEL", "catalog:project:p"});
    return true;
  };
  try {
    write(lines, delete_it);
    FAIL() << "it was written";
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(
        std::string_view(error.what()).starts_with("project p was deleted by another client"))
        << error.what();
  }
  EXPECT_EQ(server_.command({"EXISTS", "catalog:media:m"}).integer(), 0);
  ASSERT_TRUE(write(lines));
  EXPECT_EQ(server_.command({"EXISTS", "catalog:media:m"}).integer(), 1);
}

class ImportWithCache : public Import {
 protected:
  ImportWithCache() { Import::cache_ = &cache_; }

  // Renderings of the first `medias` media of the large catalog, as workers store them.
  void keep_renderings(int medias) {
    for (int i = 0; i < medias; ++i) {
      const std::string key = "embed:rendering:m" + std::to_string(i);
      cache_server_.command({"HSET", key, "configuration json", "1 0 {}"});
    }
  }
  bool is_kept(const std::string& id) {
    return cache_server_.command({"EXISTS", "embed:rendering:" + id}).integer() == 1;
  }

  RedisServer cache_server_;
  redis::Store cache_{cache_server_.settings(), store_.loop};
};

TEST_F(ImportWithCache, DeletesTheRenderingsOfChangedMediaOnly) {
  ASSERT_TRUE(write(
      {account_line(1), media_line("m0", 1), media_line("m1", 1), playlist_line("m2", 1, {"m1"})}));
  keep_renderings(4);
  ASSERT_TRUE(write({media_line("m0", 1), media_line("m1", 1, "", "Renamed"),
                     playlist_line("m2", 1, {"m1", "m0"}), media_line("new", 1)}));
  EXPECT_TRUE(is_kept("m0")) << "unchanged";
  EXPECT_FALSE(is_kept("m1"));
  EXPECT_TRUE(is_kept("m2")) << "that of a media which has a playlist's id";
  EXPECT_TRUE(is_kept("m3")) << "not in the file";
}

TEST_F(ImportWithCache, AnInterruptedImportKeepsRenderingsOfUnchangedMediaOnly) {
  ASSERT_TRUE(write(large_catalog()));
  keep_renderings(kFilms);
  int calls = 0;
  // The accounts, users, projects and a batch of media are written.
  EXPECT_FALSE(
      write(large_catalog("Renamed"), [&](std::uint64_t, std::uint64_t) { return ++calls < 7; }));
  int renamed = 0;
  for (int i = 0; i < kFilms; ++i) {
    const std::string id = "m" + std::to_string(i);
    const bool is_new =
        server_.text({"GET", "catalog:media:" + id}).find("Renamed") != std::string::npos;
    EXPECT_EQ(is_kept(id), !is_new) << id;
    renamed += is_new ? 1 : 0;
  }
  EXPECT_GT(renamed, 0);
  EXPECT_LT(renamed, kFilms);
}

TEST_F(ImportWithCache, WritesIfTheCacheIsUnavailable) {
  ASSERT_TRUE(write({account_line(1), media_line("m0", 1)}));
  cache_server_.stop();
  ASSERT_TRUE(write({media_line("m0", 1, "", "Renamed")}));
  EXPECT_NE(server_.text({"GET", "catalog:media:m0"}).find("Renamed"), std::string::npos);
}

// A media with these fields, and its files here.
std::string film_line(const std::string& more, const std::string& url = "/files/film/1.mp4",
                      const std::string& id = "film") {
  return R"({"kind":"media","id":")" + id + R"(","account_id":1,"type":"Video","name":"Film",)" +
         more +
         R"("status":"ready","created":"2026-01-05T09:00:00Z","updated":"2026-01-05T09:00:00Z",)"
         R"("assets":[{"type":"mp4","url":")" +
         url + R"(","bandwidth":1000}]})";
}
const std::string kPrivate = R"("visibility":"private",)";
const std::string kPublic = R"("visibility":"public",)";

class ImportOfVisibility : public Import {
 protected:
  std::int64_t links_from(const std::string& id = "film") {
    const redis::Reply reply = server_.command({"GET", "catalog:media:" + id});
    const std::string record(reply.text().value_or(""));
    const std::string key = "\"links_from\":";
    const std::size_t at = record.find(key);
    return at == std::string::npos ? 0 : std::stoll(record.substr(at + key.size()));
  }
  bool is_private(const std::string& id = "film") {
    const redis::Reply reply = server_.command({"GET", "catalog:media:" + id});
    return reply.text().value_or("").find(kPrivate) != std::string_view::npos;
  }
  // What svc-keeper would mark, which it then is.
  std::int64_t jobs() {
    const std::int64_t waiting = server_.command({"ZCARD", "ingest:guards"}).integer();
    server_.command({"DEL", "ingest:guards"});
    return jobs_ += waiting;
  }

 private:
  std::int64_t jobs_ = 0;
};

TEST_F(ImportOfVisibility, OembedW12AMediaThatBecomesPrivateHasNoEarlierLink) {
  ASSERT_TRUE(write({account_line(1), film_line("")}));
  EXPECT_EQ(links_from(), 0);
  EXPECT_EQ(jobs(), 0);
  ASSERT_TRUE(write({film_line(kPrivate)}));
  const std::int64_t first = links_from();
  EXPECT_GT(first, 0);
  EXPECT_EQ(jobs(), 1);
  for (const std::string& line : {film_line(kPrivate), film_line("")}) {
    ASSERT_TRUE(write({line}));
    EXPECT_EQ(links_from(), first) << line;
    EXPECT_TRUE(is_private());
    EXPECT_EQ(jobs(), 1);
  }
  ASSERT_TRUE(write({film_line(kPublic)}));
  EXPECT_FALSE(is_private());
  EXPECT_EQ(jobs(), 2);
  ASSERT_TRUE(write({film_line(kPrivate)}));
  const std::int64_t second = links_from();
  EXPECT_GT(second, first);
  server_.command({"DEL", "catalog:media:film"});
  ASSERT_TRUE(write({film_line(kPrivate)}));
  EXPECT_GE(links_from(), second) << "a link to the deleted film was made before";
  EXPECT_EQ(jobs(), 4);
}

TEST_F(ImportOfVisibility, OembedW12OnlyNewMediaThatAreGuardedHaveJobs) {
  ASSERT_TRUE(write({account_line(1), film_line(""),
                     film_line(R"("allowed_domains":[],)", "/files/b/1.mp4", "b")}));
  EXPECT_EQ(jobs(), 0);
  ASSERT_TRUE(write({film_line(R"("allowed_domains":["a.example"],)", "/files/c/1.mp4", "c")}));
  EXPECT_EQ(jobs(), 1);
  std::string restricted = account_line(1);
  restricted.insert(restricted.size() - 1, R"(,"allowed_domains":["a.example"])");
  ASSERT_TRUE(write({restricted, film_line("", "/files/d/1.mp4", "d")}));
  EXPECT_EQ(jobs(), 3) << "the account, and the new media";
  ASSERT_TRUE(write({restricted, film_line("", "/files/d/1.mp4", "d"),
                     film_line(kPublic, "/files/d2/2.mp4", "d2"),
                     film_line(R"("allowed_domains":[],)", "/files/e/1.mp4", "e")}));
  EXPECT_EQ(jobs(), 4) << "d2";
}

TEST_F(ImportOfVisibility, OembedW13APrivateMediaWithAFileElsewhereIsRefused) {
  const std::string elsewhere = "https://cdn.example/1.mp4";
  EXPECT_EQ(check({account_line(1), film_line(kPrivate, elsewhere)}),
            Problems{"2: visibility must not be private: " + elsewhere +
                     " is not a file of this service"});
  ASSERT_TRUE(write({account_line(1), film_line(kPrivate)}));
  const Ran ran = import({film_line("", elsewhere), playlist_line("list", 1, {"film"}),
                          film_line("", elsewhere, "other")},
                         {"--keep-going"});
  EXPECT_NE(ran.err.find(":1: visibility must not be private, as it is stored: " + elsewhere),
            std::string::npos)
      << ran.err;
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(is_private());
  EXPECT_EQ(check({film_line(kPublic, elsewhere)}), Problems{});
}

TEST_F(ImportOfVisibility, OembedW13AMediaWhoseFilesASwapGaveToAnotherIsRefused) {
  ASSERT_TRUE(write({account_line(1), film_line("", "/files/other/1.mp4", "other")}));
  std::string other = server_.text({"GET", "catalog:media:other"});
  other.insert(other.find("\n{") + 2, R"("folders":["film"],)");
  server_.command({"SET", "catalog:files:film", "other"});
  EXPECT_EQ(check({film_line("")}), Problems{}) << "the swap was not completed";
  server_.command({"SET", "catalog:media:other", other});
  EXPECT_EQ(check({film_line(""), film_line(kPrivate, "/files/more/1.mp4", "more")}),
            Problems{"1: must not name /files/film/1.mp4: a swap gave the files of this media to "
                     "the media other"});
  EXPECT_EQ(check({film_line("", "https://cdn.example/1.mp4")}), Problems{});
  server_.command({"DEL", "catalog:media:other"});
  EXPECT_EQ(check({film_line("")}), Problems{});
}

TEST_F(ImportOfVisibility, OperationsD59FilesThatASwapGivesAwayDuringTheImportStayThoseOfOneMedia) {
  for (const bool is_stored : {false, true}) {
    SCOPED_TRACE(is_stored);
    server_.command({"FLUSHALL"});
    ASSERT_TRUE(write({account_line(1), film_line("", "/files/other/1.mp4", "other")}));
    if (is_stored) {
      ASSERT_TRUE(write({film_line("", "/files/film/old.mp4")}));
    }
    const auto swap = [&] {
      std::string other = server_.text({"GET", "catalog:media:other"});
      other.insert(other.find("\n{") + 2, R"("folders":["film"],)");
      server_.command({"SET", "catalog:media:other", other});
      server_.command({"SET", "catalog:files:film", "other"});
      server_.command({"DEL", "catalog:media:film"});
      return true;
    };
    bool has_swapped = false;
    const auto after_the_account = [&](const auto&...) {
      return std::exchange(has_swapped, true) || swap();
    };
    EXPECT_THROW(write({account_line(1), film_line("")}, after_the_account), std::runtime_error);
    EXPECT_TRUE(has_swapped);
    EXPECT_EQ(server_.command({"EXISTS", "catalog:media:film"}).integer(), 0);
  }
}

std::string account_with(const std::string& domains) {
  std::string line = account_line(1);
  line.insert(line.size() - 1, R"(,"allowed_domains":)" + domains);
  return line;
}

// A line of a film with a file elsewhere, unless `url` is another.
std::string open_line(const std::string& domains, const std::string& id = "film",
                      const std::string& url = "https://cdn.example/1.mp4") {
  return film_line(domains.empty() ? "" : R"("allowed_domains":)" + domains + ",", url, id);
}
constexpr const char* kSites = R"(["a.example"])";
const std::string kNotOurs = "https://cdn.example/1.mp4 is not a file of this service";

TEST_F(ImportOfVisibility, OembedW13AMediaWithAListOfSitesAndAFileElsewhereIsRefused) {
  const std::string refused = "allowed_domains must allow every site";
  EXPECT_EQ(check({account_line(1), open_line(kSites), open_line("[]", "everywhere")}),
            Problems{"2: " + refused + ": " + kNotOurs});
  ASSERT_TRUE(write({account_line(1), film_line(R"("allowed_domains":["a.example"],)")}));
  EXPECT_EQ(check({open_line("")}),
            Problems{"1: " + refused + ", unlike the stored list: " + kNotOurs});
  EXPECT_EQ(check({open_line("[]")}), Problems{});
  // Posters of restricted films are open.
  std::string poster = open_line(kSites, "film", "/files/film/1.mp4");
  poster.insert(poster.size() - 1,
                R"(,"thumbnail":{"url":"https://cdn.example/a.jpg","width":8,"height":6})");
  EXPECT_EQ(check({poster}), Problems{});
}

TEST_F(ImportOfVisibility, OembedW13AnAccountWithAListOfSitesHasNoMediaWithAFileElsewhere) {
  const std::string inherited =
      "allowed_domains must allow every site, unlike the list of its account: " + kNotOurs;
  for (const Lines& lines : {Lines{account_with(kSites), open_line("")},
                             Lines{open_line("", "film"), account_with(kSites)}}) {
    const std::string number = lines.front() == account_with(kSites) ? "2: " : "1: ";
    EXPECT_EQ(check(lines), Problems{number + inherited});
  }
  EXPECT_EQ(check({account_with(kSites), open_line("[]")}), Problems{});
  ASSERT_TRUE(write({account_line(1), open_line("", "stored")}));
  EXPECT_EQ(check({account_with(kSites)}),
            Problems{"1: allowed_domains must allow every site: https://cdn.example/1.mp4 of the "
                     "media stored is not a file of this service"});
  EXPECT_EQ(check({account_with(kSites), open_line("[]", "stored")}), Problems{});
  EXPECT_EQ(check({account_with("[]")}), Problems{});
  ASSERT_TRUE(write({account_with(kSites), open_line("[]", "stored")}));
  EXPECT_EQ(check({open_line("", "film")}), Problems{"1: " + inherited});
  EXPECT_EQ(check({open_line("", "film"), account_with("[]")}), Problems{});
}

// A refused line counted as the media's next record, so the stored file stayed open.
TEST_F(ImportOfVisibility, OembedW13ARefusedLineClosesNoFile) {
  ASSERT_TRUE(write({account_line(1), open_line("", "stored")}));
  std::string refused = open_line("[]", "stored");
  refused.insert(refused.size() - 1, R"(,"project_id":"nowhere")");
  EXPECT_EQ(check({account_with(kSites), refused}),
            (Problems{"1: allowed_domains must allow every site: https://cdn.example/1.mp4 of the "
                      "media stored is not a file of this service",
                      "2: refers to the project nowhere, which is neither in the file nor in the "
                      "catalog"}));
}

}  // namespace
}  // namespace svc::integration
