#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/unavailable.h"
#include "ctl/commands/groups.h"
#include "integration/ctl/command_fixture.h"
#include "integration/store.h"
#include "media/media.h"
#include "redis/connection_settings.h"
#include "stores/catalog/account_end.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/project_registry.h"
#include "stores/catalog/uploads.h"

namespace svc {
namespace {

using integration::Ran;

class Account : public integration::CommandFixture {
 protected:
  Ran account(const std::vector<std::string>& words) { return run(ctl::account_commands(), words); }
  std::string stored() { return server_.text({"GET", "catalog:account:41"}); }
};

TEST_F(Account, AreListedInTheOrderOfTheirIds) {
  for (const char* id : {"9", "100"}) {
    set(std::string("catalog:account:") + id,
        R"({"id":)" + std::string(id) +
            R"(,"name":"N","host":"n.example","url":"https://n.example"})");
  }
  EXPECT_EQ(account({"list", "--limit", "2"}).out,
            "ID          OAUTH  HOST                            NAME\n"
            "9           no     n.example                       N\n"
            "41          yes    a.example                       With\n");
  EXPECT_EQ(
      account({"list", "--limit", "2", "--after", "41", "--json"}).out,
      R"({"account_id":100,"name":"N","host":"n.example","url":"https://n.example",)"
      R"("oauth_enabled":false,"uploads_enabled":false,"allowed_domains":[],"allow_no_referrer":false,"logo":"","colour":""})"
      "\n");
}

TEST_F(Account, IsShownWithCounts) {
  create_app("client");
  authorize({"client"});
  set("catalog:media:a", R"({"id":"a","account_id":41})"
                         "\n{}");
  set("catalog:media:b", R"({"id":"b","account_id":42})"
                         "\n{}");
  set("catalog:playlist:p", R"({"id":"p","account_id":41,"name":"P","media_ids":[]})");
  server_.command({"ZADD", "ingest:bytes:41", "40", "a", "50", "b"});
  const std::string common =
      R"({"account_id":41,"name":"With","host":"a.example","url":"https://a.example",)"
      R"("oauth_enabled":true,"uploads_enabled":true,"allowed_domains":[],"allow_no_referrer":false,"logo":"","colour":"",)"
      R"("second_factor_required":false,"applications":1,"grants":1,"upload_bytes":90)";
  EXPECT_EQ(account({"show", "41", "--json"}).out, common + "}\n");
  EXPECT_EQ(account({"show", "41", "--count", "--json"}).out,
            common + R"(,"medias":1,"playlists":1,"users":1})" + "\n");
  EXPECT_NE(account({"show", "42"}).err.find("there is no account 42"), std::string::npos);
  EXPECT_EQ(account({"show", "x"}).status, 2);
}

TEST_F(Account, IsChangedWithTheChecksOfAnImport) {
  const std::string before = stored();
  for (const auto& [flag, value, why] : std::vector<std::array<std::string, 3>>{
           {"--name", "", "name must not be empty"},
           {"--host", "a b", "host must be a host name"},
           {"--host", "a.example/x", "host must be"},
           {"--url", "x", "url must be an absolute"},
           {"--allowed-domains", "a.example b", "has b, which"},
           {"--allowed-domains", "", "has an entry without text, which"},
           {"--allowed-domains", ",", "has an entry without text, which"},
           {"--name", "a\tb", "name must not have control characters"},
           {"--name", "a\xe2\x80\xaez", "name must not have control characters"},
           {"--name", "\xe2\x80\x8b\xef\xbb\xbf", "name must have a visible character"},
           {"--name", "\xff", "UTF-8"}}) {
    const Ran ran = account({"set", "41", flag, value});
    EXPECT_EQ(ran.status, 1) << flag;
    EXPECT_NE(ran.err.find(why), std::string::npos) << ran.err;
  }
  EXPECT_EQ(account({"set", "41"}).status, 2);
  EXPECT_EQ(account({"set", "41", "--oauth-enabled", "maybe"}).status, 2);
  EXPECT_EQ(account({"set", "42", "--name", "N"}).status, 1);
  EXPECT_EQ(stored(), before);
  EXPECT_EQ(audited(), "");

  const Ran ran = account({"set", "41", "--name", "New", "--host", "b.example", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(
      ran.out,
      R"({"account_id":41,"name":"New","host":"b.example","url":"https://a.example",)"
      R"("oauth_enabled":true,"uploads_enabled":true,"allowed_domains":[],"allow_no_referrer":false,"logo":"","colour":"",)"
      R"("second_factor_required":false})"
      "\n");
  EXPECT_NE(stored().find(R"("name":"New","host":"b.example")"), std::string::npos);
  const std::string trail = audited();
  EXPECT_NE(trail.find(R"("what":"account.changed","account":41)"), std::string::npos);
  EXPECT_NE(trail.find("name With → New, host a.example → b.example"), std::string::npos) << trail;
  EXPECT_EQ(account({"set", "41", "--name", "New"}).status, 0);
  EXPECT_EQ(audited(), trail) << "what changed nothing is no event";
}

TEST_F(Account, UploadsFollowOauthUntilTheyAreSwitched) {
  EXPECT_EQ(stored().find("uploads_enabled"), std::string::npos);
  EXPECT_EQ(account({"set", "41", "--oauth-enabled", "no", "--yes"}).status, 0);
  EXPECT_NE(audited().find("oauth_enabled yes → no, uploads_enabled yes → no"), std::string::npos)
      << audited();
  EXPECT_EQ(account({"set", "41", "--uploads-enabled", "yes"}).status, 0) << "without --yes";
  EXPECT_NE(stored().find(R"("oauth_enabled":false,"uploads_enabled":true)"), std::string::npos);
  EXPECT_NE(audited().find("uploads_enabled no → yes"), std::string::npos);
  EXPECT_EQ(account({"set", "41", "--oauth-enabled", "yes"}).status, 0);
  EXPECT_EQ(account({"set", "41", "--uploads-enabled", "no"}).status, 0);
  EXPECT_NE(stored().find(R"("oauth_enabled":true,"uploads_enabled":false)"), std::string::npos);
}

TEST_F(Account, IsToldWhereItsFilmsMayBeShown) {
  EXPECT_EQ(account({"set", "41", "--allowed-domains", "Site.Example, *.b.example",
                     "--allow-no-referrer", "yes"})
                .status,
            0);
  EXPECT_NE(
      stored().find(R"("allowed_domains":["site.example","*.b.example"],"allow_no_referrer":true)"),
      std::string::npos)
      << stored();
  EXPECT_NE(audited().find("allowed_domains any → site.example,*.b.example, allow_no_referrer no → "
                           "yes"),
            std::string::npos)
      << audited();
  EXPECT_EQ(account({"set", "41", "--allowed-domains", "any"}).status, 0);
  EXPECT_NE(stored().find(R"("allowed_domains":[])"), std::string::npos);
}

TEST_F(Account, WithAFileElsewhereIsForEverySite) {
  media::Media film;
  film.id = *media::HashedId::parse("abc");
  film.account = {41};
  film.type = "Video";
  film.name = "Film";
  film.created = film.updated = "2026-01-05T09:00:00Z";
  film.storyboard = "https://cdn.example/1.vtt";
  integration::Store store(server_);
  stores::Uploads uploads(store.redis());
  store.run(uploads.add(film, {"film.mp4", 0, 9}, {}));
  const std::string before = stored();
  EXPECT_EQ(account({"set", "41", "--allowed-domains", "a.example"}).err,
            "svcctl account set: --allowed-domains must allow every site: "
            "https://cdn.example/1.vtt of the media abc is not a file of this service\n");
  EXPECT_EQ(stored(), before);
  EXPECT_EQ(account({"set", "41", "--allowed-domains", "any"}).status, 0);
}

TEST_F(Account, RequiresASecondFactorUntilThatIsChanged) {
  const std::string record = stored();
  const auto required = [&] {
    return server_.command({"HGET", "web:login_required:accounts", "41"});
  };
  EXPECT_EQ(account({"set", "41", "--second-factor", "perhaps"}).status, 2);
  EXPECT_EQ(account({"set", "42", "--second-factor", "yes"}).status, 1);
  EXPECT_FALSE(required().text());
  const Ran ran = account({"set", "41", "--second-factor", "yes", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find(R"("second_factor_required":true})"), std::string::npos) << ran.out;
  EXPECT_TRUE(required().text());
  EXPECT_EQ(stored(), record) << "an import of the record leaves it";
  const std::string trail = audited();
  EXPECT_NE(trail.find("second_factor_required no → yes"), std::string::npos) << trail;
  EXPECT_EQ(account({"set", "41", "--second-factor", "yes"}).status, 0);
  EXPECT_EQ(audited(), trail) << "what changed nothing is no event";
  EXPECT_EQ(account({"set", "41", "--name", "New"}).status, 0);
  EXPECT_TRUE(required().text());
  EXPECT_EQ(account({"set", "41", "--second-factor", "no"}).status, 0);
  EXPECT_FALSE(required().text());
  EXPECT_NE(audited().find("second_factor_required yes → no"), std::string::npos);
}

TEST_F(Account, PrintsTheConsequencesBeforeOauthIsDisabled) {
  create_app("client");
  authorize({"client"});
  const std::string report =
      R"({"account_id":41,"name":"With","applications":1,"grants":1,"access_tokens":1,)"
      R"("refresh_tokens":1,"changed":)";
  const Ran asked = account({"set", "41", "--oauth-enabled", "no", "--json"});
  EXPECT_EQ(asked.status, 1);
  EXPECT_EQ(asked.out, report + "false}\n");
  EXPECT_NE(stored().find(R"("oauth_enabled":true)"), std::string::npos);
  const Ran ran = account({"set", "41", "--oauth-enabled", "no", "--yes", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, report + "true}\n");
  EXPECT_NE(stored().find(R"("oauth_enabled":false)"), std::string::npos);
  EXPECT_EQ(account({"set", "41", "--oauth-enabled", "yes"}).status, 0) << "without --yes";
  EXPECT_NE(stored().find(R"("oauth_enabled":true)"), std::string::npos);
  EXPECT_NE(audited().find("oauth_enabled no → yes"), std::string::npos);
}

// Ends the process, as kill -9 does, after that many replies of Redis.
class Killer : public redis::TripObserver {
 public:
  static constexpr int kKilled = 9;

  explicit Killer(int replies) : left_(replies) {}
  void answered(base::Duration /*taken*/) override {
    if (--left_ == 0) _exit(kKilled);
  }
  void failed() override {}

 private:
  int left_;
};

class DeletedAccount : public Account {
 protected:
  // A film of the account in a playlist of its own and in one of another account, with captions;
  // one that cannot be read; a project with a film; an application with a grant; a user who is in
  // another account, too.
  DeletedAccount() {
    set("catalog:account:42",
        R"({"id":42,"name":"Other","host":"o.example","url":"https://o.example"})");
    create_app("client");
    tokens_ = authorize({"client"});
    const std::string project =
        run(ctl::project_commands(), {"create", "--account", "41", "--name", "P", "--json"}).out;
    const std::size_t at = project.find(R"("project_id":")") + 14;
    add_media("first00001");
    add_media("second0001");
    EXPECT_EQ(run(ctl::media_commands(), {"edit", "second0001", "--project",
                                          project.substr(at, project.find('"', at) - at)})
                  .status,
              0);
    set("catalog:media:broken0001", R"({"id":"broken0001","account_id":41})");
    set("catalog:captions:first00001x", "of another media");
    server_.command({"HSET", "catalog:captions:first00001", "1", "text"});
    set("catalog:playlist:mine",
        R"({"id":"mine","account_id":41,"name":"M","media_ids":["first00001"]})");
    set("catalog:playlist:theirs",
        R"({"id":"theirs","account_id":42,"name":"T","media_ids":["first00001","others0001"]})");
    set("catalog:contact:411",
        R"({"id":411,"name":"Both","email":"both@example.com","memberships":[{"account_id":41,"role":"user"},{"account_id":42,"role":"owner"}]})");
    set("catalog:contact_email:both@example.com", "411");
    EXPECT_EQ(run(ctl::token_commands(), {"create", "--account", "41", "--user", "410", "--name",
                                          "Backup", "--scopes", "media:read", "--expires", "30"})
                  .status,
              0);
    session_ = begin_session();
    account({"set", "41", "--second-factor", "yes"});
    set("oauth:client:broken", "{}");
    server_.command({"SADD", "oauth:account_clients:41", "broken"});
    server_.command({"HSET", "stats:rows:{account:41}", "total", "1"});
    server_.command({"ZADD", "stats:kept", "1", "account:41"});
  }

  // But what others have, and what ends by itself.
  void expect_nothing_left() {
    const std::set<std::string> kept{"catalog:account:42",
                                     "catalog:contact:411",
                                     "catalog:contact_email:both@example.com",
                                     "catalog:playlist:theirs",
                                     "catalog:captions:first00001x",
                                     "oauth:deleted_client:client",
                                     "oauth:deleted_client:broken",
                                     "ingest:deletions",
                                     "ingest:guards",
                                     "ingest:guards_again"};
    for (const bool is_state : {false, true}) {
      const redis::Reply all = command(is_state, {"KEYS", "*"});
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string key(all.at(i).text().value_or(""));
        EXPECT_TRUE(kept.contains(key) || key.starts_with("audit:") ||
                    command(is_state, {"TTL", key}).integer() > 0)
            << key;
      }
    }
    EXPECT_GT(server_.command({"TTL", "catalog:index:{41}"}).integer(), 0);
    EXPECT_EQ(server_.text({"GET", "catalog:playlist:theirs"}),
              R"({"id":"theirs","account_id":42,"name":"T","media_ids":["others0001"]})");
    EXPECT_EQ(
        server_.text({"GET", "catalog:contact:411"}),
        R"({"id":411,"name":"Both","email":"both@example.com","memberships":[{"account_id":42,"role":"owner"}]})");
  }

  // Of the catalog and the state.
  struct Copied {
    std::string key, value;
    std::int64_t ends = 0;  // in ms; 0: never
  };
  using Copy = std::array<std::vector<Copied>, 2>;
  redis::Reply command(bool is_state, std::initializer_list<std::string_view> words) {
    return is_state ? state_command(words) : server_.command(words);
  }
  Copy copy() {
    Copy all;
    for (const bool is_state : {false, true}) {
      const redis::Reply names = command(is_state, {"KEYS", "*"});
      for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string key(names.at(i).text().value_or(""));
        const redis::Reply value = command(is_state, {"DUMP", key});
        const std::int64_t ends = command(is_state, {"PTTL", key}).integer();
        all.at(is_state ? 1 : 0)
            .push_back(
                {key, std::string(value.text().value_or("")), std::max<std::int64_t>(ends, 0)});
      }
    }
    return all;
  }
  void restore(const Copy& all) {
    server_.command({"FLUSHALL"});
    for (const bool is_state : {false, true}) {
      for (const auto& [key, value, ends] : all.at(is_state ? 1 : 0))
        command(is_state, {"RESTORE", key, std::to_string(ends), value});
    }
  }
  // Returns false if it died before its end.
  bool dies_after(int replies, const std::vector<std::string>& words) {
    const pid_t child = fork();
    if (child == 0) {
      Killer killer(replies);
      observer_ = &killer;
      _exit(account(words).status);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << status;
    return WEXITSTATUS(status) != Killer::kKilled;
  }

  Tokens tokens_;
  std::string session_;
};

TEST_F(DeletedAccount, OperationsD71EndsWithAllThatBelongsToIt) {
  const Ran asked = account({"delete", "41"});
  EXPECT_EQ(asked.status, 1);
  EXPECT_NE(asked.err.find("--yes"), std::string::npos) << asked.err;
  ASSERT_TRUE(find_session(session_));
  const Ran ran = account({"delete", "41", "--yes", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out,
            R"({"account_id":41,"name":"With","medias":3,"projects":1,"playlists":1,"users":1,)"
            R"("memberships":1,"applications":1,"account_tokens":1,"grants":1,"access_tokens":1,)"
            R"("refresh_tokens":1,"deleted":true})"
            "\n");
  expect_nothing_left();
  EXPECT_FALSE(find_session(session_));
  EXPECT_FALSE(alive(tokens_.access));
  // Its files.
  EXPECT_EQ(server_.command({"XLEN", "ingest:deletions"}).integer(), 3);
  const std::string trail = audited();
  EXPECT_NE(trail.find(R"("what":"account.deleted","account":41)"), std::string::npos);
  EXPECT_NE(trail.find(R"("what":"contact.deleted","contact":410)"), std::string::npos);
  EXPECT_EQ(trail.find(R"("contact":411)"), std::string::npos);
  EXPECT_NE(account({"delete", "41", "--yes"}).err.find("there is no account 41"),
            std::string::npos);
}

// svc-ingest goes on with it until it ends.
TEST_F(DeletedAccount, WhatAnAccountThatEndsHasCanBeChanged) {
  store_.run(stores::close_account(store_.redis(), {41}));
  stores::CatalogRegistry registry(store_.redis());
  const auto rename = [](media::Media& media) {
    media.name = "Renamed";
    return true;
  };
  EXPECT_TRUE(store_.run(registry.change_media(*media::HashedId::parse("second0001"), rename)));
}

TEST_F(DeletedAccount, OperationsD71NothingComesIntoAnAccountThatEnds) {
  account({"delete", "41", "--yes"});
  stores::Uploads uploads(store_.redis());
  const media::UploadPlace place{.name = "p", .limits = {}, .now = clock_.now(), .bytes = 1};
  EXPECT_THROW(store_.run(uploads.take_place({41}, place)), base::Unavailable);
  stores::ProjectRegistry projects(store_.redis());
  const media::Project late{
      {"late"}, {41}, "Late", "", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"};
  EXPECT_THROW(store_.run(projects.add_project(late, 10)), base::Unavailable);
  EXPECT_EQ(server_.command({"EXISTS", "catalog:project:late"}).integer(), 0);
  // Another account gets the id.
  EXPECT_EQ(account({"create", "--id", "41", "--name", "New", "--host", "n.example"}).status, 0);
  EXPECT_EQ(server_.command({"TTL", "catalog:index:{41}"}).integer(), -1);
  EXPECT_TRUE(store_.run(projects.add_project(late, 10)));
}

TEST_F(DeletedAccount, OperationsD71AnEndThatDiesAfterAnyReplyIsCompletedByTheSameCommand) {
  const Copy before = copy();
  bool is_done = false;
  for (int replies = 1; !is_done && !HasFailure(); ++replies) {
    SCOPED_TRACE(replies);
    restore(before);
    is_done = dies_after(replies, {"delete", "41", "--yes"});
    const Ran ran = account({"delete", "41", "--yes"});
    EXPECT_EQ(ran.status, ran.err == "svcctl account delete: there is no account 41\n" ? 1 : 0)
        << ran.err;
    expect_nothing_left();
  }
}

// A record of an earlier fault: the account need not be readable.
TEST_F(DeletedAccount, EndsIfItsRecordCannotBeRead) {
  set("catalog:account:41", "{}");
  const Ran ran = account({"delete", "41", "--yes"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  expect_nothing_left();
}

}  // namespace
}  // namespace svc
