// oembed.md, Where a film may be shown.
#include <gtest/gtest.h>

#include "rules/oembed/oembed.h"

namespace svc::rules {
namespace {

constexpr const char* kData = "/embed/medias/l4unchf1lm.json";
constexpr const char* kFrame = "/embed/iframe/l4unchf1lm";
constexpr const char* kAllowed = "https://shop.example";
constexpr const char* kForeign = "https://evil.example";

class Domains : public OembedRules {
 protected:
  Domains() { stores().take_files(); }
  // Fields of the account of all films, as JSON.
  void restrict(const std::string& fields) {
    stores().import(
        R"({"kind":"account","id":1001,"name":"Acme Films","host":"acme.svc.localhost",)"
        R"("url":"https://acme.svc.localhost","oauth_enabled":true)" +
        fields + "}\n");
    forget();
  }
  // Until the pools know of all earlier imports.
  void settle() {
    const std::string probe = "/embed/medias/probe00001.json";
    // The second name replaces a response in memory, so it is seen once its import is known.
    for (int i = 0; i < 2; ++i) {
      const std::string name = "Probe " + std::to_string(++probes_);
      import_film("probe00001", {{"name", '"' + name + '"'}, {"allowed_domains", "[]"}});
      site_.until([&] { return ask(probe).has(name); });
      site_.pass(1);  // from then on, responses are cached
      site_.until([&] { return ask(probe).cache == http::CacheUse::Memory; });
    }
  }
  Answer data(std::string_view origin, std::string_view target = kData) {
    return ask(Ask("GET " + std::string(target)).with("Origin", std::string(origin)));
  }
  Answer frame(std::string_view referer, std::string_view target = kFrame) {
    Ask asked("GET " + std::string(target));
    return ask(referer.empty() ? asked
                               : asked.with("Referer", std::string(referer) + "/path?query"));
  }
  static std::string policy(const Answer& answer) {
    return answer.header("Content-Security-Policy");
  }

 private:
  int probes_ = 0;
};

TEST_F(Domains, OembedW1AMediaHasTheListOfItsAccountOrItsOwn) {
  EXPECT_EQ(data(kForeign).status, 200) << "without a list every page may show it";
  restrict(R"(,"allowed_domains":["Shop.Example","*.bücher.example","localhost:5173"])");
  for (const char* site :
       {kAllowed, "http://shop.example", "https://a.xn--bcher-kva.example", "http://localhost:5173",
        "https://embed.svc.example:8443", "https://app.svc.example", "https://svc.test:8443",
        "https://acme.svc.localhost:8443"})
    EXPECT_EQ(data(site).status, 200) << site;
  for (const char* site :
       {kForeign, "https://www.shop.example", "https://shop.example:8443",
        "https://xn--bcher-kva.example", "http://localhost:5174",
        "https://shop.example.evil.example", "https://acme.svc.localhost",
        "https://evilsvc.localhost:8443", "http://acme.svc.localhost:8443", "ftp://shop.example"})
    EXPECT_EQ(data(site).status, 403) << site;
  import_film("own0000001", {{"allowed_domains", R"(["own.example"])"}});
  import_film("every00001", {{"allowed_domains", "[]"}});
  EXPECT_EQ(data("https://own.example", "/embed/medias/own0000001.json").status, 200);
  EXPECT_EQ(data(kAllowed, "/embed/medias/own0000001.json").status, 403);
  EXPECT_EQ(data(kForeign, "/embed/medias/every00001.json").status, 200);
  restrict("");
  import_film("own0000001");
  EXPECT_EQ(data(kForeign).status, 403) << "a line without the field changes nothing";
  EXPECT_EQ(data(kForeign, "/embed/medias/own0000001.json").status, 403);
  restrict(R"(,"allowed_domains":[])");
  EXPECT_EQ(data(kForeign).status, 200);
}

TEST_F(Domains, OembedW1OembedW2AnApplicationIsNamedByTheOriginOfItsPages) {
  restrict(R"(,"allowed_domains":["capacitor://localhost","http://127.0.0.1:3000"])");
  for (const char* page : {"capacitor://localhost", "http://127.0.0.1:3000"})
    EXPECT_EQ(data(page).status, 200) << page;
  for (const char* page : {"ionic://localhost", "capacitor://evil", "http://localhost",
                           "http://127.0.0.1", "null", "file://"})
    EXPECT_EQ(data(page).status, 403) << page;
  // WebKit sends no Referer from such a page, and compares it with the policy.
  const Answer page = frame("");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(policy(page).ends_with(" capacitor://localhost http://127.0.0.1:3000"))
      << policy(page);
  EXPECT_EQ(frame("capacitor://localhost").status, 200);
  const Answer refused = frame("ionic://localhost");
  EXPECT_EQ(refused.status, 403);
  EXPECT_TRUE(refused.has("ionic://localhost is not one of them")) << refused.body;
}

TEST_F(Domains, OembedW1AWrongNameIsRefusedByName) {
  const auto refused = [&](const std::string& domains) {
    try {
      restrict(",\"allowed_domains\":" + domains);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_NE(refused(R"(["shop.example","https://evil.example"])")
                .find("allowed_domains has https://evil.example, which must be a host name"),
            std::string::npos);
  std::string many = "[";
  for (int i = 0; i <= 50; ++i)
    many += (i == 0 ? "\"a" : ",\"a") + std::to_string(i) + ".example\"";
  EXPECT_NE(refused(many + "]").find("allowed_domains has 51 names, more than 50"),
            std::string::npos);
  std::string large = "[";
  for (int i = 0; i < 50; ++i)
    large += (i == 0 ? "\"" : ",\"") + std::string(60, 'a') + "." + std::string(20, 'b') +
             std::to_string(i) + ".example\"";
  EXPECT_NE(refused(large + "]").find("bytes in a policy, more than 4000"), std::string::npos);
}

TEST_F(Domains, OembedW2AFrameIsForTheSitesOfItsPolicy) {
  const Answer open = frame(kForeign);
  EXPECT_EQ(open.status, 200);
  EXPECT_EQ(policy(open).find("frame-ancestors"), std::string::npos);
  restrict(R"(,"allowed_domains":["shop.example"])");
  for (const char* referer : {"", kAllowed, "https://embed.svc.example:8443"}) {
    const Answer page = frame(referer);
    EXPECT_EQ(page.status, 200) << referer;
    EXPECT_NE(policy(page).find("; frame-ancestors 'self' https://embed.svc.example:8443 "
                                "https://app.svc.example https://svc.localhost:8443 "
                                "https://*.svc.localhost:8443 https://svc.test:8443 "
                                "https://*.svc.test:8443 http://shop.example"),
              std::string::npos)
        << policy(page);
    EXPECT_EQ(page.header("Access-Control-Allow-Origin"), "none");
  }
  const Answer refused = frame(kForeign);
  EXPECT_EQ(refused.status, 403);
  EXPECT_TRUE(refused.has("evil.example is not one of them")) << refused.body;
  EXPECT_FALSE(refused.has("<video")) << refused.body;
  EXPECT_EQ(policy(refused).find("frame-ancestors"), std::string::npos)
      << "people see the reason, not the browser's own error";
  restrict(R"(,"allow_no_referrer":true)");
  EXPECT_EQ(policy(frame("")).find("frame-ancestors"), std::string::npos);
  EXPECT_EQ(frame(kForeign).status, 403);
}

TEST_F(Domains, OembedW3OriginDecidesAndAFrameHasItsData) {
  restrict(R"(,"allowed_domains":["shop.example"])");
  const auto both = [&](const char* origin, const char* referer) {
    return ask(Ask("GET " + std::string(kData)).with("Origin", origin).with("Referer", referer))
        .status;
  };
  EXPECT_EQ(both("https://shop.example", "https://evil.example/"), 200);
  EXPECT_EQ(both("https://evil.example", "https://shop.example/"), 403);
  EXPECT_EQ(both("null", "https://shop.example/"), 403);
  EXPECT_EQ(ask(Ask("GET " + std::string(kData)).with("Referer", "https://shop.example/a")).status,
            200);
  const std::string json = data(kAllowed).body;
  EXPECT_NE(unescaped(frame(kAllowed).body).find("data-facts=\"" + json + "\""), std::string::npos);
  EXPECT_FALSE(frame(kAllowed, "/embed/iframe/nobodyhasthis").has("data-facts"));
}

TEST_F(Domains, OembedW4PagesThatDoNotSayWhereTheyAreNeedAConsent) {
  restrict(R"(,"allowed_domains":["shop.example"])");
  for (const Answer& refused : {ask(kData), data("null")}) {
    EXPECT_EQ(refused.status, 403);
    EXPECT_TRUE(refused.has("the page does not say on which it is")) << refused.body;
    EXPECT_FALSE(refused.has("that site")) << refused.body;
  }
  import_film("own0000001", {{"allowed_domains", R"(["own.example"])"}});
  import_playlist("ownlist001", {"own0000001"});
  const Answer list = frame("", "/embed/playlists/ownlist001");
  EXPECT_EQ(list.status, 403);
  EXPECT_TRUE(list.has("this page does not say on which site it is")) << list.body;
  restrict(R"(,"allow_no_referrer":true)");
  EXPECT_EQ(ask(kData).status, 200);
  EXPECT_EQ(data("null").status, 200);
  EXPECT_EQ(data(kForeign).status, 403);
  restrict("");
  EXPECT_EQ(ask(kData).status, 200) << "a line without the field changes nothing";
}

TEST_F(Domains, OembedW5OtherAnswersAreThoseOfAnyFilm) {
  const std::vector<std::string> others{
      "/oembed?url=https%3A%2F%2Fembed.svc.example%3A8443%2Fmedias%2Fl4unchf1lm"};
  std::vector<std::string> before;
  for (const std::string& each : others) before.push_back(ask(each).body);
  restrict(R"(,"allowed_domains":["shop.example"])");
  for (std::size_t i = 0; i < others.size(); ++i) EXPECT_EQ(ask(others[i]).body, before[i]);
  const Answer refused = data(kForeign);
  EXPECT_EQ(ask("/medias/l4unchf1lm").status, 200);
  EXPECT_EQ(refused.body, R"({"error":"this may not be shown on that site"})");
  EXPECT_EQ(refused.header("Access-Control-Allow-Origin"), "*") << "the player reads the status";
  EXPECT_TRUE(ask("/embed-codes?url=l4unchf1lm").has("<code>shop.example</code>."));
  // The page of an unlisted film is refused, too.
  import_film("hidden0001", {{"visibility", R"("unlisted")"}});
  EXPECT_EQ(ask("/medias/hidden0001").status, 403);
}

TEST_F(Domains, OembedW6APlaylistHasTheVideosThatThePageMayShow) {
  import_film("own0000001", {{"allowed_domains", R"(["own.example"])"}});
  import_playlist("mixedlist1", {"l4unchf1lm", "own0000001"});
  import_playlist("ownlist001", {"own0000001"});
  const std::string data_of = "/embed/playlists/mixedlist1.json",
                    page = "/embed/playlists/mixedlist1";
  EXPECT_TRUE(data("https://own.example", data_of).has("own0000001"));
  EXPECT_FALSE(data(kForeign, data_of).has("own0000001"));
  EXPECT_TRUE(data(kForeign, data_of).has("l4unchf1lm"));
  EXPECT_EQ(data(kForeign, "/embed/playlists/ownlist001.json").status, 403);
  EXPECT_TRUE(frame("https://own.example", page).has("own0000001"));
  EXPECT_FALSE(frame(kForeign, page).has("own0000001"));
  EXPECT_FALSE(frame("", page).has("own0000001")) << "no policy holds it back";
  restrict(R"(,"allowed_domains":["shop.example"])");
  EXPECT_EQ(data("https://own.example", data_of).status, 403);
  EXPECT_EQ(frame(kForeign, page).status, 403);
  EXPECT_TRUE(frame("", page).has("l4unchf1lm")) << "its policy has the same sites";
  EXPECT_TRUE(frame(kAllowed, page).has("l4unchf1lm"));
}

TEST_F(Domains, OembedW7NoCacheServesWhatASiteMayNotShow) {
  listen();
  for (const char* target : {kData, "/embed/playlists/pl4yl1st01.json"}) {
    restrict(R"(,"allowed_domains":[])");
    settle();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(data(kForeign, target).status, 200);
    restrict(R"(,"allowed_domains":["shop.example"])");
    settle();
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(data(kAllowed, target).status, 200) << target;
      EXPECT_EQ(data(kForeign, target).status, 403) << target;
      EXPECT_EQ(data("null", target).status, 403) << target;
    }
    const Answer answer = data(kAllowed, target);
    EXPECT_EQ(answer.cache, http::CacheUse::Memory);
    EXPECT_EQ(answer.header("Cache-Control"), "private, no-cache");
    EXPECT_EQ(answer.header("Vary"), "Origin, Referer");
    EXPECT_EQ(data(kForeign, target).header("Cache-Control"), "private, no-cache");
    const Answer again = ask(Ask("GET " + std::string(target))
                                 .with("Origin", kForeign)
                                 .with("If-None-Match", answer.header("ETag")));
    EXPECT_EQ(again.status, 403);
  }
}

}  // namespace
}  // namespace svc::rules
