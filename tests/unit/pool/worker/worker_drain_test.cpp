#include <gtest/gtest.h>

#include "unit/pool/worker/worker_fixture.h"

namespace svc::pool::worker_tests {
namespace {

TEST_F(Working, DrainsWithoutLosingARequest) {
  Client in_flight = ask("/wait", "1");
  Client idle = ask("/fixed");
  EXPECT_EQ(idle.says(), "200 fixed");
  worker().drain();
  EXPECT_EQ(slot_.phase, Phase::Draining);
  Client late(fakes::connect_to(path_));
  late.send("/fixed");
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(turn());
  EXPECT_EQ(late.bytes(), "") << "for a worker that stays";
  waiting_.door.let_one_through();
  EXPECT_EQ(in_flight.says(), "200 waited 1");
  EXPECT_FALSE(in_flight.is_open());
  EXPECT_TRUE(turn()) << "a kept connection may still bring a request";
  idle.send("/wait", "2");
  EXPECT_TRUE(turn());
  EXPECT_EQ(slot_.phase, Phase::Draining);
  waiting_.door.let_one_through();
  EXPECT_EQ(idle.says(), "200 waited 2");
  EXPECT_FALSE(idle.is_open());
  EXPECT_FALSE(turn());
}

TEST_F(Working, DrainsForAtMostTheDrainTimeout) {
  Client idle = ask("/fixed");
  Client hangs = ask("/wait", "hangs");
  worker().drain();
  pass(3s);
  EXPECT_EQ(hangs.says(), kUnavailable);
  EXPECT_FALSE(hangs.is_open());
  clock_.advance(16s);
  EXPECT_TRUE(turn());
  clock_.advance(1s);
  EXPECT_FALSE(turn());
}

TEST_F(Working, StopClosesIdleConnections) {
  Client idle = ask("/fixed");
  EXPECT_EQ(idle.says(), "200 fixed");
  Client in_flight = ask("/wait", "1");
  worker().stop();
  EXPECT_FALSE(idle.is_open());
  EXPECT_TRUE(turn());
  waiting_.door.let_one_through();
  EXPECT_EQ(in_flight.says(), "200 waited 1");
  EXPECT_FALSE(turn());
}

// A request that was already answered does not delay the exit: its task is
// cancelled with the worker.
TEST_F(Working, ExitsDespiteAHungTask) {
  Client client = ask("/wait", "hangs", "POST");
  pass(3s);
  EXPECT_EQ(client.says(), kUnavailable);
  worker().stop();
  EXPECT_FALSE(turn());
  EXPECT_EQ(loop_.tasks(), 1u);
}

TEST_F(Working, RetiresAfterMaxRequests) {
  settings_.max_requests = 3;
  Client client = connect();
  for (int i = 0; i < 2; ++i) {
    client.send("/fixed");
    turn();
    EXPECT_EQ(client.says(), "200 fixed");
  }
  EXPECT_TRUE(client.is_open());
  client.send("/wait", "3");
  EXPECT_TRUE(turn());
  EXPECT_EQ(slot_.phase, Phase::Draining);
  waiting_.door.let_one_through();
  EXPECT_EQ(client.says(), "200 waited 3");
  EXPECT_FALSE(client.is_open());
  EXPECT_FALSE(turn());
}

// Its successor could not fill its memory cache.
TEST_F(Working, DoesNotRetireWhileTheStoreIsUnavailable) {
  settings_.max_requests = 1;
  store_answers_ = false;
  Client client = connect();
  for (int i = 0; i < 3; ++i) {
    client.send("/fixed");
    EXPECT_TRUE(turn());
    EXPECT_EQ(client.says(), "200 fixed");
  }
  EXPECT_NE(slot_.phase, Phase::Draining);
  store_answers_ = true;
  turn();
  EXPECT_NE(slot_.phase, Phase::Draining) << "asks once a second";
  pass(1s);
  EXPECT_EQ(slot_.phase, Phase::Draining);
}

TEST_F(Working, RetiresAboveItsMemoryLimit) {
  settings_.memory_limit = 1;
  Client client = connect();
  int answers = 0;
  for (bool open = true; open && answers < 1000; open = client.is_open()) {
    client.send("/fixed");
    turn();
    answers += client.says() == "200 fixed" ? 1 : 0;
  }
  EXPECT_EQ(answers, 257) << "it looks every 256 requests, and answers what comes meanwhile";
  EXPECT_FALSE(turn());
}

}  // namespace
}  // namespace svc::pool::worker_tests
