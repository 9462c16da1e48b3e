#include <string>
#include <vector>

#include "ctl/commands/groups.h"
#include "integration/ctl/command_fixture.h"
#include "integration/store.h"
#include "media/media.h"
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

}  // namespace
}  // namespace svc
