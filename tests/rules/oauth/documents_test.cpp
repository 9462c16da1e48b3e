// oauth.md, Client ID metadata documents. The test has the part of svc-courier.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "base/entropy.h"
#include "rules/oauth/application.h"
#include "stores/access/client_documents.h"
#include "stores/keys.h"

namespace svc::rules::documents {
namespace {

// RFC 7636, appendix B.
constexpr const char* kProof = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
constexpr const char* kChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
constexpr const char* kUrl = "https://app.test/client.json";
constexpr const char* kUri = "https://app.test/cb";
constexpr const char* kAllGrants = R"("grant_types": ["authorization_code", "refresh_token"])";

// Answers as svc-courier: in a thread, as its user of the shipped Redis.
class Courier {
 public:
  struct Page {
    std::string text;
    std::int64_t fresh = 0;
    bool is_refused = false;
  };

  explicit Courier(Site& site) : site_(site), thread_([this] { run(); }) {}
  ~Courier() {
    site_.stores().command({"RPUSH", stores::keys::kCourierQueue, job("stop")});
    thread_.join();
  }
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  void publish(const std::string& url, Page page) {
    const std::lock_guard guard(mutex_);
    pages_[url] = std::move(page);
  }
  std::size_t fetches() {
    const std::lock_guard guard(mutex_);
    return fetched_;
  }

 private:
  // The site's clock moves only while no request waits.
  struct SitesClock : base::WallClock {
    explicit SitesClock(Site& its_site) : site(its_site) {}
    std::int64_t now() const override { return site.now(); }
    Site& site;
  };

  std::string job(const std::string& url) { return std::to_string(site_.now()) + " " + url; }

  void run() {
    redis::ConnectionSettings settings = site_.stores().state().settings();
    settings.username = "courier";
    std::ifstream(site_.stores().secret("redis-courier.password")) >> settings.password;
    settings.timeout = std::chrono::seconds(60);
    integration::Store store(settings);
    integration::Store jobs_store(settings);
    const SitesClock clock(site_);
    base::SystemEntropy entropy;
    stores::DocumentJobs taking(store.redis(), jobs_store.redis(), entropy, clock);
    stores::DocumentJobs putting(store.redis(), store.redis(), entropy, clock);
    while (true) {
      const auto url = jobs_store.run(taking.next());
      if (url == "stop") return;
      if (!url) continue;
      const Page page = page_of(*url);
      if (page.is_refused) {
        store.run(putting.put_refusal(*url, page.text));
      } else {
        store.run(putting.put_document(*url, page.text, page.fresh));
      }
    }
  }

  Page page_of(const std::string& url) {
    const std::lock_guard guard(mutex_);
    ++fetched_;
    const auto found = pages_.find(url);
    return found == pages_.end() ? Page{"the server answered with status 404", 0, true}
                                 : found->second;
  }

  Site& site_;
  std::mutex mutex_;
  std::map<std::string, Page> pages_;
  std::size_t fetched_ = 0;
  std::thread thread_;
};

std::string document(const std::string& more = kAllGrants, const std::string& url = kUrl,
                     const std::string& uris = R"("https://app.test/cb")") {
  return R"({"client_id": ")" + url + R"(", "client_name": "Player", "redirect_uris": [)" + uris +
         "]" + (more.empty() ? "" : ", " + more) + "}";
}

class ClientDocuments : public WithApplication {
 protected:
  explicit ClientDocuments(
      std::vector<std::string> settings = {"--client-id-hosts=app.test other.test",
                                           "--client-id-scopes=media:read stats:read"})
      : WithApplication(std::move(settings)) {
    courier_.publish(kUrl, {document(), 600});
  }

  static Ask::Fields asks(const std::string& url = kUrl, const std::string& uri = kUri) {
    return {{"client_id", url},
            {"redirect_uri", uri},
            {"state", "s"},
            {"code_challenge", kChallenge},
            {"code_challenge_method", "S256"}};
  }
  Answer asked(const std::string& url = kUrl, const std::string& uri = kUri) {
    return browser_.ask(authorize(asks(url, uri)));
  }
  // The same request, for ask_at_once().
  Ask with_session(const std::string& url) {
    std::string cookies;
    for (const auto& [name, value] : browser_.cookies)
      cookies += (cookies.empty() ? "" : "; ") + name + "=" + value;
    return Ask(authorize(asks(url))).with("Cookie", cookies);
  }
  Answer allow(const Answer& page) {
    return browser_.submit(page, "/oauth/authorize", {{"answer", "allow"}});
  }
  Answer send(const std::string& path, Ask::Fields fields) {
    fields.emplace_back("client_id", kUrl);
    return ask(Ask("POST " + path).with_form(fields));
  }
  Answer exchanged(const std::string& code, const std::string& uri = kUri) {
    return send(kTokenPath, {{"grant_type", "authorization_code"},
                             {"code", code},
                             {"redirect_uri", uri},
                             {"code_verifier", kProof}});
  }
  Answer refreshed(const std::string& token) {
    return send(kTokenPath, {{"grant_type", "refresh_token"}, {"refresh_token", token}});
  }

  Courier courier_{site_};
};

// --- off, and which URLs ---

class WithoutDocuments : public WithApplication {};

TEST_F(WithoutDocuments, OauthM1AreRefusedAsShippedAndNotInTheMetadata) {
  const Answer page = browser_.ask(authorize({{"client_id", kUrl}, {"redirect_uri", kUri}}));
  EXPECT_EQ(page.status, 400);
  EXPECT_TRUE(page.has("this server takes no client ID metadata documents")) << page.body;
  EXPECT_EQ(stores().command({"LLEN", stores::keys::kCourierQueue}).integer(), 0);
  const Answer tokens =
      ask(Ask("POST /oauth/token")
              .with_form(
                  {{"grant_type", "refresh_token"}, {"refresh_token", "x"}, {"client_id", kUrl}}));
  EXPECT_EQ(outcome(tokens), "401 invalid_client");
  const Answer metadata = ask("/.well-known/oauth-authorization-server");
  EXPECT_FALSE(metadata.has("client_id_metadata_document_supported")) << metadata.body;
}

TEST_F(ClientDocuments, OauthM1AreInTheMetadataWhileHostsAreNamed) {
  const Answer metadata = ask("/.well-known/oauth-authorization-server");
  EXPECT_TRUE(metadata.has(R"("client_id_metadata_document_supported":true)")) << metadata.body;
  EXPECT_TRUE(metadata.has(R"("none")")) << metadata.body;
}

TEST_F(ClientDocuments, OauthM1AreOfAllowedHostsAndOtherUrlsAreRefusedBeforeALogin) {
  browser_.cookies.clear();
  for (const char* url :
       {"https://evil.test/client.json", "https://app.test.evil/x", "https://app.test",
        "https://app.test:8443/x", "https://user@app.test/x", "https://app.test/x#y",
        "https://app.test/a/../x", "https://APP.test/x", "http://app.test/x"}) {
    const Answer page = asked(url);
    EXPECT_EQ(page.status, 400) << url;
    EXPECT_EQ(page.header("Location"), "none") << url;
  }
  for (const char* uri : {"", "http://app.test/cb", "https://app.test/cb#x", "javascript:x"})
    EXPECT_EQ(asked(kUrl, uri).status, 400) << uri;
  EXPECT_EQ(courier_.fetches(), 0U);
}

// --- fetching ---

TEST_F(ClientDocuments, OauthM2AreFetchedOnlyForUsersWhoAreLoggedIn) {
  browser_.cookies.clear();
  const Answer login = asked();
  EXPECT_EQ(login.status, 200);
  EXPECT_TRUE(login.has("name=\"password\"")) << login.body;
  EXPECT_NE(login.header("Content-Security-Policy").find("https://app.test"), std::string::npos);
  EXPECT_EQ(courier_.fetches(), 0U);
  browser_.log_in(kOlivia);
  EXPECT_EQ(asked().status, 200);
  EXPECT_EQ(courier_.fetches(), 1U);
}

TEST_F(ClientDocuments, OauthM2AreNotFetchedByTheTokenRevocationAndIntrospectionEndpoints) {
  const Tokens tokens = tokens_of(exchanged(new_code(asks())));
  const std::size_t before = courier_.fetches();
  site_.pass(700);  // the document is stale
  const Tokens next = tokens_of(refreshed(tokens.refresh));
  EXPECT_TRUE(lives(next.access));
  EXPECT_EQ(outcome(send(kIntrospectPath, {{"token", next.access}})), "401 invalid_client");
  EXPECT_EQ(send(kRevokePath, {{"token", next.access}}).status, 200);
  EXPECT_FALSE(lives(next.access));
  EXPECT_EQ(courier_.fetches(), before);
}

TEST_F(ClientDocuments, OauthM2AreRefusedOnAPageWithTheReasonThatTheCourierFound) {
  courier_.publish(kUrl, {"the server answered with a redirect, which is not followed", 0, true});
  const Answer page = asked();
  EXPECT_EQ(page.status, 400);
  EXPECT_TRUE(page.has("app.test")) << page.body;
  EXPECT_TRUE(page.has("the server answered with a redirect, which is not followed"));
  EXPECT_EQ(page.header("Location"), "none");
}

// --- caching ---

TEST_F(ClientDocuments, OauthM3ServeLaterRequestsWhileTheyAreFresh) {
  asked();
  asked();
  EXPECT_EQ(courier_.fetches(), 1U);
  site_.pass(599);
  asked();
  EXPECT_EQ(courier_.fetches(), 1U);
  site_.pass(2);
  EXPECT_EQ(asked().status, 200);
  EXPECT_EQ(courier_.fetches(), 2U);
}

TEST_F(ClientDocuments, OauthM3WithoutALifetimeOrRefusedServeOneRequest) {
  courier_.publish(kUrl, {document(), 0});
  EXPECT_EQ(asked().status, 200);
  EXPECT_EQ(asked().status, 200);
  EXPECT_EQ(courier_.fetches(), 2U);
  courier_.publish(kUrl, {"the server answered with status 500", 0, true});
  EXPECT_EQ(asked().status, 400);
  courier_.publish(kUrl, {document(), 600});
  EXPECT_EQ(asked().status, 200);
  EXPECT_EQ(courier_.fetches(), 4U);
}

TEST_F(ClientDocuments, OauthM3AreFetchedOnceForAllWhoWait) {
  courier_.publish(kUrl, {document(), 0});
  for (const Answer& page : site_.ask_at_once(with_session(kUrl), 20)) EXPECT_EQ(page.status, 200);
  EXPECT_EQ(courier_.fetches(), 1U);
}

class FetchLimits : public ClientDocuments {
 protected:
  FetchLimits() {
    std::string users;
    for (const char* id : {"601", "602", "603", "604", "605", "606", "607"}) {
      users += std::string(R"({"kind": "user", "id": )") + id + R"(, "name": "N", "email": "n)" +
               id +
               R"(@acme.example", "password": "a-long-password", "memberships": )"
               R"([{"account_id": 1001, "role": "manager"}]})"
               "\n";
    }
    stores().import(users);
  }

  // Asks for as many documents that do not exist as one user may, each from another address.
  void ask_for_what_does_not_exist(std::int64_t contact) {
    browser_.log_in(contact);
    for (int i = 0; i < 10; ++i) {
      site_.address = "198.51.100." + std::to_string(++address_);
      EXPECT_EQ(unknown().status, 400) << "of user " << contact;
    }
    EXPECT_EQ(unknown().status, 429) << "of user " << contact;
  }
  Answer unknown(const std::string& host = "app.test") {
    return asked("https://" + host + "/" + std::to_string(++number_));
  }

  int address_ = 0;
  int number_ = 0;
};

TEST_F(FetchLimits, OauthM3AUserWithManyAddressesIsRefusedAlone) {
  ask_for_what_does_not_exist(kOlivia);
  EXPECT_EQ(unknown("other.test").status, 429) << "also of another host";
  browser_.log_in(601);
  EXPECT_EQ(asked().status, 200) << "a new document of the same host, for another user";
  EXPECT_EQ(courier_.fetches(), 11U);
}

TEST_F(FetchLimits, OauthM3ThreeUsersOfAnAddressAndSixOfAHostThenA429Page) {
  const auto user = [&](std::int64_t contact, const std::string& address) {
    browser_.log_in(contact);
    site_.address = address;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(unknown().status, 400);
  };
  for (const std::int64_t contact : {601, 602, 603}) user(contact, "192.0.2.10");
  browser_.log_in(604);
  EXPECT_EQ(unknown("other.test").status, 429) << "of that address";
  for (const std::int64_t contact : {604, 605, 606}) user(contact, "192.0.2.11");
  browser_.log_in(607);
  site_.address = "192.0.2.12";
  const Answer page = unknown();
  EXPECT_EQ(page.status, 429) << "of that host";
  EXPECT_NE(page.header("Retry-After"), "none");
  EXPECT_EQ(page.header("Location"), "none");
  EXPECT_EQ(unknown("other.test").status, 400) << "another host";
  EXPECT_EQ(courier_.fetches(), 61U);
}

// Its document is fetched again for each request.
TEST_F(FetchLimits, OauthM3AKnownDocumentIsFetchedWhateverStrangersAskFor) {
  courier_.publish(kUrl, {document(), 0});
  EXPECT_EQ(asked().status, 200);
  for (const std::int64_t contact : {601, 602, 603, 604, 605}) ask_for_what_does_not_exist(contact);
  browser_.log_in(606);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(unknown().status, 400);
  browser_.log_in(607);
  EXPECT_EQ(unknown().status, 429) << "of that host";
  const std::size_t before = courier_.fetches();
  EXPECT_EQ(asked().status, 200);
  EXPECT_EQ(courier_.fetches(), before + 1);
  browser_.log_in(601);
  EXPECT_EQ(asked().status, 200) << "also for a user who asked for too many others";
}

TEST_F(FetchLimits, OauthM3OfAKnownDocumentThatIsFetchedOftenTheLastCopyServes) {
  courier_.publish(kUrl, {document(), 0});
  for (int i = 0; i < 40; ++i) EXPECT_EQ(asked().status, 200) << i;
  EXPECT_LT(courier_.fetches(), 40U);
}

TEST_F(ClientDocuments, OauthM3TenThousandClientsOfOneHostLeaveABoundedStore) {
  const std::size_t before = keys("*").size();
  site_.address = "192.0.2.7";
  std::size_t refused = 0;
  for (int batch = 0; batch < 10; ++batch) {
    std::vector<Ask> asks;
    for (int i = 0; i < 1000; ++i)
      asks.push_back(with_session("https://app.test/" + std::to_string(1000 * batch + i)));
    for (const Answer& page : site_.ask_at_once(asks)) refused += page.status == 429 ? 1 : 0;
  }
  EXPECT_GE(refused, 9'000U);
  // For each minute that passes in the loop: ten documents and their marks, and two counts.
  EXPECT_LT(keys("*").size(), before + 200);
}

// --- the document ---

TEST_F(ClientDocuments, OauthM5OnlyTheRedirectThatIsAskedForMustBeOneThatThisServerTakes) {
  std::string uris = R"("cursor://anysphere.cursor-mcp/oauth/callback")";
  for (int i = 0; i < 20; ++i) uris += R"(, "https://app.test/)" + std::to_string(i) + "\"";
  courier_.publish(kUrl, {document(kAllGrants, kUrl, uris + R"(, "http://localhost/cb")"), 600});
  EXPECT_EQ(asked(kUrl, "https://app.test/19").status, 200);
  EXPECT_EQ(asked(kUrl, "http://localhost:4711/cb").status, 200);
  for (const char* uri : {"cursor://anysphere.cursor-mcp/oauth/callback", "https://app.test/20"}) {
    const Answer page = asked(kUrl, uri);
    EXPECT_EQ(page.status, 400) << uri;
    EXPECT_EQ(page.header("Location"), "none") << uri;
  }
}

// --- consent ---

TEST_F(ClientDocuments, OauthM5ConsentNamesBothHostsAndHasNameAndLogoAsText) {
  courier_.publish(
      kUrl, {document(std::string(kAllGrants) + R"(, "logo_uri": "https://app.test/logo.png")",
                      kUrl, R"("https://elsewhere.test/cb")"),
             600});
  const Answer page = asked(kUrl, "https://elsewhere.test/cb");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.has("<strong><bdi>app.test</bdi></strong>")) << page.body;
  EXPECT_TRUE(page.has("<strong><bdi>elsewhere.test</bdi></strong>"));
  EXPECT_TRUE(page.has("<bdi>Player</bdi> wants access"));
  EXPECT_TRUE(page.has("https://app.test/logo.png"));
  EXPECT_FALSE(page.has("<img src=\"https://app.test"));
}

TEST_F(ClientDocuments, OauthM5CodesAndTokensAreThoseOfAPublicApplication) {
  const Answer sent = allow(asked());
  EXPECT_EQ(sent.status, 303);
  const std::string location = sent.header("Location");
  EXPECT_EQ(location.rfind(kUri, 0), 0U) << location;
  EXPECT_EQ(parameter_of(location, "state"), "s");
  EXPECT_EQ(parameter_of(location, "contact_email"), "");
  const std::string code = parameter_of(location, "code");
  EXPECT_EQ(outcome(send(kTokenPath, {{"grant_type", "authorization_code"},
                                      {"code", code},
                                      {"redirect_uri", kUri},
                                      {"client_secret", "x"},
                                      {"code_verifier", kProof}})),
            "401 invalid_client");
  const Answer answer = exchanged(code);
  EXPECT_EQ(member_of(answer, "scope"), "media:read stats:read");
  const Tokens first = tokens_of(answer);
  const Tokens second = tokens_of(refreshed(first.refresh));
  EXPECT_NE(first.refresh, second.refresh);
  tokens_of(refreshed(second.refresh));
  EXPECT_EQ(outcome(refreshed(first.refresh)), "400 invalid_grant");
  EXPECT_EQ(events("refresh_token.reused"), 1U);
  EXPECT_FALSE(lives(second.access));
}

TEST_F(ClientDocuments, OauthM5TokensWorkForMoreThanAMinute) {
  const Tokens tokens = tokens_of(exchanged(new_code(asks())));
  EXPECT_TRUE(lives(tokens.access));
  site_.pass(120);  // the store is asked again whether the application exists
  EXPECT_TRUE(lives(tokens.access));
}

// A grant, its tokens and the consent stay: a host that is named again has them back.
TEST_F(ClientDocuments, OauthM5TokensOfAHostThatIsTakenOffTheListAreRefusedAtEachUse) {
  const Tokens tokens = tokens_of(exchanged(new_code(asks())));
  const std::string code = new_code(asks());
  site_.restart({"--client-id-hosts=other.test", "--client-id-scopes=media:read stats:read"});
  EXPECT_FALSE(lives(tokens.access));
  EXPECT_EQ(outcome(refreshed(tokens.refresh)), "401 invalid_client");
  EXPECT_EQ(outcome(exchanged(code)), "401 invalid_client");
  EXPECT_EQ(asked().status, 400);
  EXPECT_EQ(events("refresh_token.reused"), 0U);
  site_.restart({"--client-id-hosts=*", "--client-id-scopes=media:read stats:read"});
  EXPECT_TRUE(lives(tokens.access));
  const Tokens next = tokens_of(refreshed(tokens.refresh));
  site_.restart({});
  EXPECT_FALSE(lives(next.access));
  EXPECT_EQ(outcome(refreshed(next.refresh)), "401 invalid_client");
}

TEST_F(ClientDocuments, OauthM5ConsentIsRememberedUntilTheDocumentChanges) {
  courier_.publish(kUrl, {document(), 0});
  allow(asked());
  EXPECT_EQ(parameter_of(asked().header("Location"), "state"), "s") << "remembered";
  courier_.publish(kUrl, {document() + " ", 0});
  EXPECT_EQ(asked().status, 200);
}

TEST_F(ClientDocuments, OauthM5ADocumentThatChangesBeforeTheAnswerAsksAgain) {
  courier_.publish(kUrl, {document(), 0});
  const Answer page = asked();
  courier_.publish(kUrl, {document(std::string(kAllGrants) + R"(, "client_uri": "x")"), 0});
  Answer again = allow(page);
  EXPECT_EQ(parameter_of(again.header("Location"), "code"), "") << again.header("Location");
  if (again.status == 303) again = browser_.follow(again);
  EXPECT_EQ(again.status, 200);
  EXPECT_TRUE(again.has("wants access")) << again.body;
  EXPECT_NE(parameter_of(allow(again).header("Location"), "code"), "");
}

TEST_F(ClientDocuments, OauthM5TheCodeGoesToTheRedirectOfThePageOrNowhere) {
  courier_.publish(kUrl, {document(), 0});
  const Answer page = asked();
  courier_.publish(kUrl, {document(kAllGrants, kUrl, R"("https://evil.test/cb")"), 0});
  const Answer refused = allow(page);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.header("Location"), "none");
}

TEST_F(ClientDocuments, OauthM5AScopeBeyondTheOnesAllowedIsRefused) {
  const Answer page = browser_.ask(authorize([] {
    Ask::Fields fields = asks();
    fields.emplace_back("scope", "all:all");
    return fields;
  }()));
  EXPECT_EQ(parameter_of(page.header("Location"), "error"), "invalid_scope");
}

TEST_F(ClientDocuments, OauthM5WithoutTheGrantTypeNoRefreshTokenIsIssued) {
  courier_.publish(kUrl, {document(""), 600});
  const Answer answer = exchanged(new_code(asks()));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_FALSE(answer.has("refresh_token")) << answer.body;
  EXPECT_TRUE(lives(member_of(answer, "access_token")));
}

TEST_F(ClientDocuments, OauthM5ConnectedApplicationsShowTheUrlAndEndTheGrant) {
  const Tokens tokens = tokens_of(exchanged(new_code(asks())));
  const Answer list = browser_.ask("/settings/connected");
  EXPECT_TRUE(list.has("<bdi>" + std::string(kUrl) + "</bdi>")) << list.body;
  const std::size_t at = list.body.find("href=\"/settings/connected/") + 6;
  const std::string path = list.body.substr(at, list.body.find('"', at) - at);
  browser_.submit(browser_.ask(path), path);
  EXPECT_FALSE(lives(tokens.access));
  EXPECT_EQ(outcome(refreshed(tokens.refresh)), "400 invalid_grant");
}

}  // namespace
}  // namespace svc::rules::documents
