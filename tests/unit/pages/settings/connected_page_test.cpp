#include "pages/settings/connected_page.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "fakes/settings.h"

namespace svc::pages {
namespace {

using fakes::header;

constexpr std::string_view kMyConnected = "/settings/connected";
constexpr std::string_view kAcmesConnected = "/settings/accounts/1001/connected";

// Olivia connected the Scheduler to Acme and to Binary, Manuel connected it to Acme.
class ConnectedPageTest : public fakes::SettingsTest {
 protected:
  ConnectedPageTest() {
    oauth::Client client;
    client.id = {"app-1"};
    client.account = {1002};
    client.name = "Scheduler <b>";
    client.redirect_uri = "https://client.example/cb";
    applications_.put(client);
    olivias_ = connect(501, 1001, {"stats:read", "media:read"});
    olivias_to_binary_ = connect(501, 1002, {"all:all"});
    manuels_ = connect(502, 1001, {"media:read"});
  }

  // Returns the grant's id.
  std::string connect(std::int64_t contact, std::int64_t account,
                      std::initializer_list<std::string_view> scopes,
                      const std::string& client = "app-1") {
    oauth::Grant grant;
    grant.id = oauth::GrantId::of({contact}, {account}, {client});
    grant.contact = {contact};
    grant.account = {account};
    grant.client = {client};
    for (const std::string_view name : scopes) grant.scopes.add(name);
    grant.permission_version = 1;
    grant.created = clock_.now() - 3 * 86'400;
    grant.last_used = clock_.now() - 120;
    grants_.grants[grant.id.value()] = grant;
    return grant.id.value();
  }
  static std::string below(std::string_view list, const std::string& rest) {
    return std::string(list) + "/" + rest;
  }
  // The number of connections that the page lists.
  static int listed(const http::Response& page) {
    int count = 0;
    for (std::size_t at = 0; (at = page.body.find("Revoke access<span", at)) != std::string::npos;
         ++at)
      ++count;
    return count;
  }

  ConnectedPage page_{parts_};
  std::string olivias_, olivias_to_binary_, manuels_;
};

TEST_F(ConnectedPageTest, ListsOnlyTheUsersOwnConnections) {
  const http::Response page = get(page_, std::string(kMyConnected));
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(listed(page), 2);
  for (const std::string_view part :
       {"<bdi>Scheduler &lt;b&gt;</bdi>", "<strong><bdi>Acme &amp; &lt;Films&gt;</bdi></strong>",
        "· an application of <bdi>Binary</bdi>", "· <bdi>client.example</bdi>", "3 days ago",
        "2 minutes ago", "<li>Full access <span class=\"meta\">– Upload files, see a single",
        "aria-current=\"page\">Connected applications"}) {
    EXPECT_TRUE(has(page, part)) << part << " is not in " << page.body;
  }
  EXPECT_LT(page.body.find("Statistics"), page.body.find("See media"))
      << "the scope that allows the least is first";
  EXPECT_TRUE(has(page, below(kMyConnected, olivias_)));
  EXPECT_FALSE(has(page, manuels_));
}

TEST_F(ConnectedPageTest, ShowsATextIfNothingIsConnected) {
  grants_.grants.clear();
  EXPECT_TRUE(has(get(page_, std::string(kMyConnected)), "No application is connected."));
  EXPECT_TRUE(has(get(page_, std::string(kAcmesConnected)),
                  "No application is connected to this account."));
}

TEST_F(ConnectedPageTest, AsksBeforeItRevokesAndConfirmsIt) {
  const std::string path = below(kMyConnected, olivias_);
  const http::Response question = get(page_, path);
  EXPECT_EQ(question.status, 200);
  EXPECT_TRUE(has(question, "Revoke the access of <bdi>Scheduler &lt;b&gt;</bdi>?"));
  EXPECT_TRUE(has(question, "href=\"/settings/connected\">Keep it"));
  EXPECT_EQ(grants_.grants.size(), 3U);

  const http::Response list = follow(page_, send(page_, question, path));
  EXPECT_TRUE(has(list, "Access is revoked."));
  EXPECT_EQ(listed(list), 1);
  EXPECT_FALSE(grants_.grants.contains(olivias_));
  EXPECT_EQ(audit_.events, std::vector<std::string>{"revoked 501 in the settings"});
  EXPECT_FALSE(has(get(page_, std::string(kMyConnected) + "?done=revoked-0123456789abcdef"),
                   "Access is revoked."))
      << "only we say so";
}

TEST_F(ConnectedPageTest, RevokesOnceIfTheFormIsSentTwice) {
  const std::string path = below(kMyConnected, olivias_);
  const http::Response question = get(page_, path);
  send(page_, question, path);
  const http::Response list = follow(page_, send(page_, question, path));
  EXPECT_TRUE(has(list, "Access is revoked."));
  EXPECT_EQ(audit_.events.size(), 1U);
}

TEST_F(ConnectedPageTest, OauthL1RefusesTheFormOfAnotherGrant) {
  const http::Response question = get(page_, below(kMyConnected, olivias_));
  const std::string token = token_in(question.body, below(kMyConnected, olivias_));
  const auto response =
      ask(page_, "POST", below(kMyConnected, olivias_to_binary_), "csrf=" + token);
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(grants_.grants.size(), 3U);
}

TEST_F(ConnectedPageTest, Answers404ForGrantsThatAreNotInTheList) {
  for (const std::string& rest : {manuels_, std::string(32, '0'), std::string("short"),
                                  std::string(32, 'z'), std::string()}) {
    EXPECT_EQ(get(page_, below(kMyConnected, rest)).status, 404) << rest;
  }
  EXPECT_EQ(get(page_, below(kAcmesConnected, olivias_to_binary_)).status, 404);
}

TEST_F(ConnectedPageTest, ShowsOwnersAllConnectionsOfTheAccount) {
  const http::Response page = get(page_, std::string(kAcmesConnected));
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(listed(page), 2);
  for (const std::string_view part :
       {"Connected applications of <bdi>Acme &amp; &lt;Films&gt;</bdi>", "2 connections",
        "<strong><bdi>Manuel</bdi></strong> <span class=\"meta\"><bdi>502@people.example</bdi>"}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
  EXPECT_FALSE(has(page, olivias_to_binary_));
}

TEST_F(ConnectedPageTest, OwnersCanRevokeConnectionsOfOtherUsers) {
  const std::string path = below(kAcmesConnected, manuels_);
  const http::Response list = follow(page_, send(page_, get(page_, path), path));
  EXPECT_EQ(listed(list), 1);
  EXPECT_EQ(audit_.events,
            std::vector<std::string>{"revoked 501 of contact 502, by an owner of the account"});
}

TEST_F(ConnectedPageTest, OauthB3OnlyOwnersSeeTheConnectionsOfAnAccount) {
  struct Case {
    std::string_view path;
    int status;
  };
  for (const Case& c : {
           Case{"/settings/accounts/1001/connected", 200},
           Case{"/settings/accounts/1002/connected", 403},  // a manager
           Case{"/settings/accounts/1004/connected", 403},  // a user
           Case{"/settings/accounts/1005/connected", 404},  // not a member; no such account
           Case{"/settings/accounts/01001/connected", 404},
           Case{"/settings/accounts/+1001/connected", 404},
           Case{"/settings/accounts/x/connected", 404},
           Case{"/settings/accounts//connected", 404},
           Case{"/settings/accounts/99999999999999999999/connected", 404},
           Case{"/settings/accounts/1001/connected/", 404},
       }) {
    EXPECT_EQ(get(page_, std::string(c.path)).status, c.status) << c.path;
  }
  EXPECT_TRUE(has(get(page_, "/settings/accounts/1002/connected"), "ask one of them"));
}

TEST_F(ConnectedPageTest, OauthB3ShowsWhyAConnectionIsNotInEffect) {
  connect(501, 1003, {"media:read"});
  connect(501, 1004, {"media:read"});
  const http::Response mine = get(page_, std::string(kMyConnected));
  EXPECT_TRUE(has(mine, "OAuth is not enabled for the account at the moment."));
  EXPECT_TRUE(has(mine, "you are not an owner or manager of the account at the moment."));
  people_.contacts[1].memberships[0].role = media::Role::User;
  EXPECT_TRUE(has(get(page_, std::string(kAcmesConnected)),
                  "this user is not an owner or manager of the account at the moment."));
}

TEST_F(ConnectedPageTest, LabelsDeletedApplicationsUsersAndAccounts) {
  applications_.clients.clear();
  connect(506, 1001, {"media:read"});
  const http::Response page = get(page_, std::string(kAcmesConnected));
  EXPECT_TRUE(has(page, "<bdi>A deleted application</bdi>"));
  EXPECT_TRUE(has(page, "<bdi>A deleted user</bdi>"));
  connect(501, 1009, {"media:read"});
  EXPECT_TRUE(has(get(page_, std::string(kMyConnected)), "<bdi>a deleted account</bdi>"));
}

TEST_F(ConnectedPageTest, ShowsLongListsPageByPage) {
  for (int i = 0; i < 99; ++i) connect(501, 1001, {"media:read"}, "more-" + std::to_string(i));
  struct Case {
    std::string_view query;
    int listed;
    std::string_view position, previous, next;
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
    const http::Response page = get(page_, std::string(kMyConnected) + std::string(c.query));
    EXPECT_EQ(listed(page), c.listed);
    EXPECT_TRUE(has(page, c.position));
    EXPECT_TRUE(has(page, c.previous));
    EXPECT_EQ(has(page, "rel=\"prev\""), !c.previous.empty());
    EXPECT_EQ(has(page, std::string(c.next) + "\" rel=\"next\""), !c.next.empty());
  }
}

TEST_F(ConnectedPageTest, RefusesFormsForTheList) {
  http::Request request;
  request.cookie = cookie_;
  const login::Visitor visitor = fakes::now(visitors_.of(request));
  const std::string token =
      login::form_token(keys_, visitor, "settings " + std::string(kMyConnected));
  EXPECT_EQ(ask(page_, "POST", std::string(kMyConnected), "csrf=" + token).status, 405);
}

}  // namespace
}  // namespace svc::pages
