#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "unit/pool/worker/worker_fixture.h"

namespace svc::pool::worker_tests {
namespace {

TEST_F(Working, AnswersSuccessiveRequestsOnAKeepAliveConnection) {
  Client client = connect();
  for (const std::string_view query : {"a", "b", "a"}) {
    client.send("/shared", query);
    turn();
    EXPECT_EQ(client.says(), "200 shared " + std::string(query));
  }
  client.send("/nothing");
  turn();
  EXPECT_EQ(client.says(), "404 {\"error\":\"not found\"}");
  client.send("/shared", "a", "HEAD");
  turn();
  EXPECT_EQ(client.says(), "200 ");
  client.send("/wait", "q=", "POST", "the body");
  turn();
  waiting_.door.let_one_through();
  EXPECT_EQ(client.says(), "200 waited q=the body");
  EXPECT_TRUE(client.is_open());
  EXPECT_EQ(counters_.accepted, 1u);
  EXPECT_EQ(slot_.requests, 6u);
  EXPECT_EQ(cache(CacheUse::Memory), 2u);
  EXPECT_EQ(cache(CacheUse::Miss), 2u);
  EXPECT_EQ(answered(2), 5u);
  EXPECT_EQ(answered(4), 1u);
}

TEST_F(Working, CountsGetResponsesForTheirAccount) {
  Client client = connect();
  client.send("/shared", "a");
  turn();
  client.send("/shared", "a");
  turn();
  client.send("/shared", "a", "HEAD");
  turn();
  client.send("/fixed");
  turn();
  EXPECT_EQ(counted_, (std::vector<std::int64_t>{1001, 1001}));
}

TEST_F(Working, CoalescesConcurrentRequests) {
  shared_.waits = true;
  std::vector<Client> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(ask("/shared", "a"));
  EXPECT_EQ(shared_.asked, 1);
  shared_.door.let_one_through();
  turn();
  for (Client& client : clients) EXPECT_EQ(client.says(), "200 shared a");
  EXPECT_EQ(cache(CacheUse::Miss), 1u);
  EXPECT_EQ(cache(CacheUse::Handover), 4u);
}

TEST_F(Working, Answers503IfTheStoreIsUnavailable) {
  Client client = ask("/wait", "away");
  waiting_.door.let_one_through();
  const std::string answer = client.answer();
  EXPECT_TRUE(answer.starts_with("Status: 503 ")) << answer;
  EXPECT_NE(answer.find("Retry-After: 1\r\n"), std::string::npos);
  EXPECT_TRUE(client.is_open());
  EXPECT_EQ(counters_.slow, 0u);
}

// operations-P8: a request that hangs does not end its worker.
TEST_F(Working, ALateRequestGetsA503AndItsLateResultIsDropped) {
  Client client = ask("/wait", "late", "POST");
  pass(2999ms);
  EXPECT_EQ(client.bytes(), "");
  pass(1ms);
  const std::string answer = client.answer();
  EXPECT_TRUE(answer.starts_with("Status: 503 ")) << answer;
  EXPECT_NE(answer.find("Retry-After: 1\r\n"), std::string::npos);
  EXPECT_EQ(counters_.slow, 1u);
  EXPECT_EQ(counters_.refused, 0u);
  EXPECT_EQ(answered(5), 1u);
  EXPECT_EQ(slot_.in_flight, 1u) << "its task goes on";
  EXPECT_TRUE(client.is_open());
  pass(3s);
  EXPECT_EQ(counters_.slow, 1u) << "once";
  waiting_.door.let_one_through();
  turn();
  EXPECT_EQ(client.bytes(), "");
  EXPECT_EQ(slot_.requests, 1u);
  EXPECT_EQ(answered(2), 0u);
  EXPECT_EQ(slot_.in_flight, 0u);
  EXPECT_TRUE(waiting_.left) << "nobody would have read it";
  client.send("/fixed");
  turn();
  EXPECT_EQ(client.says(), "200 fixed");
}

// Many may wait to hash a password, so such a request has ten more seconds;
// others have not.
TEST_F(Working, ARequestThatHashesHasALongerTimeout) {
  Client hashes = ask("/wait", "hash");
  pass(1s);
  Client before = ask("/wait", "before");
  pass(3s);
  EXPECT_EQ(before.says(), kUnavailable);
  Client behind = ask("/wait", "behind");
  pass(3s);
  EXPECT_EQ(behind.says(), kUnavailable);
  EXPECT_EQ(hashes.bytes(), "");
  pass(5s);
  EXPECT_EQ(hashes.bytes(), "");
  pass(1s);
  EXPECT_EQ(hashes.says(), kUnavailable) << "13 s after it came";
  EXPECT_EQ(counters_.slow, 3u);
}

TEST_F(Working, ALateRequestGetsTheStaleResponse) {
  ask("/shared", "a");
  feed_.hears = false;
  pass(6s);
  shared_.waits = true;
  Client client = ask("/shared", "a");
  pass(3s);
  EXPECT_EQ(client.says(), "200 shared a");
  EXPECT_EQ(cache(CacheUse::Stale), 1u);
  EXPECT_EQ(counters_.slow, 1u);
}

// The first steps of a change are followed by the others.
TEST_F(Working, OperationsP80AClientThatLeavesCannotEndAChange) {
  Client leaves = ask("/wait", "leaves", "POST");
  Client late = ask("/wait", "late", "POST");
  leaves.leave();
  pass(3s);
  EXPECT_EQ(slot_.in_flight, 2u);
  waiting_.door.let_all_through();
  EXPECT_EQ(waiting_.passed, 2);
}

TEST_F(Working, OperationsP80ARequestThatReadsEndsAtItsDeadline) {
  for (const std::string_view method : {"GET", "HEAD"}) {
    Client late = ask("/wait", "late", method);
    pass(3s);
    EXPECT_EQ(late.answer().substr(0, 11), "Status: 503");
    EXPECT_EQ(waiting_.door.waiting(), 0u);
    turn();
    EXPECT_EQ(slot_.in_flight, 0u);
    late.send("/fixed");
    turn();
    EXPECT_EQ(late.says(), "200 fixed");
  }
}

TEST_F(Working, OperationsP80ARequestThatReadsEndsWithItsClient) {
  Client leaves = ask("/wait", "leaves");
  Client reads = ask("/wait", "reads");
  reads.close_half();
  turn();
  EXPECT_EQ(waiting_.door.waiting(), 2u) << "it may still read the response";
  leaves.leave();
  turn();
  turn();
  EXPECT_EQ(waiting_.door.waiting(), 1u);
  EXPECT_EQ(slot_.in_flight, 1u);
  EXPECT_EQ(slot_.connections, 1u);
  waiting_.door.let_one_through();
  EXPECT_EQ(reads.says(), "200 waited reads");
}

TEST_F(Working, OperationsP80ABuildEndsWithTheLastRequestThatWaitsForIt) {
  shared_.waits = true;
  Client first = ask("/shared", "a");
  Client second = ask("/shared", "a");
  Client third = ask("/shared", "a");
  first.leave();
  turn();
  second.leave();
  turn();
  shared_.door.let_one_through();
  turn();
  EXPECT_EQ(third.says(), "200 shared a");
  EXPECT_EQ(shared_.asked, 1);
  Client other = ask("/shared", "b");
  Client last = ask("/shared", "b");
  other.leave();
  turn();
  EXPECT_EQ(shared_.door.waiting(), 1u);
  last.leave();
  turn();
  EXPECT_EQ(shared_.door.waiting(), 0u);
  EXPECT_EQ(slot_.in_flight, 0u);
}

TEST_F(Working, DetectsThatAClientHasLeft) {
  Client client = ask("/wait", "w", "POST");
  Client stays = ask("/wait", "s");
  client.leave();
  turn();
  EXPECT_EQ(slot_.connections, 2u);
  waiting_.door.let_one_through();
  EXPECT_TRUE(waiting_.left);
  turn();
  turn();
  EXPECT_EQ(slot_.connections, 1u);
  waiting_.door.let_one_through();
  EXPECT_FALSE(waiting_.left);
  EXPECT_EQ(stays.says(), "200 waited s");
}

TEST_F(Working, RefusesABodyOfTheWrongLengthAndCloses) {
  Client client = connect();
  client.send_bytes(
      fakes::fcgi_request({{"DOCUMENT_URI", "/wait"}, {"CONTENT_LENGTH", "3"}}, "body"));
  turn();
  EXPECT_EQ(client.says(), "400 {\"error\":\"the body's length is not what Content-Length says\"}");
  EXPECT_FALSE(client.is_open());
  EXPECT_EQ(counters_.endpoints[board_.endpoint("/wait")].statuses[3], 1u);
  EXPECT_EQ(waiting_.door.waiting(), 0u);
  Client cut = connect();
  cut.send_bytes(fakes::fcgi_request({{"DOCUMENT_URI", "/wait"}, {"CONTENT_LENGTH", "5"}}, "body"));
  turn();
  EXPECT_EQ(cut.bytes(), "");
  EXPECT_FALSE(cut.is_open());
  EXPECT_EQ(waiting_.door.waiting(), 0u);
  EXPECT_EQ(answered(4), 1u);
}

TEST_F(Working, CountsRequestsThatTheListenerRefuses) {
  settings_.listener.limits.body = 10;
  Client client = connect();
  client.send("/wait", "", "POST", std::string(11, 'b'));
  turn();
  EXPECT_EQ(client.says(), "413 {\"error\":\"the request body is too large\"}");
  EXPECT_EQ(counters_.endpoints[board_.endpoint("/wait")].statuses[3], 1u);
}

TEST_F(Working, ClosesAfterARequestWithExtraBytes) {
  Client client = connect();
  const std::string request = fakes::fcgi_request({{"DOCUMENT_URI", "/fixed"}});
  client.send_bytes(request + request);
  turn();
  EXPECT_EQ(client.says(), "200 fixed");
  EXPECT_FALSE(client.is_open());
  EXPECT_EQ(slot_.requests, 1u);
}

TEST_F(Working, UpdatesItsSlotAndCounters) {
  EXPECT_TRUE(turn());
  EXPECT_EQ(slot_.phase, Phase::Idle);
  EXPECT_EQ(slot_.beat, clock_.now().time_since_epoch().count());
  Client client = ask("/wait", "secret");
  EXPECT_EQ(slot_.phase, Phase::Handling);
  EXPECT_EQ(slot_.path_text(), "/wait");
  const int before = seconds_;
  pass(10ms);
  EXPECT_EQ(slot_.beat, clock_.now().time_since_epoch().count()) << "though a request waits";
  EXPECT_EQ(seconds_, before);
  pass(1s);
  EXPECT_EQ(seconds_, before + 1);
  waiting_.door.let_one_through();
  EXPECT_EQ(client.says(), "200 waited secret");
  const EndpointCounters& counted = counters_.endpoints[board_.endpoint("/wait")];
  EXPECT_EQ(counted.statuses[1], 1u);
  EXPECT_EQ(counted.durations.nanoseconds, 1'010'000'000u) << "from its last byte to its answer";
  ask("/shared", "a");
  EXPECT_EQ(slot_.cache_entries, 1u);
  EXPECT_GT(slot_.cache_bytes, 0u);
  responses_.invalidated("a");
  turn();
  EXPECT_EQ(slot_.cache_entries, 0u);
  EXPECT_EQ(counters_.cache_invalidated, 1u);
  EXPECT_EQ(counters_.cache_invalidations, 1u);
}

// Whatever happens simultaneously, every request whose client waits gets one
// response: its own or a 503.
TEST_F(Working, EveryRequestGetsAResponseUnderRandomTraffic) {
  settings_.max_in_flight = 4;
  settings_.max_queued = 4;
  settings_.listener.idle_timeout = 100h;
  shared_.waits = true;
  struct Asking {
    Client client;
    std::string expected{};  // the expected response; "" if no request waits
  };
  std::vector<std::unique_ptr<Asking>> all;
  std::mt19937 random(11);
  const auto below = [&](std::size_t end) { return random() % end; };
  int answers = 0;
  int refusals = 0;
  const auto look = [&](Asking& one) {
    if (one.expected.empty()) return;
    const std::string said = one.client.says();
    if (said.empty()) return;
    (said == kUnavailable ? refusals : answers) += 1;
    if (said != kUnavailable) {
      EXPECT_EQ(said, one.expected);
    }
    one.expected.clear();
  };
  const auto ask_something = [&](Asking& one, int number) {
    const std::string query = std::to_string(below(3));
    const std::string own = (below(8) == 0 ? "hash" : "") + std::to_string(number);
    switch (below(3)) {
      case 0:
        one.client.send("/fixed");
        one.expected = "200 fixed";
        break;
      case 1:
        one.client.send("/shared", query);
        one.expected = "200 shared " + query;
        break;
      default: one.client.send("/wait", own); one.expected = "200 waited " + own;
    }
  };
  for (int step = 0; step < 20'000; ++step) {
    Asking* one = all.empty() ? nullptr : all[below(all.size())].get();
    switch (below(9)) {
      case 0:
        if (all.size() < 20) {
          all.push_back(std::make_unique<Asking>(Asking{Client(fakes::connect_to(path_))}));
          if (below(2) == 0) ask_something(*all.back(), step);
        }
        break;
      case 1:
        if (one != nullptr && below(3) == 0)
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(below(all.size())));
        break;
      case 2:
      case 3:
        if (one != nullptr && one->expected.empty()) ask_something(*one, step);
        break;
      case 4:
        if (waiting_.door.waiting() > 0)
          waiting_.door.let_one_through(below(waiting_.door.waiting()));
        break;
      case 5:
        if (shared_.door.waiting() > 0) shared_.door.let_one_through(below(shared_.door.waiting()));
        break;
      case 6:
        if (below(4) == 0) responses_.invalidated(std::to_string(below(3)));
        if (below(50) == 0) responses_.feed_began();
        if (below(20) == 0) shared_.away = !shared_.away;
        break;
      case 7: clock_.advance(std::chrono::milliseconds(below(600))); break;
      default: turn();
    }
    ASSERT_LE(slot_.in_flight, 4u);
    ASSERT_LE(slot_.queued, 4u);
    if (one != nullptr && !all.empty()) look(*all[below(all.size())]);
  }
  shared_.away = false;
  for (int i = 0; i < 100; ++i) {
    turn();
    waiting_.door.let_all_through();
    shared_.door.let_all_through();
  }
  for (const auto& each : all) {
    look(*each);
    EXPECT_EQ(each->expected, "") << "it has no answer";
    EXPECT_TRUE(each->client.is_open());
  }
  turn();
  EXPECT_EQ(slot_.connections, all.size());
  EXPECT_EQ(slot_.in_flight, 0u);
  EXPECT_EQ(slot_.queued, 0u);
  EXPECT_GT(answers, 1000);
  EXPECT_GT(refusals, 100);
  EXPECT_GT(counters_.slow, 10u);
  EXPECT_GT(counters_.refused, 10u);
  EXPECT_GT(cache(CacheUse::Handover), 10u);
  EXPECT_GT(cache(CacheUse::Memory), 10u);
}

}  // namespace
}  // namespace svc::pool::worker_tests
