#include "cache/response_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/unavailable.h"
#include "fakes/door.h"
#include "fakes/manual_clock.h"
#include "fakes/tasks.h"

namespace svc::cache {
namespace {

using namespace std::chrono_literals;
using http::CacheUse;

// An endpoint that responds with the text stored under the query.
class Store : public http::Endpoint {
 public:
  loop::Task<http::Response> answer(const http::Request& request) override {
    ++asked;
    answered_for = request;
    const std::string key(request.query);
    const auto found = texts.find(key);
    const bool is_there = found != texts.end();
    std::string text = is_there ? found->second : "";
    if (by_site) text.append(" for ").append(request.site);
    if (by_language) text.append(" in ").append(request.language);
    if (waits) co_await door.pass();
    if (away) throw base::Unavailable("away");
    http::Response response;
    if (is_there) {
      response.content_type = "text/plain";
      response.body = text;
      response.cache = use;
      response.about = key;
      response.counts_for = 1001;
      response.with("Cache-Control", "public, max-age=60");
      response = http::with_entity_tag(std::move(response), request.if_none_match);
    } else {
      response = http::json_error(404, "nothing");
    }
    if (by_site && request.site == "refused") response = http::json_error(403, "not there");
    response.varies_by_site = by_site;
    response.varies_by_language = by_language;
    if (says_from_what) response.made_from = {key};
    co_return response;
  }
  bool shares_answers(const http::Request&) const override { return shares; }
  std::string_view query_used(const http::Request& request) const override {
    return ignores_query_ ? std::string_view() : request.query;
  }

  std::string_view language_for(const http::Request& request) const override {
    return request.accept_language;
  }

  std::map<std::string, std::string> texts;
  int asked = 0;
  http::Request answered_for;  // the last; views of it
  bool away = false;
  bool shares = true;
  bool ignores_query_ = false;
  bool says_from_what = true;
  bool by_site = false;  // refuses the site "refused"
  bool by_language = false;
  bool waits = false;  // at the door, after it has read the text
  fakes::Door door;
  CacheUse use = CacheUse::None;
};

class FakeFeed : public InvalidationFeed {
 public:
  bool is_up() const override { return up; }
  base::TimePoint received_until() const override { return heard; }
  bool up = true;
  base::TimePoint heard{};
};

struct Got {
  int status;
  std::string head, body;
  CacheUse use;
  std::int64_t counts_for;
};
Got got(const Answer& answer) {
  return {answer.status, std::string(answer.head), std::string(answer.body), answer.cache,
          answer.counts_for};
}

http::Request request_for(std::string_view query, std::string_view method = "GET",
                          std::string_view tag = "") {
  http::Request request;
  request.method = method;
  request.path = "/page";
  request.query = query;
  request.if_none_match = tag;
  return request;
}

// A request that may have to wait for its response.
struct Asked {
  http::Request request;
  Answer answer{};
  bool done = false;
};
loop::Task<> have_answered(ResponseCache& responses, Asked& asked) {
  co_await responses.answer(asked.request, asked.answer);
  asked.done = true;
}

// The cache of one worker.
struct Caches {
  Caches(const Settings& settings, loop::Loop& of_worker)
      : loop(of_worker), responses(router, settings, Hasher{7}, of_worker) {
    router.add("/page", store);
    responses.use_feed(feed);
  }

  Got ask(std::string_view query, std::string_view method = "GET", std::string_view tag = "") {
    return ask(request_for(query, method, tag));
  }
  Got ask_from(std::string_view site, std::string_view query = "a") {
    http::Request request = request_for(query);
    request.site = site;
    return ask(request);
  }
  Got ask_in(std::string_view language) {
    http::Request request = request_for("a");
    request.site = "here";
    request.accept_language = language;
    return ask(request);
  }
  Got ask(const http::Request& request) {
    Answer answer;
    if (!responses.find(request, answer)) fakes::now(responses.answer(request, answer));
    return got(answer);
  }

  // Starts a request whose response is not in memory.
  std::unique_ptr<Asked> begin(std::string_view query, std::string_view method = "GET",
                               std::string_view tag = "") {
    auto asked = std::make_unique<Asked>(Asked{request_for(query, method, tag)});
    EXPECT_FALSE(responses.find(asked->request, asked->answer));
    tasks.spawn(have_answered(responses, *asked));
    return asked;
  }
  // Completes the build that has waited longest and runs the tasks that this
  // resumes.
  void answer_one() {
    store.door.let_one_through();
    loop.turn(0s);
  }

  loop::Loop& loop;
  http::Router router;
  Store store;
  FakeFeed feed;
  ResponseCache responses;
  loop::Scope tasks{loop};
};

class ResponseCacheTest : public testing::Test {
 protected:
  ResponseCacheTest() { hear(); }
  ~ResponseCacheTest() override { EXPECT_EQ(loop_.tasks(), 0u) << "nobody waits for ever"; }
  void hear() { caches_->feed.heard = clock_.now(); }
  void pass(base::Duration time) { clock_.advance(time); }
  void make_anew() {
    caches_ = std::make_unique<Caches>(settings_, loop_);
    hear();
  }

  fakes::ManualClock clock_;
  loop::Loop loop_{clock_};
  Settings settings_;
  std::unique_ptr<Caches> caches_ = std::make_unique<Caches>(settings_, loop_);
  Store& store_ = caches_->store;
  ResponseCache& responses_ = caches_->responses;
};

TEST_F(ResponseCacheTest, KeepsAResponsePerSiteIfItVariesByIt) {
  store_.texts["a"] = "one";
  store_.by_site = true;
  for (const auto use : {CacheUse::Miss, CacheUse::Memory}) {
    for (const char* site : {"here", "there", ""}) {
      const Got answer = caches_->ask_from(site);
      EXPECT_EQ(answer.body, std::string("one for ") + site);
      EXPECT_EQ(answer.use, use) << site;
    }
    const Got refused = caches_->ask_from("refused");
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.use, use);
  }
  responses_.invalidated("a");
  store_.by_site = false;
  pass(1ms);
  EXPECT_EQ(caches_->ask_from("refused").body, "one");
  EXPECT_EQ(caches_->ask_from("here").use, CacheUse::Memory) << "it varies no longer";
}

TEST_F(ResponseCacheTest, KeepsAResponsePerLanguageIfItVariesByIt) {
  store_.texts["a"] = "one";
  store_.by_language = true;
  for (const bool by_site : {false, true}) {
    store_.by_site = by_site;
    responses_.invalidated("a");
    pass(1ms);
    for (const auto use : {CacheUse::Miss, CacheUse::Memory}) {
      for (const char* language : {"de", "fr", "en"}) {
        const Got answer = caches_->ask_in(language);
        EXPECT_EQ(answer.body, std::string(by_site ? "one for here in " : "one in ") + language);
        EXPECT_EQ(answer.use, use) << language;
      }
    }
  }
}

TEST_F(ResponseCacheTest, ABuildForOneSiteIsNotHandedToAnother) {
  store_.texts["a"] = "one";
  store_.by_site = true;
  store_.waits = true;
  std::vector<std::unique_ptr<Asked>> all;
  for (const char* site : {"here", "refused", "here", "refused"}) {
    all.push_back(std::make_unique<Asked>(Asked{request_for("a")}));
    all.back()->request.site = site;
    caches_->tasks.spawn(have_answered(responses_, *all.back()));
  }
  caches_->answer_one();
  caches_->answer_one();
  EXPECT_EQ(store_.asked, 2) << "one build per site";
  for (const auto& asked : all) {
    ASSERT_TRUE(asked->done);
    EXPECT_EQ(asked->answer.status, asked->request.site == "here" ? 200 : 403);
  }
}

TEST_F(ResponseCacheTest, AnswersUnavailableWithTheStaleResponseForThatSiteOnly) {
  store_.texts["a"] = "one";
  store_.by_site = true;
  caches_->ask_from("here");
  pass(6s);
  store_.away = true;
  EXPECT_EQ(caches_->ask_from("here").body, "one for here");
  EXPECT_EQ(caches_->ask_from("refused").status, 503);
}

// The endpoint needs its peer, cookie and body.
TEST_F(ResponseCacheTest, PassesOnTheOriginalRequestIfResponsesAreNotShared) {
  store_.texts["a"] = "one";
  store_.shares = false;
  for (int i = 1; i < 3; ++i) {
    EXPECT_EQ(caches_->ask("a").use, CacheUse::None);
    EXPECT_EQ(store_.asked, i);
  }
  http::Request request = request_for("a", "POST", "\"tag\"");
  request.remote_address = "203.0.113.7";
  request.cookie = "session=1";
  request.body = "field=value";
  Answer answer;
  ASSERT_FALSE(responses_.find(request, answer));
  fakes::now(responses_.answer(request, answer));
  const http::Request& got = store_.answered_for;
  EXPECT_EQ(got.method, "POST");
  EXPECT_EQ(got.if_none_match, request.if_none_match);
  EXPECT_EQ(got.remote_address, request.remote_address);
  EXPECT_EQ(got.cookie, request.cookie);
  EXPECT_EQ(got.body, request.body);
}

TEST_F(ResponseCacheTest, ABuildThatIsCancelledIsMadeByARequestThatWaits) {
  store_.texts["a"] = "one";
  store_.waits = true;
  Asked first{request_for("a")};
  loop::Scope ends(loop_);
  ends.spawn(have_answered(responses_, first));
  const auto second = caches_->begin("a");
  EXPECT_EQ(first.answer.followers, 1u);
  ends.cancel();
  loop_.turn(0s);
  caches_->answer_one();
  ASSERT_TRUE(second->done);
  EXPECT_EQ(got(second->answer).body, "one");
  EXPECT_FALSE(first.done);
}

TEST_F(ResponseCacheTest, IsStaleAfterTheBoundWithoutContact) {
  store_.texts["a"] = "one";
  caches_->ask("a");
  pass(4s);
  hear();
  pass(5s);
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Memory) << "five seconds after it was heard";
  pass(1ms);
  store_.texts["a"] = "two";
  EXPECT_EQ(caches_->ask("a").body, "two");
  pass(4s);
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Memory)
      << "made a moment ago, though nothing is heard";
}

TEST_F(ResponseCacheTest, RebuildsResponsesOlderThanTheSubscription) {
  store_.texts["a"] = "one";
  caches_->ask("a");
  pass(1s);
  responses_.feed_began();
  hear();
  pass(1ms);
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Miss);
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Memory);
}

TEST_F(ResponseCacheTest, CachesRefusalsBrieflyAndUntilAChange) {
  EXPECT_EQ(caches_->ask("a").status, 404);
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Memory);
  EXPECT_EQ(store_.asked, 1);
  store_.texts["a"] = "one";
  responses_.invalidated("a");
  EXPECT_EQ(caches_->ask("a").body, "one");
  caches_->ask("b");
  for (const auto time : {4s, 4s, 2s}) {
    pass(time);
    hear();
  }
  EXPECT_EQ(caches_->ask("b").use, CacheUse::Miss) << "ten seconds are over";
  store_.away = true;
  pass(11s);
  EXPECT_EQ(caches_->ask("b").status, 503) << "an old refusal does not go on";
}

TEST_F(ResponseCacheTest, RefusalsEvictOnlyRefusals) {
  settings_.refusals = 10;
  for (const bool by_language : {false, true}) {
    make_anew();
    caches_->store.texts["a"] = "one";
    caches_->store.by_language = by_language;
    caches_->ask("a");
    const std::size_t responses = caches_->responses.figures().entries;
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(caches_->ask("no" + std::to_string(i)).status, 404);
    EXPECT_EQ(caches_->responses.figures().entries, responses + 10);
    EXPECT_EQ(caches_->ask("a").use, CacheUse::Memory);
  }
}

TEST_F(ResponseCacheTest, DoesNotCacheResponsesWithUnknownDependencies) {
  store_.texts["a"] = "one";
  store_.says_from_what = false;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(caches_->ask("a").use, CacheUse::Miss);
  EXPECT_EQ(responses_.figures().entries, 0u);
}

TEST_F(ResponseCacheTest, CachesNothingIfItsSizeIsZero) {
  settings_.memory = 0;
  make_anew();
  Store& store = caches_->store;
  store.texts["a"] = "one";
  store.waits = true;
  const auto first = caches_->begin("a");
  const auto second = caches_->begin("a");
  caches_->answer_one();
  caches_->answer_one();
  EXPECT_EQ(store.asked, 2) << "reads in flight are shared by the connection to the store";
  EXPECT_EQ(got(first->answer).body, "one");
  EXPECT_EQ(got(second->answer).body, "one");
  EXPECT_EQ(caches_->responses.figures().entries, 0u);
}

TEST_F(ResponseCacheTest, CachesNothingWithoutAnInvalidationConnection) {
  http::Router router;
  Store store;
  router.add("/page", store);
  ResponseCache responses(router, settings_, Hasher{7}, loop_);
  store.texts["a"] = "one";
  for (int i = 0; i < 2; ++i) {
    const http::Request request = request_for("a");
    Answer answer;
    ASSERT_FALSE(responses.find(request, answer));
    fakes::now(responses.answer(request, answer));
    EXPECT_EQ(got(answer).body, "one");
    EXPECT_EQ(answer.cache, CacheUse::None);
  }
  EXPECT_EQ(store.asked, 2);
}

// Each request owns its response, however long the cache keeps it.
TEST_F(ResponseCacheTest, AResponseOutlivesItsCacheEntry) {
  store_.texts["a"] = std::string(10'000, 'x');
  store_.waits = true;
  const auto first = caches_->begin("a");
  const auto second = caches_->begin("a");
  caches_->answer_one();
  responses_.all_invalidated();
  EXPECT_EQ(first->answer.body, std::string(10'000, 'x'));
  EXPECT_EQ(second->answer.body, std::string(10'000, 'x'));
}

TEST_F(ResponseCacheTest, ABuildOvertakenByAChangeIsRepeatedForWaitingRequests) {
  enum class Change { OfItsKey, OfAll, OfTheFeed };
  for (const Change change : {Change::OfItsKey, Change::OfAll, Change::OfTheFeed}) {
    SCOPED_TRACE(static_cast<int>(change));
    make_anew();
    Store& store = caches_->store;
    ResponseCache& responses = caches_->responses;
    store.texts["a"] = "one";
    store.waits = true;
    const auto first = caches_->begin("a");
    const auto second = caches_->begin("a");
    const auto third = caches_->begin("a");
    if (change != Change::OfItsKey) pass(1ms);  // OfItsKey: at the time of its begin
    store.texts["a"] = "two";
    if (change == Change::OfItsKey) responses.invalidated("a");
    if (change == Change::OfAll) responses.all_invalidated();
    if (change == Change::OfTheFeed) responses.feed_began();
    pass(1ms);
    hear();
    const auto late = caches_->begin("a");
    EXPECT_EQ(store.asked, 1);
    caches_->answer_one();
    EXPECT_EQ(got(first->answer).body, "one") << "it asked before the change";
    EXPECT_FALSE(second->done || third->done || late->done);
    EXPECT_EQ(store.asked, 2) << "once for all of them";
    EXPECT_EQ(responses.figures().entries, 0u);
    caches_->answer_one();
    int misses = 0;
    for (const Asked* each : {second.get(), third.get(), late.get()}) {
      ASSERT_TRUE(each->done);
      EXPECT_EQ(got(each->answer).body, "two");
      misses += each->answer.cache == CacheUse::Miss ? 1 : 0;
    }
    EXPECT_EQ(misses, 1);
    EXPECT_EQ(store.asked, 2);
    EXPECT_EQ(caches_->ask("a").use, CacheUse::Memory);
    EXPECT_EQ(caches_->ask("a").body, "two");
  }
}

TEST_F(ResponseCacheTest, AnUnrelatedChangeDoesNotOvertakeABuild) {
  store_.texts["a"] = "one";
  store_.waits = true;
  const auto first = caches_->begin("a");
  const auto second = caches_->begin("a");
  pass(1ms);
  responses_.invalidated("b");
  caches_->answer_one();
  EXPECT_EQ(second->answer.cache, CacheUse::Handover);
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Memory);
}

// However often the key changes, each build completes one of the requests.
TEST_F(ResponseCacheTest, EachBuildCompletesOneRequestUnderConstantChanges) {
  store_.texts["a"] = "one";
  store_.waits = true;
  std::vector<std::unique_ptr<Asked>> all;
  for (int i = 0; i < 10; ++i) all.push_back(caches_->begin("a"));
  for (std::size_t made = 1; made <= all.size(); ++made) {
    pass(1ms);
    responses_.invalidated("a");
    ASSERT_EQ(store_.door.waiting(), 1u);
    caches_->answer_one();
    std::size_t done = 0;
    for (const auto& each : all) done += each->done ? 1 : 0;
    EXPECT_EQ(done, made);
  }
}

TEST_F(ResponseCacheTest, DoesNotCoalesceWhileTheInvalidationConnectionIsDown) {
  store_.texts["a"] = "one";
  store_.waits = true;
  const auto first = caches_->begin("a");
  caches_->feed.up = false;
  const auto second = caches_->begin("a");
  EXPECT_EQ(store_.asked, 2);
  store_.door.let_all_through();
  EXPECT_EQ(first->answer.cache, CacheUse::Miss);
  EXPECT_EQ(second->answer.cache, CacheUse::Miss);
  store_.waits = false;
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Memory) << "not known to have changed";
}

TEST_F(ResponseCacheTest, WaitingRequestsRetrySeparatelyIfTheBuildFails) {
  store_.texts["a"] = "one";
  store_.waits = true;
  std::vector<std::unique_ptr<Asked>> all;
  for (int i = 0; i < 4; ++i) all.push_back(caches_->begin("a"));
  store_.away = true;
  EXPECT_EQ(store_.asked, 1);
  caches_->answer_one();
  ASSERT_TRUE(all[0]->done);
  EXPECT_EQ(all[0]->answer.status, 503);
  EXPECT_EQ(all[0]->answer.cache, CacheUse::Miss);
  // They retry in parallel: if the store fails one of them, the others do not
  // queue for it.
  EXPECT_EQ(store_.door.waiting(), 3u);
  store_.door.let_one_through();
  EXPECT_EQ(all[1]->answer.status, 503);
  store_.away = false;
  store_.door.let_all_through();
  loop_.turn(0s);
  for (const auto& each : all) ASSERT_TRUE(each->done);
  EXPECT_EQ(got(all[2]->answer).body, "one");
  EXPECT_EQ(got(all[3]->answer).body, "one");
  store_.waits = false;
  EXPECT_EQ(caches_->ask("a").status, 200);
}

TEST_F(ResponseCacheTest, WaitingRequestsGetTheStaleResponseIfTheBuildFails) {
  store_.texts["a"] = "one";
  caches_->ask("a");
  pass(6s);
  store_.waits = true;
  const auto first = caches_->begin("a");
  const auto second = caches_->begin("a", "HEAD");
  store_.away = true;
  caches_->answer_one();
  caches_->answer_one();
  EXPECT_EQ(got(first->answer).body, "one");
  EXPECT_EQ(first->answer.cache, CacheUse::Stale);
  EXPECT_EQ(second->answer.cache, CacheUse::Stale);
  EXPECT_EQ(second->answer.body, "");
}

// A worker does this for a request that runs out of time while its response is
// still being built.
TEST_F(ResponseCacheTest, AnswersUnavailableWithTheStaleResponseOr503) {
  store_.texts["a"] = "one";
  caches_->ask("a");
  pass(6s);
  store_.waits = true;
  const auto first = caches_->begin("a");
  Answer instead;
  responses_.answer_unavailable(first->request, instead);
  EXPECT_EQ(got(instead).body, "one");
  EXPECT_EQ(instead.cache, CacheUse::Stale);
  EXPECT_EQ(instead.counts_for, 1001);
  EXPECT_NE(instead.head.find("Cache-Control: no-cache\r\n"), std::string::npos);
  Answer refused;
  responses_.answer_unavailable(request_for("b"), refused);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.cache, CacheUse::Miss);
  EXPECT_NE(refused.head.find("Retry-After: 1\r\n"), std::string::npos);
  Answer posted;
  responses_.answer_unavailable(request_for("a", "POST"), posted);
  EXPECT_EQ(posted.status, 503);
  EXPECT_EQ(posted.cache, CacheUse::None);
  Answer head;
  responses_.answer_unavailable(request_for("b", "HEAD"), head);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(head.head, refused.head);
  Answer nowhere;
  http::Request unknown = request_for("a");
  unknown.path = "/nothing";
  responses_.answer_unavailable(unknown, nowhere);
  EXPECT_EQ(nowhere.status, 503);
  caches_->answer_one();
  EXPECT_EQ(got(first->answer).use, CacheUse::Miss) << "its task goes on";
  EXPECT_EQ(got(instead).body, "one");
}

TEST_F(ResponseCacheTest, RedisRenderingsAreAsOldAsTheLastContact) {
  store_.texts["a"] = "one";
  store_.use = CacheUse::Redis;
  pass(4s);
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Redis);
  pass(1s);
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Memory) << "five seconds after it was heard";
  pass(1ms);
  store_.texts["a"] = "two";
  EXPECT_EQ(caches_->ask("a").body, "two");
}

}  // namespace
}  // namespace svc::cache
