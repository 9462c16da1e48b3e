#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ctl/commands/groups.h"
#include "fakes/application_settings.h"
#include "integration/ctl/command_fixture.h"

namespace svc {
namespace {

using integration::Ran;

using App = integration::CommandFixture;

// The flags of `app create`, with that value for one of them.
std::vector<std::string> create_with(std::string_view flag, const std::string& value) {
  std::vector<std::string> words{"create", "--account", "41", "--name", "App"};
  words.insert(words.end(), {"--redirect-uri", "https://c.example/cb", "--scopes", "media:read"});
  words.insert(words.end(), {"--client-id", "client"});
  const auto at = std::ranges::find(words, flag);
  if (at == words.end()) {
    words.emplace_back(flag);
    words.push_back(value);
  } else {
    *(at + 1) = value;
  }
  return words;
}

TEST_F(App, WithAnInvalidFlagIsRefusedWithTheAllowedValues) {
  set("catalog:account:42",
      R"({"id":42,"name":"Without","host":"b.example","url":"https://b.example"})");
  const std::string secret = create_app("taken");
  const std::string trail = audited();
  struct Case {
    std::string_view flag;
    std::string value;
    std::string_view says;
  };
  for (const Case& c : {
           Case{"--name", "", "name must not be empty"},
           Case{"--name", std::string(101, 'n'),
                "name must not have more than 100 characters; it has 101"},
           Case{"--name", "a\nb", "name must not have control characters or line breaks"},
           Case{"--name", "Caf\xe9", "name must be text in UTF-8"},
           Case{"--description", std::string(2001, 'd'),
                "description must not have more than 2000 characters; it has 2001"},
           Case{"--redirect-uri", "https://c.example/cb?code=1",
                "redirect_uri must not have a parameter called code"},
           Case{"--scopes", "media:read,everything",
                "scopes must be a list of all:all, all:read, media:read, stats:read, media:upload"},
           Case{"--scopes", ",", "scopes must not be empty"},
           Case{"--account", "43", "there is no account 43"},
           Case{"--account", "42", "OAuth is not enabled for account 42"},
           Case{"--client-id", "a b", "a b is not a client id"},
           Case{"--client-id", "taken", "there is an application taken already"},
       }) {
    SCOPED_TRACE(c.says);
    const Ran ran = app(create_with(c.flag, c.value));
    EXPECT_EQ(ran.status, 1);
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find("svcctl app create: " + std::string(c.says)), std::string::npos)
        << ran.err;
  }
  EXPECT_FALSE(find_client("client"));
  EXPECT_TRUE(oauth::is_secret_of(ring(), *find_client("taken"), secret));
  EXPECT_EQ(audited(), trail);
}

TEST_F(App, IsCreatedWithTheSettingsOfItsFlagsAndShown) {
  oauth::ApplicationSettings settings;
  settings.name = "App";
  settings.redirect_uris = {"https://c.example/cb"};
  settings.scopes = *oauth::ScopeSet::parse("media:read stats:read");
  int number = 0;
  fakes::for_each_change(
      settings, [&](const auto& /*row*/, const oauth::ApplicationSettings& changed) {
        const std::string id = "client-" + std::to_string(++number);
        std::vector<std::string> words{"create", "--account", "41", "--client-id", id};
        base::for_each(oauth::kApplicationSettings, [&]<class Row>(const Row& row) {
          const auto texts = fakes::texts_of(row.rule, changed.*row.member);
          if (texts.empty()) return;
          std::string flag = "--" + std::string(row.name);
          std::ranges::replace(flag, '_', '-');
          if (oauth::kIsUris<decltype(Row::rule)>) {
            for (const std::string_view text : texts)
              words.insert(words.end(), {flag, std::string(text)});
            return;
          }
          words.push_back(flag);
          if (oauth::kIsSwitch<decltype(Row::rule)>) return;
          words.emplace_back(texts[0]);
          for (std::size_t i = 1; i < texts.size(); ++i)
            words.back() += ",, " + std::string(texts[i]);
        });
        EXPECT_EQ(app(words).status, 0);
        const auto client = find_client(id);
        ASSERT_TRUE(client);
        EXPECT_EQ(differences_of(*client, changed), "");
        EXPECT_EQ(client->permission_version, clock_.now()) << "no former one had that";
        std::string stored = to_record(*client);
        stored.resize(stored.find(",\"secrets\""));
        // Reports have all URIs, and records only if there are several.
        const std::size_t all = std::min(stored.find(",\"redirect_uris\""), stored.size());
        if (all < stored.size()) stored.erase(all, stored.find(']', all) + 1 - all);
        EXPECT_TRUE(app({"show", id, "--json"}).out.starts_with(stored + ","));
      });
}

TEST_F(App, AnOperatorLetsItActForItselfAndSeeTokens) {
  const auto created = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"create",
                                   "--account",
                                   "41",
                                   "--name",
                                   "App",
                                   "--scopes",
                                   "media:read",
                                   "--redirect-uri",
                                   "https://c.example/cb",
                                   "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return app(words);
  };
  const Ran usual = created({"--client-id", "usual"});
  EXPECT_NE(usual.out.find(R"("client_credentials":[],"resource_server":false)"), std::string::npos)
      << usual.out;
  const Ran server = created({"--client-id", "server", "--client-credentials",
                              "stats:read,media:read", "--resource-server", "--resource",
                              "https://mcp.example/mcp", "--resource", "http://127.0.0.1:3000"});
  ASSERT_EQ(server.status, 0) << server.err;
  EXPECT_NE(server.out.find(R"("client_credentials":["media:read","stats:read"],)"
                            R"("resource_server":true,"resources":["https://mcp.example/mcp",)"
                            R"("http://127.0.0.1:3000"])"),
            std::string::npos)
      << server.out;
  const auto operated = [&] { return find_client("server")->operated(); };
  const oauth::OperatorSettings before = operated();
  EXPECT_EQ(app({"set", "server", "--client-credentials", "none", "--json"}).status, 0);
  EXPECT_TRUE(operated().client_credentials.empty());
  EXPECT_TRUE(operated().resource_server);
  EXPECT_EQ(
      app({"set", "server", "--client-credentials", "media:upload", "--resource-server", "no"})
          .status,
      0);
  EXPECT_EQ(operated().client_credentials.to_text(), "media:upload");
  EXPECT_FALSE(operated().resource_server);
  EXPECT_EQ(operated().resources, before.resources) << "for the next time";
  EXPECT_EQ(app({"set", "server", "--resource-server", "yes"}).status, 0);
  EXPECT_TRUE(operated().resource_server);
}

TEST_F(App, WhatAnOperatorMayNotSetIsRefused) {
  const auto create = [&](std::vector<std::string> more) {
    std::vector<std::string> words{
        "create",         "--account",           "41", "--name", "App", "--scopes", "media:read",
        "--redirect-uri", "https://c.example/cb"};
    words.insert(words.end(), more.begin(), more.end());
    return app(words);
  };
  ASSERT_EQ(
      create({"--client-id", "server", "--resource-server", "--resource", "https://mcp.example"})
          .status,
      0);
  ASSERT_EQ(create({"--client-id", "browser", "--type", "public"}).status, 0);
  ASSERT_EQ(create({"--client-id", "other"}).status, 0);
  struct Case {
    Ran ran;
    int status;
    std::string_view says;
  };
  for (const Case& c :
       {Case{create({"--type", "public", "--client-credentials", "media:read"}), 1,
             "only for a confidential application"},
        Case{create({"--type", "public", "--resource-server"}), 1,
             "only for a confidential application"},
        Case{create({"--client-credentials", "media:write"}), 1,
             "client_credentials must be a list"},
        Case{create({"--client-credentials", ","}), 1, "client_credentials must be a list"},
        Case{create({"--resource", "https://other.example"}), 1, "with resource_server"},
        Case{create({"--resource-server", "--resource", "http://other.example"}), 1,
             "resource must begin with https://"},
        Case{create({"--resource-server", "--resource", "https://a.example", "--resource",
                     "https://a.example/"}),
             1, "is given twice"},
        Case{create({"--resource-server", "--resource", "https://mcp.example/"}), 1,
             "another application has registered one of its resources"},
        Case{app({"set", "browser", "--client-credentials", "media:read"}), 1,
             "only for a confidential application"},
        Case{app({"set", "browser", "--resource-server", "yes"}), 1,
             "only for a confidential application"},
        Case{app({"set", "other", "--client-credentials", "write"}), 1, "or none"},
        Case{app({"set", "unknown", "--resource-server", "yes"}), 1, "no application unknown"},
        Case{app({"set", "other"}), 2, "--client-credentials or --resource-server"},
        Case{app({"set", "other", "--resource-server", "maybe"}), 2, "--resource-server"}}) {
    SCOPED_TRACE(c.says);
    EXPECT_EQ(c.ran.status, c.status) << c.ran.err;
    EXPECT_NE(c.ran.err.find(c.says), std::string::npos) << c.ran.err;
  }
  EXPECT_EQ(find_client("other")->operated(), oauth::OperatorSettings{});
}

TEST_F(App, APublicOneHasNoSecretAndNoLink) {
  const std::vector<std::string> words{"create",
                                       "--account",
                                       "41",
                                       "--type",
                                       "public",
                                       "--name",
                                       "App",
                                       "--scopes",
                                       "media:read",
                                       "--client-id",
                                       "client",
                                       "--redirect-uri",
                                       "http://localhost/cb",
                                       "--redirect-uri",
                                       "com.example.app:/cb",
                                       "--json"};
  const Ran created = app(words);
  ASSERT_EQ(created.status, 0) << created.err;
  for (const char* part :
       {R"("type":"public")", R"("token_endpoint_auth_method":"none")", R"("live_secrets":0)",
        R"("redirect_uri":"http://localhost/cb")",
        R"("redirect_uris":["http://localhost/cb","com.example.app:/cb"])",
        R"("require_pkce":true)", R"("exact_redirect":true)", R"("scope_format":"string")"})
    EXPECT_NE(created.out.find(part), std::string::npos) << part << created.out;
  for (const char* part : {"client_secret", "authorization_link"})
    EXPECT_EQ(created.out.find(std::string("\"") + part + "\""), std::string::npos) << created.out;
  EXPECT_TRUE(find_client("client")->secrets.empty());
  EXPECT_EQ(app({"show", "client", "--secret", "--json"}).status, 0);
  for (const std::vector<std::string>& rotate :
       {std::vector<std::string>{"rotate-secret", "client"},
        {"rotate-secret", "client", "--retire-old"}}) {
    const Ran refused = app(rotate);
    EXPECT_EQ(refused.status, 1);
    EXPECT_NE(refused.err.find("is public, so it has no secret"), std::string::npos) << refused.err;
  }
}

TEST_F(App, APublicOneIsRefusedWithWhatItCannotHave) {
  const auto create = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"create",   "--account",  "41",          "--name", "App",
                                   "--scopes", "media:read", "--client-id", "client"};
    words.insert(words.end(), more.begin(), more.end());
    return app(words);
  };
  struct Case {
    std::vector<std::string> flags;
    std::string_view says;
  };
  std::vector<std::string> eleven{"--type", "public"};
  for (int i = 0; i < 11; ++i)
    eleven.insert(eleven.end(), {"--redirect-uri", "https://a.example/" + std::to_string(i)});
  for (const Case& c : {
           Case{{"--redirect-uri", "http://localhost/cb"}, "must not be http:// on localhost"},
           Case{{"--redirect-uri", "com.example.app:/cb"}, "must be an absolute URI"},
           Case{{"--type", "public", "--redirect-uri", "myapp:/cb"}, "in reverse order"},
           Case{{"--type", "public", "--redirect-uri", "https://a.example", "--scope-format",
                 "array"},
                "scope_format of a public application is string"},
           Case{{"--redirect-uri", "https://a.example", "--redirect-uri", "https://a.example"},
                "redirect_uri number 2 must not be the same as another"},
           Case{eleven, "redirect_uri must not be more than 10; there are 11"},
       }) {
    const Ran ran = create(c.flags);
    EXPECT_EQ(ran.status, 1);
    EXPECT_NE(ran.err.find(c.says), std::string::npos) << ran.err;
  }
  EXPECT_FALSE(find_client("client"));
}

TEST_F(App, IsRefusedIfTheAccountHasTwoHundredApplications) {
  create_app("app-0");
  for (int i = 1; i < 200; ++i) {
    oauth::Client client = *find_client("app-0");
    client.id = {"app-" + std::to_string(i)};
    EXPECT_FALSE(store_.run(registry_.add(client, 200)));
  }
  const auto words = create_with("--client-id", "one-too-many");
  const Ran ran = app(words);
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("account 41 has as many applications as are allowed, 200: delete "
                         "one first"),
            std::string::npos)
      << ran.err;
  EXPECT_EQ(app({"delete", "app-7", "--yes"}).status, 0);
  EXPECT_EQ(app(words).status, 0);
}

TEST_F(App, OauthK2ThePrintedSecretIsVerified) {
  const std::string secret = create_app("client");
  ASSERT_EQ(secret.size(), 64u);
  const auto client = find_client("client");
  ASSERT_TRUE(client);
  EXPECT_TRUE(oauth::is_secret_of(ring(), *client, secret));
  EXPECT_FALSE(oauth::is_secret_of(ring(), *client, secret.substr(1) + "0"));
  EXPECT_EQ(client->created, "2026-05-28T20:26:40Z");
}

TEST_F(App, OauthK2BothSecretsAreValidUntilTheOlderIsRetired) {
  const std::string older = create_app("client");
  const Ran alone = app({"rotate-secret", "client", "--retire-old"});
  EXPECT_EQ(alone.status, 1);
  EXPECT_NE(alone.err.find("only one secret is valid"), std::string::npos) << alone.err;
  const Ran rotated = app({"rotate-secret", "client"});
  ASSERT_EQ(rotated.status, 0) << rotated.err;
  const std::string newer = rotated.out.substr(rotated.out.size() - 65, 64);
  const auto right = [&](const std::string& secret) {
    return oauth::is_secret_of(ring(), *find_client("client"), secret);
  };
  EXPECT_TRUE(right(older));
  EXPECT_TRUE(right(newer));
  const Ran third = app({"rotate-secret", "client"});
  EXPECT_EQ(third.status, 1);
  EXPECT_NE(third.err.find("client --retire-old, then rotate"), std::string::npos) << third.err;
  EXPECT_NE(
      app({"rotate-secret", "client", "--retire-old", "--json"}).out.find(R"("live_secrets":1)"),
      std::string::npos);
  EXPECT_FALSE(right(older));
  EXPECT_TRUE(right(newer));
  for (const std::string what : {"secret.rotated", "secret.retired"}) {
    const std::string trail = audited();
    EXPECT_NE(trail.find(what), std::string::npos);
    EXPECT_EQ(trail.find(what), trail.rfind(what));
  }
}

TEST_F(App, ADeletionEndsEveryGrantEvenIfNoListContainsIt) {
  create_app("client");
  create_app("other");
  const auto listed = authorize({"client"});
  const auto unlisted = authorize({"client"}, {411});
  const auto others = authorize({"other"});
  state_command({"DEL", stores::keys::client_grants({"client"})});

  const Ran asked = app({"delete", "client", "--json"});
  EXPECT_EQ(asked.status, 1);
  EXPECT_EQ(asked.out, R"({"client_id":"client","name":"App","grants":2,"access_tokens":2,)"
                       R"("refresh_tokens":2,"deleted":false})"
                       "\n");
  EXPECT_TRUE(alive(listed.access));

  EXPECT_EQ(app({"delete", "client", "--yes"}).status, 0);
  EXPECT_FALSE(find_client("client"));
  for (const oauth::Token& token : {listed.access, listed.refresh, unlisted.access})
    EXPECT_FALSE(alive(token));
  EXPECT_TRUE(alive(others.access));
  for (const auto& grant : {listed.access.grant, unlisted.access.grant})
    EXPECT_EQ(state_command({"EXISTS", stores::keys::grant(grant)}).integer(), 0);
  const std::string trail = audited();
  EXPECT_NE(trail.find(R"("what":"client.deleted")"), std::string::npos);
  EXPECT_NE(trail.find("2 grants end with it"), std::string::npos) << trail;
  EXPECT_EQ(server_.command({"EXISTS", "oauth:ending_clients"}).integer(), 0);
}

TEST_F(App, AnInterruptedDeletionIsCompletedByTheNextRun) {
  create_app("client");
  const auto tokens = authorize({"client"});
  store_.run(registry_.remove({"client"}, clock_.now()));
  EXPECT_FALSE(alive(tokens.access)) << "ended at once";
  EXPECT_EQ(app({"delete", "client", "--yes"}).status, 0);
  EXPECT_EQ(state_command({"EXISTS", stores::keys::grant(tokens.access.grant)}).integer(), 0);
  EXPECT_EQ(app({"delete", "client", "--yes"}).status, 1) << "nothing is left";
}

TEST_F(App, StartsWithoutTheGrantsOfADeletedApplicationOfThatId) {
  create_app("client");
  const auto tokens = authorize({"client"});
  store_.run(registry_.remove({"client"}, clock_.now()));
  create_app("client");
  EXPECT_TRUE(store_.run(registry_.ending()).empty());
  EXPECT_TRUE(find_client("client"));
  EXPECT_FALSE(alive(tokens.access));
}

TEST_F(App, DoesNotInheritTheConsentOfAFormerApplication) {
  create_app("client");
  const auto tokens = authorize({"client"});
  server_.command({"DEL", stores::keys::client({"client"})});
  create_app("client");
  EXPECT_FALSE(find_grant(tokens.access.grant));
  EXPECT_FALSE(alive(tokens.access));
}

TEST_F(App, ReportsThatTheKeyOfItsSecretIsMissing) {
  create_app("client");
  directory_.write("keys", "k2:" + std::string(64, '2') + "\n");
  const Ran ran = app({"show", "client", "--secret"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("the key k1"), std::string::npos);
  EXPECT_EQ(audited().find("secret.shown"), std::string::npos) << "nothing was";
}

TEST_F(App, ShowsTheReadableSecretIfTheOthersKeyIsMissing) {
  create_app("client");
  directory_.write("keys", "k2:" + std::string(64, '2') + "\n" + kKeys);
  EXPECT_EQ(app({"rotate-secret", "client"}).status, 0);
  directory_.write("keys", "k2:" + std::string(64, '2') + "\n");
  const Ran ran = app({"show", "client", "--secret", "--json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find(R"("client_secrets":[")"), std::string::npos);
  EXPECT_EQ(ran.out.find(R"("client_secrets":["",)"), std::string::npos);
  EXPECT_NE(ran.err.find("the key k1"), std::string::npos);
  EXPECT_NE(audited().find("secret.shown"), std::string::npos);
}

TEST_F(App, ReportsAnUnknownId) {
  for (const std::string verb : {"show", "rotate-secret", "delete"}) {
    const Ran ran = app({verb, "client"});
    EXPECT_EQ(ran.status, 1);
    EXPECT_EQ(ran.err, "svcctl app " + verb + ": there is no application client\n");
  }
  EXPECT_EQ(audited(), "");
}

TEST_F(App, ReportsARecordThatCannotBeRead) {
  create_app("client");
  set(stores::keys::client({"broken"}), "{");
  const Ran ran = app({"list"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("\nclient  "), std::string::npos) << "the others are listed: " << ran.out;
  EXPECT_NE(ran.err.find("the record oauth:client:broken cannot be read: "), std::string::npos);
}

TEST_F(App, AreListedWithAHeaderOrByPages) {
  EXPECT_EQ(app({"list"}).err, "no application\n");
  for (const char* id : {"b", "a", "c"}) create_app(id);
  const Ran all = app({"list"});
  EXPECT_TRUE(all.out.starts_with("CLIENT ID                         ACCOUNT  NAME  ")) << all.out;
  EXPECT_EQ(std::ranges::count(all.out, '\n'), 4);
  const Ran page = app({"list", "--limit", "2"});
  EXPECT_NE(page.out.find("\na  "), std::string::npos);
  EXPECT_NE(page.out.find("\nb  "), std::string::npos);
  EXPECT_EQ(page.err, "there are more: --after b\n");
  const Ran next = app({"list", "--limit", "2", "--after", "b", "--json"});
  EXPECT_TRUE(next.out.starts_with(R"({"client_id":"c",)")) << next.out;
  EXPECT_EQ(std::ranges::count(next.out, '\n'), 1);
  EXPECT_EQ(app({"list", "--account", "42", "--json"}).out, "");
}

TEST_F(App, OperationsD5ARecordThatCannotBeReadIsDeleted) {
  create_app("client");
  const auto tokens = authorize({"client"});
  set(stores::keys::client({"client"}), "{");
  const Ran ran = app({"delete", "client", "--yes"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(server_.command({"EXISTS", stores::keys::client({"client"})}).integer(), 0);
  EXPECT_FALSE(alive(tokens.access));
  EXPECT_NE(audited().find("unreadable record, 1 grants end with it"), std::string::npos);
}

}  // namespace
}  // namespace svc
