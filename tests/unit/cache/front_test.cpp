#include "cache/front.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "base/unavailable.h"
#include "fakes/manual_clock.h"

namespace svc::cache {
namespace {

using namespace std::chrono_literals;
using http::CacheUse;

// A store of texts, and an endpoint that answers with one of them.
class Store : public http::Endpoint {
 public:
  explicit Store(Reads& reads) : reads_(reads) {}
  void prepare(const http::Request& request) override {
    ++prepared;
    prepared_for = &request;
  }
  http::Response answer(const http::Request& request) override {
    ++asked;
    answered_for = &request;
    if (away) throw base::Unavailable("away");
    const std::string key(request.query);
    reads_.note(key);
    afresh = reads_.afresh();
    http::Response response;
    const auto found = texts.find(key);
    if (found == texts.end()) return http::json_error(404, "nothing");
    response.content_type = "text/plain";
    response.body = found->second;
    response.cache = use;
    response.about = key;
    response.counts_for = 1001;
    response.with("Cache-Control", "public, max-age=60");
    return http::with_entity_tag(std::move(response), request.if_none_match);
  }
  bool shares_answers(const http::Request&) const override { return shares; }
  bool ignores_query(const http::Request&) const override { return ignores_query_; }

  std::map<std::string, std::string> texts;
  int asked = 0;
  int prepared = 0;
  const http::Request* prepared_for = nullptr;
  const http::Request* answered_for = nullptr;
  bool away = false;
  bool shares = true;
  bool ignores_query_ = false;
  bool afresh = false;  // it was asked for what is so now
  CacheUse use = CacheUse::None;

 private:
  Reads& reads_;
};

class FakeLink : public Link {
 public:
  int fd() const override { return -1; }
  void work() override {}
  base::Duration soon() const override { return 1s; }
  bool is_up() const override { return up; }
  base::TimePoint heard_until() const override { return heard; }
  bool up = true;
  base::TimePoint heard{};
};

// One worker's.
struct Caches {
  Caches(const Settings& settings, Flight* flight, const base::Clock& clock)
      : front(router, reads, settings, Hasher{7}, flight, clock) {
    router.add("/page", store);
    front.listen_to(link);
  }

  struct Got {
    int status;
    std::string head, body;
    CacheUse use;
    std::int64_t counts_for;
  };
  Got ask(std::string_view query, std::string_view method = "GET", std::string_view tag = "") {
    http::Request request;
    request.method = method;
    request.path = "/page";
    request.query = query;
    request.if_none_match = tag;
    front.begin_round();
    Ticket ticket;
    Answer answer;
    if (!front.find(request, ticket, answer)) answer = front.answer(request, ticket);
    Got got{answer.status, std::string(answer.head), std::string(answer.body), answer.cache,
            answer.counts_for};
    front.end_round();
    return got;
  }

  Reads reads;
  http::Router router;
  Store store{reads};
  FakeLink link;
  Front front;
};

class FrontTest : public testing::Test {
 protected:
  FrontTest() { hear(); }
  void hear() { caches_->link.heard = clock_.now(); }
  void pass(base::Duration time) { clock_.advance(time); }

  fakes::ManualClock clock_;
  Settings settings_;
  std::unique_ptr<Caches> caches_ = std::make_unique<Caches>(settings_, nullptr, clock_);
  Store& store_ = caches_->store;
  Front& front_ = caches_->front;
};

TEST_F(FrontTest, AsksTheStoreOnce) {
  store_.texts["a"] = "one";
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Miss);
  const auto again = caches_->ask("a");
  EXPECT_EQ(again.use, CacheUse::Memory);
  EXPECT_EQ(again.body, "one");
  EXPECT_EQ(store_.asked, 1);
  EXPECT_EQ(front_.figures().entries, 1u);
  EXPECT_GT(front_.figures().bytes, 0u);
}

// An endpoint that sent something ahead knows its request again by that. A copy made every code
// exchange run twice, and the second run revoked what the first had issued.
TEST_F(FrontTest, HandsOverTheSameRequestAgain) {
  store_.shares = false;
  http::Request request;
  request.method = "POST";
  request.path = "/page";
  request.query = "a";
  front_.begin_round();
  Ticket ticket;
  Answer answer;
  ASSERT_FALSE(front_.find(request, ticket, answer));
  front_.prepare(request, ticket);
  front_.answer(request, ticket);
  EXPECT_EQ(store_.prepared_for, &request);
  EXPECT_EQ(store_.answered_for, &request);
  front_.end_round();
}

TEST_F(FrontTest, C2AChangeThatIsHeardEndsWhatWasMadeFromIt) {
  store_.texts = {{"a", "one"}, {"b", "other"}};
  caches_->ask("a");
  caches_->ask("b");
  store_.texts["a"] = "two";
  front_.changed("a");
  EXPECT_EQ(caches_->ask("a").body, "two");
  EXPECT_EQ(caches_->ask("b").use, CacheUse::Memory);
  EXPECT_EQ(front_.figures().invalidated, 1u);
  EXPECT_EQ(front_.figures().invalidations, 1u);
  front_.everything_changed();
  EXPECT_EQ(caches_->ask("b").use, CacheUse::Miss);
}

TEST_F(FrontTest, C2IsTrueNoLongerThanSoLongAfterTheStoreWasHeard) {
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

TEST_F(FrontTest, C2WhatWasMadeBeforeTheLinkCameBackIsMadeAnew) {
  store_.texts["a"] = "one";
  caches_->ask("a");
  pass(1s);
  front_.heard_from_now_on();
  hear();
  pass(1ms);
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Miss);
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Memory);
}

TEST_F(FrontTest, D3GoesOnWhileTheStoreIsAwayAndSaysThatItMayBeOld) {
  store_.texts["a"] = "one";
  caches_->ask("a");
  store_.away = true;
  pass(6s);
  const auto old = caches_->ask("a");
  EXPECT_EQ(old.status, 200);
  EXPECT_EQ(old.body, "one");
  EXPECT_EQ(old.use, CacheUse::Stale);
  EXPECT_NE(old.head.find("Cache-Control: no-cache\r\n"), std::string::npos) << old.head;
  EXPECT_EQ(caches_->ask("a", "HEAD").body, "");
  EXPECT_EQ(caches_->ask("b").status, 503) << "what is not known is not a 404";
  pass(3600s);
  EXPECT_EQ(caches_->ask("a").status, 503) << "too old";
  store_.away = false;
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Miss);
}

TEST_F(FrontTest, D3WhatIsKnownToHaveChangedDoesNotGoOn) {
  store_.texts["a"] = "one";
  caches_->ask("a");
  front_.changed("a");
  store_.away = true;
  EXPECT_EQ(caches_->ask("a").status, 503);
}

TEST_F(FrontTest, C3RefusalsStayShortlyAndOnlyUntilThereIsSomething) {
  EXPECT_EQ(caches_->ask("a").status, 404);
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Memory);
  EXPECT_EQ(store_.asked, 1);
  store_.texts["a"] = "one";
  front_.changed("a");
  EXPECT_EQ(caches_->ask("a").body, "one");
  caches_->ask("b");
  for (int i = 0; i < 3; ++i) {
    pass(4s);
    hear();
  }
  EXPECT_EQ(caches_->ask("b").use, CacheUse::Miss) << "ten seconds are over";
  store_.away = true;
  pass(11s);
  EXPECT_EQ(caches_->ask("b").status, 503) << "an old refusal does not go on";
}

TEST_F(FrontTest, C3RefusalsArePushedOutByRefusalsOnly) {
  settings_.refusals = 10;
  caches_ = std::make_unique<Caches>(settings_, nullptr, clock_);
  hear();
  caches_->store.texts["a"] = "one";
  caches_->ask("a");
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(caches_->ask("no" + std::to_string(i)).status, 404);
  EXPECT_EQ(caches_->front.figures().entries, 11u);
  EXPECT_EQ(caches_->ask("a").use, CacheUse::Memory);
}

TEST_F(FrontTest, R4E2AppliesIfNoneMatchAndHEADOnTheWayOut) {
  store_.texts["a"] = "one";
  for (const CacheUse use : {CacheUse::Miss, CacheUse::Memory}) {
    store_.asked = 0;
    const auto miss = caches_->ask("a", "HEAD");
    EXPECT_EQ(miss.use, use);
    EXPECT_EQ(miss.body, "");
    EXPECT_NE(miss.head.find("Content-Length: 3\r\n"), std::string::npos);
    EXPECT_EQ(miss.counts_for, 0);
    const auto same = caches_->ask("a", "GET", "*");
    EXPECT_EQ(same.status, 304);
    EXPECT_EQ(same.body, "");
    EXPECT_EQ(same.counts_for, 1001);
    EXPECT_EQ(caches_->ask("a", "GET", "\"x\"").status, 200);
    EXPECT_EQ(store_.asked, use == CacheUse::Miss ? 1 : 0) << "one answer for all of them";
  }
  front_.changed("a");
  EXPECT_EQ(caches_->ask("a", "GET", "*").status, 304);
  EXPECT_EQ(caches_->ask("a").body, "one") << "a 304 is not what is kept";
}

TEST_F(FrontTest, C3KeepsOneAnswerWhereTheQueryChangesNothing) {
  store_.texts[""] = "one";
  store_.ignores_query_ = true;
  for (const char* query : {"autoPlay=true", "", "_=1", "autoPlay=true"}) {
    EXPECT_EQ(caches_->ask(query).body, "one");
    EXPECT_EQ(caches_->ask(query, "HEAD").status, 200);
  }
  EXPECT_EQ(store_.asked, 1);
  EXPECT_EQ(front_.figures().entries, 1u);
  store_.texts[""] = "two";
  front_.changed("");
  EXPECT_EQ(caches_->ask("_=2").body, "two");
}

TEST_F(FrontTest, KeepsNothingOfWhatIsNotShared) {
  store_.texts["a"] = "one";
  store_.shares = false;
  EXPECT_EQ(caches_->ask("a").use, CacheUse::None);
  EXPECT_EQ(caches_->ask("a").use, CacheUse::None);
  EXPECT_EQ(caches_->ask("a", "POST").use, CacheUse::None);
  EXPECT_EQ(store_.asked, 3);
}

TEST_F(FrontTest, KeepsNothingWithoutMemory) {
  settings_.memory = 0;
  Flight flight;
  caches_ = std::make_unique<Caches>(settings_, &flight, clock_);
  caches_->store.texts["a"] = "one";
  for (int i = 0; i < 5; ++i) EXPECT_EQ(caches_->ask("a").use, CacheUse::Miss);
  EXPECT_EQ(caches_->store.asked, 5);
}

// A worker that has heard of nothing yet will hear of the first change too.
TEST_F(FrontTest, C3IsWaitedForFromWhenItListens) {
  using Steady = std::chrono::steady_clock;
  Flight flight;
  int begun[2];
  ASSERT_EQ(pipe(begun), 0);
  const pid_t other = fork();
  if (other == 0) {
    Caches caches(settings_, &flight, clock_);
    caches.front.heard_from_now_on();
    [[maybe_unused]] const ssize_t done = write(begun[1], "x", 1);
    while (true) pause();
  }
  char byte = 0;
  EXPECT_EQ(read(begun[0], &byte, 1), 1);
  const auto before = Steady::now();
  flight.wait_until_others_heard(1, clock_.now(), 20ms);
  EXPECT_GE(Steady::now() - before, 20ms);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  for (const int fd : begun) close(fd);
}

// Two workers of one pool.
class TwoFronts : public testing::Test {
 protected:
  TwoFronts() {
    for (Caches* each : {&a_, &b_}) {
      each->link.heard = clock_.now();
      each->store.texts["x"] = "one";
      // Both know it as hot.
      each->ask("x");
      each->ask("x");
    }
    pass(1s);
  }
  void pass(base::Duration time) {
    clock_.advance(time);
    a_.link.heard = b_.link.heard = clock_.now();
  }
  void change() {
    a_.store.texts["x"] = b_.store.texts["x"] = "two";
    a_.store.asked = b_.store.asked = 0;
  }

  fakes::ManualClock clock_;
  Settings settings_;
  Flight flight_;
  Caches a_{settings_, &flight_, clock_};
  Caches b_{settings_, &flight_, clock_};
};

TEST_F(TwoFronts, C3AHotAnswerIsMadeOnceForBoth) {
  change();
  a_.front.changed("x");
  b_.front.changed("x");
  pass(2ms);
  EXPECT_EQ(a_.ask("x").use, CacheUse::Miss);
  const auto handed = b_.ask("x");
  EXPECT_EQ(handed.use, CacheUse::Handover);
  EXPECT_EQ(handed.body, "two");
  EXPECT_EQ(a_.store.asked + b_.store.asked, 1);
  EXPECT_EQ(b_.ask("x").use, CacheUse::Memory);
}

TEST_F(TwoFronts, C3AllWhoAskInOneRoundHaveOneAnswerAndItIsHandedOver) {
  change();
  a_.front.changed("x");
  b_.front.changed("x");
  http::Request request;
  request.method = "GET";
  request.path = "/page";
  request.query = "x";
  std::array<Ticket, 3> tickets;
  Answer answer;
  a_.front.begin_round();
  for (Ticket& ticket : tickets) {
    EXPECT_FALSE(a_.front.find(request, ticket, answer));
    EXPECT_TRUE(ticket.waits()) << "others have to hear of the change first";
    a_.front.prepare(request, ticket);
  }
  EXPECT_EQ(a_.store.prepared, 0) << "nothing is read before";
  for (const Ticket& ticket : tickets) EXPECT_EQ(a_.front.answer(request, ticket).body, "two");
  a_.front.end_round();
  EXPECT_EQ(a_.store.asked, 1);
}

TEST_F(TwoFronts, C2WhatWasBegunBeforeAChangeIsNotHandedOver) {
  change();
  a_.front.changed("x");
  pass(2ms);
  EXPECT_EQ(a_.ask("x").body, "two");
  pass(2ms);
  a_.store.texts["x"] = b_.store.texts["x"] = "three";
  b_.front.changed("x");
  pass(2ms);
  EXPECT_EQ(b_.ask("x").body, "three");
  EXPECT_EQ(b_.store.asked, 1);
}

TEST_F(TwoFronts, C2NothingIsHandedToWhoDoesNotHear) {
  change();
  a_.front.changed("x");
  b_.front.changed("x");
  pass(2ms);
  a_.ask("x");
  b_.link.up = false;
  EXPECT_EQ(b_.ask("x").use, CacheUse::Miss);
  b_.link.up = true;
  pass(1s);
  b_.front.heard_from_now_on();
  pass(1ms);
  EXPECT_EQ(b_.ask("x").use, CacheUse::Miss) << "what was made before is not known to be true";
}

TEST_F(TwoFronts, C3WhoWaitedInVainMakesItForTheOthersToo) {
  change();
  for (Caches* each : {&a_, &b_}) each->front.changed("x");
  pass(20ms);
  http::Request request;
  request.method = "GET";
  request.path = "/page";
  request.query = "x";
  Ticket ticket;
  Answer answer;
  // It saw something there; behind that, and before its turn, it was made again, from before
  // something that it knows.
  b_.front.begin_round();
  ASSERT_FALSE(b_.front.find(request, ticket, answer));
  ASSERT_EQ(ticket.claim, Flight::Claim::Mine);
  flight_.land(ticket.hash, "");
  ticket.claim = Flight::Claim::Theirs;
  const auto made = b_.front.answer(request, ticket);
  EXPECT_EQ(made.body, "two");
  EXPECT_EQ(made.cache, CacheUse::Miss);
  b_.front.end_round();
  EXPECT_EQ(a_.ask("x").use, CacheUse::Handover) << "it has left it there";
  EXPECT_EQ(a_.store.asked + b_.store.asked, 1);
}

TEST_F(TwoFronts, C2WhatWaitedForOthersToHearIsReadAfresh) {
  change();
  a_.front.changed("x");
  b_.front.changed("x");
  pass(2ms);
  EXPECT_EQ(a_.ask("x").body, "two");
  EXPECT_TRUE(a_.store.afresh) << "what the round had read before is older than its answer says";
  EXPECT_EQ(b_.ask("y").status, 404);
  EXPECT_FALSE(b_.store.afresh);
  EXPECT_EQ(a_.ask("y").status, 404);
  EXPECT_FALSE(a_.store.afresh);
}

TEST_F(TwoFronts, C2NothingIsHandedOverBeyondTheBound) {
  change();
  a_.front.changed("x");
  b_.front.changed("x");
  pass(2ms);
  EXPECT_EQ(a_.ask("x").body, "two");
  // The link is silent, and not known to be lost.
  clock_.advance(5s + 1ms);
  b_.store.texts["x"] = "three";
  EXPECT_EQ(b_.ask("x").body, "three");
  EXPECT_EQ(b_.store.asked, 1);
}

TEST_F(FrontTest, C2ARenderingOfRedisIsAsOldAsWhatWasHeard) {
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
