// oauth.md, Settings: the connected applications of a user and of an account.
#include <gtest/gtest.h>

#include <string>

#include "rules/settings/settings.h"

namespace svc::rules {
namespace {

const std::string kConnectedToAcme = "/settings/accounts/1001/connected";

// Olivia has connected the Scheduler to Acme Films; Manuel the Uploader to Binary & Sons, and then
// the Scheduler to Acme Films.
class ConnectedPage : public WithSettings {
 protected:
  ConnectedPage() {
    hers_ = connect(browser_, kScheduler);
    manuel_.log_in(kManuelsId);
    connect(manuel_, kUploader, 1002);
    his_ = connect(manuel_, kScheduler);
    stores().command({"DEL", "audit:grant"});
  }
  static std::size_t listed(const Answer& page) { return count(page, ">Revoke access<span"); }
  // The page that asks whether to revoke the first connection of that list.
  static std::string first_of(const Answer& list) {
    const std::size_t end = list.body.find("\">Revoke access<span");
    const std::size_t begin = list.body.rfind("href=\"", end) + 6;
    return list.body.substr(begin, end - begin);
  }
  std::string hers() { return first_of(browser_.ask(kConnected)); }

  Browser manuel_{site_};
  Answer hers_, his_;  // tokens
};

TEST_F(ConnectedPage, ListsTheUsersOwnConnections) {
  site_.pass(3 * 86'400 - 120);
  EXPECT_EQ(ask(Ask("POST /oauth/token")
                    .with_form({{"grant_type", "refresh_token"},
                                {"client_id", kScheduler},
                                {"client_secret", "demo-secret-0001-not-for-production"},
                                {"refresh_token", member_of(hers_, "refresh_token")}}))
                .status,
            200);
  site_.pass(120);
  manuel_.log_in(kManuelsId);
  browser_.log_in(kOliviasId);
  const Answer page = browser_.ask(kConnected);
  EXPECT_EQ(listed(page), 1u);
  for (const char* part :
       {"<bdi>Clip Scheduler</bdi>", "<strong><bdi>Acme Films</bdi></strong>",
        "· an application of <bdi>Acme Films</bdi>", "· <bdi>127.0.0.1:9090</bdi>", "3 days ago",
        "2 minutes ago", "<li>See media <span class=\"meta\">– See a single media by its id",
        "aria-current=\"page\">Connected applications"})
    EXPECT_TRUE(page.has(part)) << part << " is not in " << page.body;
  EXPECT_LT(page.body.find("Statistics"), page.body.find("See media")) << "the least first";
  const Answer his = manuel_.ask(kConnected);
  EXPECT_EQ(listed(his), 2u);
  EXPECT_TRUE(his.has("<bdi>Uploader &lt;Pro&gt; &amp; Co</bdi>"));
}

TEST_F(ConnectedPage, PagesW4AsksBeforeItRevokesAndEndsAllTokensImmediately) {
  const std::string path = hers();
  const Answer question = browser_.ask(path);
  EXPECT_TRUE(question.has("Revoke the access of <bdi>Clip Scheduler</bdi>?"));
  EXPECT_TRUE(question.has("all its tokens end immediately"));
  EXPECT_TRUE(question.has("href=\"/settings/connected\">Keep it"));
  EXPECT_EQ(use(hers_), 200);
  const Answer list = after(browser_, question, path);
  EXPECT_TRUE(list.has("Access is revoked."));
  EXPECT_TRUE(list.has("No application is connected."));
  EXPECT_EQ(use(hers_), 401);
  EXPECT_EQ(use(his_), 200) << "another user's";
  EXPECT_EQ(stores().events(), Events{"revoked 501 in the settings"});
  EXPECT_TRUE(after(browser_, question, path).has("Access is revoked.")) << "sent twice";
  EXPECT_EQ(stores().events().size(), 1u);
  EXPECT_FALSE(
      browser_.ask("/settings/connected?done=revoked-0123456789abcdef").has("Access is revoked."))
      << "only we say so";
}

TEST_F(ConnectedPage, OauthK7SimultaneousRevocationsAreOneEvent) {
  const std::string path = hers();
  for (const Answer& answer : site_.ask_at_once(browser_.form(browser_.ask(path), path), 8))
    EXPECT_EQ(answer.status, 303);
  EXPECT_EQ(stores().events().size(), 1u);
}

TEST_F(ConnectedPage, OauthL1TheFormOfAnotherConnectionIsRefused) {
  const Answer page = manuel_.ask(kConnected);
  const std::string his = first_of(page);
  const std::size_t second = page.body.rfind("href=\"/settings/connected/") + 6;
  const std::string last = page.body.substr(second, page.body.find('"', second) - second);
  ASSERT_NE(his, last);
  const std::string token = form_in(manuel_.ask(his).body, his).front().second;
  EXPECT_EQ(manuel_.post(last, {{"csrf", token}}).status, 403);
  EXPECT_EQ(manuel_.post(kConnected, {{"csrf", token}}).status, 403);
  EXPECT_EQ(listed(manuel_.ask(kConnected)), 2u);
}

TEST_F(ConnectedPage, OtherConnectionsAreNotFound) {
  const std::string his = first_of(manuel_.ask(kConnected));
  const std::string of_acme = first_of(browser_.ask(kConnectedToAcme));
  const std::string id = his.substr(his.rfind('/'));
  for (const std::string& path :
       {his, kConnected + std::string("/") + std::string(32, '0'),
        kConnected + std::string("/short"), kConnected + std::string("/") + std::string(32, 'z'),
        kConnected + std::string("/"), kConnectedToAcme + "/" + std::string(32, '0'),
        kConnectedToAcme + "/"})
    EXPECT_EQ(browser_.ask(path).status, 404) << path;
  EXPECT_EQ(browser_.ask(of_acme).status, 200);
}

TEST_F(ConnectedPage, OauthB3AnOwnerSeesAndEndsAllConnectionsOfTheAccount) {
  const Answer page = browser_.ask(kConnectedToAcme);
  EXPECT_EQ(listed(page), 2u);
  for (const char* part :
       {"Connected applications of <bdi>Acme Films</bdi>", "2 connections",
        "<strong><bdi>Manuel Manager</bdi></strong> <span class=\"meta\"><bdi>manuel@acme.example"})
    EXPECT_TRUE(page.has(part)) << part << page.body;
  EXPECT_FALSE(page.has("Uploader"));
  const std::size_t at =
      page.body.find("href=\"/settings/accounts/", page.body.find("Manuel Manager")) + 6;
  const std::string path = page.body.substr(at, page.body.find('"', at) - at);
  EXPECT_TRUE(browser_.ask(path).has("on behalf of <strong><bdi>Manuel Manager</bdi></strong>"));
  EXPECT_EQ(listed(after(browser_, browser_.ask(path), path)), 1u);
  EXPECT_EQ(stores().events(), Events{"revoked 501 of contact 502, by an owner of the account"});
  EXPECT_EQ(use(his_), 401);
  EXPECT_EQ(use(hers_), 200);
}

TEST_F(ConnectedPage, OauthB3OnlyOwnersSeeTheConnectionsOfAnAccount) {
  import_paula();
  Browser paula(site_);
  paula.log_in(kPaulasId);
  struct Case {
    std::string account;
    int status;
  };
  for (const Case& c : {
           Case{"1001", 200},
           Case{"1002", 403},  // a manager
           Case{"1004", 403},  // a user
           Case{"1005", 404},  // not a member; no such account
           Case{"01001", 404},
           Case{"+1001", 404},
           Case{"x", 404},
           Case{"99999999999999999999", 404},
       })
    EXPECT_EQ(paula.ask("/settings/accounts/" + c.account + "/connected").status, c.status)
        << c.account;
  EXPECT_TRUE(paula.ask("/settings/accounts/1002/connected").has("ask one of them"));
  EXPECT_TRUE(paula.ask("/settings/accounts/1003/connected")
                  .has("No application is connected to this account."));
}

TEST_F(ConnectedPage, OauthB3StatesWhyAConnectionIsNotInEffect) {
  stores().edit("catalog:contact:502", R"({"account_id":1001,"role":"manager"})",
                R"({"account_id":1001,"role":"user"})");
  EXPECT_TRUE(
      manuel_.ask(kConnected).has("you are not an owner or manager of the account at the moment."));
  EXPECT_TRUE(browser_.ask(kConnectedToAcme)
                  .has("this user is not an owner or manager of the account at the moment."));
  stores().edit("catalog:account:1001", R"("oauth_enabled":true)", R"("oauth_enabled":false)");
  EXPECT_TRUE(browser_.ask(kConnected).has("OAuth is not enabled for the account at the moment."));
}

TEST_F(ConnectedPage, NamesDeletedApplicationsUsersAndAccounts) {
  for (const char* key :
       {"oauth:client:demo-client-0001", "catalog:contact:502", "catalog:account:1002"})
    stores().command({"DEL", key});
  const Answer page = browser_.ask(kConnectedToAcme);
  EXPECT_TRUE(page.has("<bdi>A deleted application</bdi>")) << page.body;
  EXPECT_TRUE(page.has("<bdi>A deleted user</bdi>"));
  stores().command({"DEL", "catalog:account:1001"});
  EXPECT_TRUE(browser_.ask(kConnected).has("<bdi>a deleted account</bdi>"));
}

TEST_F(ConnectedPage, LongListsHavePages) {
  stores().command({"EVAL", R"(
    for i = 1, 100 do
      local grant = string.format('%032x', i)
      redis.call('HSET', 'oauth:grant:{' .. grant .. '}', 'contact', 501, 'account', 1001,
                 'client', 'demo-client-0001', 'scopes', 'media:read', 'permission_version', 1,
                 'consent', 'c', 'generation', 'g', 'created', i, 'last_used', i)
      redis.call('ZADD', 'oauth:contact_grants:501', i, grant)
    end)",
                    "0"});
  struct Case {
    std::string query;
    std::size_t listed;
    std::string position, previous, next;
  };
  for (const Case& c : {
           Case{"", 50, "Page 1 of 3", "", "?page=2"},
           Case{"?page=2", 50, "Page 2 of 3", "/settings/connected\" rel=\"prev", "?page=3"},
           Case{"?page=3", 1, "Page 3 of 3", "?page=2\" rel=\"prev", ""},
           Case{"?page=7", 0, "Page 7 of 3", "?page=3\" rel=\"prev", ""},
           Case{"?page=0", 50, "Page 1 of 3", "", "?page=2"},
           Case{"?page=-1", 50, "Page 1 of 3", "", "?page=2"},
           Case{"?page=2x", 50, "Page 1 of 3", "", "?page=2"},
           Case{"?page=1000001", 50, "Page 1 of 3", "", "?page=2"},
       }) {
    SCOPED_TRACE(c.query);
    const Answer page = browser_.ask(kConnected + c.query);
    EXPECT_EQ(listed(page), c.listed);
    EXPECT_TRUE(page.has(c.position));
    EXPECT_TRUE(page.has(c.previous));
    EXPECT_EQ(page.has("rel=\"prev\""), !c.previous.empty());
    EXPECT_EQ(page.has(c.next + "\" rel=\"next\""), !c.next.empty());
  }
}

}  // namespace
}  // namespace svc::rules
