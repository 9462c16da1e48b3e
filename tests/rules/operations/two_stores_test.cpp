// The pools with a Redis for the catalog and another for grants, tokens and sessions: here, two
// databases of one server. Tests of integration/ ask each store alone; these tests show that a
// pool connects each store to its own Redis.

#include "integration/key_stores.h"
#include "rules/login/second_factor.h"

namespace svc::rules {
namespace {

class TwoStores : public WithSecondFactor {
 protected:
  TwoStores() {
    browser_.cookies.clear();
    stores().reset();
    in_state({"FLUSHDB"});
    const std::string server = "unix://" + stores().state().address().path;
    site_.restart({"--redis-state=" + server + "?db=2", "--redis-catalog=" + server});
  }
  ~TwoStores() override { in_state({"FLUSHDB"}); }

  // Runs the command in the database of the state.
  redis::Reply in_state(std::initializer_list<std::string_view> words) {
    std::vector<std::string_view> all{
        "EVAL", "redis.call('SELECT', 2) return redis.call(unpack(ARGV))", "0"};
    all.insert(all.end(), words.begin(), words.end());
    return stores().command(all);
  }
  std::size_t keys_of_state(std::string_view pattern) { return in_state({"KEYS", pattern}).size(); }
  void expect_each_key_in_its_own() {
    const std::vector<std::string> none;
    EXPECT_EQ(integration::strangers_in(stores::Store::State, in_state({"KEYS", "*"})), none);
    EXPECT_EQ(integration::strangers_in(stores::Store::Catalog, stores().command({"KEYS", "*"})),
              none);
  }
  Answer token(const Ask::Fields& fields) {
    return ask(Ask("POST /oauth/token").with_form(fields));
  }
};

TEST_F(TwoStores, APoolGivesEachStoreItsOwn) {
  // Logins that fail and succeed, a second factor, its forms.
  EXPECT_EQ(log_in(browser_, kOlivia, "wrong").status, 403);
  EXPECT_EQ(log_in(browser_, kOlivia).status, 303);
  EXPECT_EQ(keys_of_state("web:session:*"), 1U);
  set_up();
  Browser other(site_);
  EXPECT_EQ(give(other, password_given(other), code()).status, 303);
  // A grant, its use, a refresh and a wrong secret.
  const Answer granted = connect(browser_, kScheduler);
  EXPECT_EQ(use(granted), 200);
  EXPECT_EQ(keys_of_state("oauth:grant:*"), 1U);
  const auto refresh = [&](std::string_view secret) {
    return token({{"grant_type", "refresh_token"},
                  {"client_id", kScheduler},
                  {"client_secret", std::string(secret)},
                  {"refresh_token", member_of(granted, "refresh_token")}});
  };
  EXPECT_EQ(refresh("wrong").status, 401);
  const Answer fresh = refresh("demo-secret-0001-not-for-production");
  EXPECT_EQ(use(fresh), 200);
  EXPECT_EQ(keys_of_state("oauth:guess:*"), 1U);
  // An account token, and a POST that is repeated.
  const std::string tokens = std::string(kAcme) + "/tokens";
  const Answer made = browser_.submit(
      browser_.ask(tokens), tokens, {{"name", "Backup"}, {"scope", "all:all"}, {"expires", "90"}});
  const std::size_t at = made.body.find("value=\"svcp_") + 7;
  const std::string account_token = made.body.substr(at, made.body.find('"', at) - at);
  const Ask project = Ask("POST /v1/projects")
                          .with("Authorization", "Bearer " + account_token)
                          .with("Content-Type", "application/json")
                          .with("Idempotency-Key", "one")
                          .with_body(R"({"name": "Films"})");
  EXPECT_EQ(ask(project).status, 201);
  EXPECT_EQ(ask(project).status, 201);
  EXPECT_EQ(stores().events("project.created"), 1U);
  // Public responses, invalidated by the catalog's Redis.
  site_.listen();
  const std::string oembed = "/oembed?url=https%3A%2F%2Facme.svc.localhost%2Fmedias%2Fl4unchf1lm";
  EXPECT_TRUE(ask(oembed).has("Launch film"));
  stores().edit("catalog:media:l4unchf1lm", "Launch film", "Another film");
  site_.until([&] { return ask(oembed).has("Another film"); });
  expect_each_key_in_its_own();
  // The application ends with its grants.
  const std::string remove = std::string(kAcme) + "/applications/" + kScheduler + "/delete";
  after(browser_, browser_.ask(remove), remove);
  EXPECT_EQ(use(fresh), 401);
  site_.run_periodic_tasks();
  EXPECT_EQ(keys_of_state("oauth:grant:*"), 0U);
  // Each pool asks those that it needs.
  for (const char* role : {"embed", "grant", "web"})
    EXPECT_EQ(site_.ask_pool(role, Ask("/readyz")).status, 200) << role;
  expect_each_key_in_its_own();
}

// Without the state, public responses continue: each Redis is asked for its own records.
TEST_F(TwoStores, APoolWithoutTheStateServesTheCatalog) {
  site_.restart({"--redis-state=unix:///nonexistent",
                 "--redis-catalog=unix://" + stores().state().address().path});
  EXPECT_EQ(ask("/oembed?url=https%3A%2F%2Facme.svc.localhost%2Fmedias%2Fl4unchf1lm").status, 200);
  EXPECT_EQ(site_.ask_pool("embed", Ask("/readyz")).status, 200);
  EXPECT_EQ(site_.ask_pool("grant", Ask("/readyz")).status, 503);
  EXPECT_EQ(browser_.ask("/login").status, 200);
}

}  // namespace
}  // namespace svc::rules
