#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/pool/worker/worker_fixture.h"

namespace svc::pool::worker_tests {
namespace {

class Full : public WorkerTest {
 protected:
  Full() {
    settings_.max_in_flight = 2;
    settings_.max_queued = 2;
  }
};

TEST_F(Full, LimitsRequestsInFlightQueuesSomeAndRefusesTheRest) {
  std::vector<Client> clients;
  for (int i = 0; i < 6; ++i) clients.push_back(ask("/wait", std::to_string(i)));
  EXPECT_EQ(waiting_.door.waiting(), 2u);
  EXPECT_EQ(slot_.in_flight, 2u);
  EXPECT_EQ(slot_.queued, 2u);
  EXPECT_EQ(counters_.refused, 2u);
  for (const std::size_t refused : {4u, 5u}) {
    const std::string answer = clients[refused].answer();
    EXPECT_TRUE(answer.starts_with("Status: 503 ")) << answer;
    EXPECT_NE(answer.find("Retry-After: 1\r\n"), std::string::npos);
    EXPECT_TRUE(clients[refused].is_open());
  }
  // Queued requests start in their order, each when an earlier request has
  // ended.
  waiting_.door.let_one_through(1);
  EXPECT_EQ(clients[1].says(), "200 waited 1");
  turn();
  EXPECT_EQ(waiting_.door.waiting(), 2u);
  EXPECT_EQ(slot_.queued, 1u);
  waiting_.door.let_one_through(1);
  EXPECT_EQ(clients[2].says(), "200 waited 2");
  turn();
  EXPECT_EQ(slot_.in_flight, 2u);
  EXPECT_EQ(slot_.queued, 0u);
  waiting_.door.let_all_through();
  EXPECT_EQ(clients[0].says(), "200 waited 0");
  EXPECT_EQ(clients[3].says(), "200 waited 3");
  turn();
  EXPECT_EQ(slot_.in_flight, 0u);
  EXPECT_EQ(counters_.refused, 2u);
  EXPECT_EQ(counters_.slow, 0u);
}

TEST_F(Full, QueuedRequestsAreNotOvertaken) {
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(ask("/wait", std::to_string(i)));
  waiting_.door.let_one_through();
  // A place is free, but this request comes before the queued request takes it.
  clients.push_back(ask("/wait", "3"));
  ASSERT_EQ(waiting_.door.waiting(), 2u);
  waiting_.door.let_one_through(1);
  EXPECT_EQ(clients[2].says(), "200 waited 2");
  EXPECT_EQ(clients[3].bytes(), "");
  turn();
  waiting_.door.let_one_through(1);
  EXPECT_EQ(clients[3].says(), "200 waited 3");
}

TEST_F(Full, AnswersRequestsThatNeedNoStore) {
  ask("/shared", "a");
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(ask("/wait", std::to_string(i)));
  ASSERT_EQ(slot_.queued, 2u);
  EXPECT_EQ(ask("/fixed").says(), "200 fixed");
  EXPECT_EQ(ask("/shared", "a").says(), "200 shared a");
  EXPECT_EQ(ask("/nothing").says(), "404 {\"error\":\"not found\"}");
  EXPECT_EQ(ask("/shared", "b").says(), kUnavailable);
  EXPECT_EQ(counters_.refused, 1u);
}

TEST_F(Full, RefusedRequestsGetTheStaleResponse) {
  ask("/shared", "a");
  feed_.hears = false;
  pass(6s);
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(ask("/wait", std::to_string(i)));
  EXPECT_EQ(ask("/shared", "a").says(), "200 shared a");
  EXPECT_EQ(cache(CacheUse::Stale), 1u);
  EXPECT_EQ(counters_.refused, 1u);
}

TEST_F(Full, RequestsThatAreQueuedTooLongAreRefused) {
  Client runs = ask("/wait", "runs");
  Client too = ask("/wait", "too");
  Client early = ask("/wait", "early");
  pass(600ms);
  Client late = ask("/wait", "late");
  pass(399ms);
  EXPECT_EQ(early.bytes(), "");
  pass(1ms);
  EXPECT_EQ(early.says(), kUnavailable) << "a second after it came";
  EXPECT_EQ(late.bytes(), "");
  EXPECT_EQ(slot_.queued, 1u);
  EXPECT_EQ(counters_.refused, 1u);
  // The queue has a free place again.
  Client next = ask("/wait", "next");
  EXPECT_EQ(slot_.queued, 2u);
  pass(600ms);
  EXPECT_EQ(late.says(), kUnavailable);
  EXPECT_EQ(next.bytes(), "");
  waiting_.door.let_one_through();
  EXPECT_EQ(runs.says(), "200 waited runs");
  turn();
  waiting_.door.let_one_through(1);
  EXPECT_EQ(next.says(), "200 waited next");
  EXPECT_EQ(counters_.refused, 2u);
  EXPECT_EQ(counters_.slow, 0u);
}

TEST_F(Full, ATimedOutRequestLeavesTheQueue) {
  settings_.queue_timeout = 10s;
  Client runs = ask("/wait", "runs", "POST");
  Client too = ask("/wait", "too", "POST");
  Client queued = ask("/wait", "queued");
  pass(3s);
  for (Client* each : {&runs, &too, &queued}) EXPECT_EQ(each->says(), kUnavailable);
  EXPECT_EQ(counters_.slow, 3u);
  EXPECT_EQ(counters_.refused, 0u);
  EXPECT_EQ(slot_.in_flight, 2u);
  Client behind = ask("/wait", "behind");
  EXPECT_EQ(slot_.queued, 2u);
  waiting_.door.let_one_through();
  turn();
  EXPECT_EQ(slot_.queued, 0u) << "nothing is made for one that is answered";
  waiting_.door.let_one_through(1);
  EXPECT_EQ(behind.says(), "200 waited behind");
  pass(10s);
  EXPECT_EQ(queued.bytes(), "");
}

TEST_F(Full, AQueuedRequestUsesAResponseCachedInTheMeantime) {
  shared_.waits = true;
  Client first = ask("/shared", "a");
  Client other = ask("/wait", "w");
  Client queued = ask("/shared", "a");
  EXPECT_EQ(slot_.queued, 1u);
  shared_.door.let_one_through();
  turn();
  EXPECT_EQ(first.says(), "200 shared a");
  EXPECT_EQ(queued.says(), "200 shared a");
  EXPECT_EQ(shared_.asked, 1);
  EXPECT_EQ(cache(CacheUse::Memory), 1u);
}

// Such a request waits for a thread, not for the store, and may do so for long.
TEST_F(Full, ARequestThatHashesFreesItsPlace) {
  Client one = ask("/wait", "hash1");
  Client two = ask("/wait", "hash2");
  EXPECT_EQ(slot_.in_flight, 0u);
  Client three = ask("/wait", "3");
  Client four = ask("/wait", "4");
  EXPECT_EQ(slot_.in_flight, 2u);
  EXPECT_EQ(slot_.queued, 0u);
  waiting_.door.let_all_through();
  turn();
  EXPECT_EQ(one.says(), "200 waited hash1");
  EXPECT_EQ(four.says(), "200 waited 4");
  EXPECT_EQ(slot_.in_flight, 0u);
}

TEST_F(Full, ServesTheOthersIfAClientLeavesTheQueue) {
  Client one = ask("/wait", "1");
  Client two = ask("/wait", "2");
  Client leaves = ask("/wait", "leaves");
  Client stays = ask("/wait", "stays");
  leaves.leave();
  turn();
  int started = 2;
  while (waiting_.door.waiting() > 0) {
    waiting_.door.let_one_through();
    const std::size_t waited = waiting_.door.waiting();
    turn();
    started += waiting_.door.waiting() > waited ? 1 : 0;
  }
  EXPECT_EQ(started, 3) << "nothing is made for one that has left";
  EXPECT_EQ(one.says(), "200 waited 1");
  EXPECT_EQ(two.says(), "200 waited 2");
  EXPECT_EQ(stays.says(), "200 waited stays");
  turn();
  EXPECT_EQ(slot_.connections, 3u);
}

TEST_F(Full, DrainsItsQueueToo) {
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(ask("/wait", std::to_string(i)));
  worker().drain();
  for (std::size_t left = clients.size(); left > 0; --left) {
    EXPECT_TRUE(turn());
    waiting_.door.let_one_through();
  }
  EXPECT_FALSE(turn());
  for (std::size_t i = 0; i < clients.size(); ++i)
    EXPECT_EQ(clients[i].says(), "200 waited " + std::to_string(i));
}

}  // namespace
}  // namespace svc::pool::worker_tests
