#include "stores/stores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/unavailable.h"
#include "integration/every_store.h"
#include "integration/key_stores.h"
#include "integration/redis_server.h"

namespace svc::stores {
namespace {

using integration::EveryStore;
using integration::RedisServer;
using integration::strangers_in;

const std::vector<std::string> kNone;

TEST(Stores, OperationsD49EachKeyIsInTheRedisOfItsKind) {
  RedisServer state;
  RedisServer catalog;
  RedisServer cache;
  EveryStore life(state.settings(), catalog.settings(), cache.settings());
  life.write();
  const auto check = [&] {
    EXPECT_EQ(strangers_in(Store::State, state.command({"KEYS", "*"})), kNone);
    EXPECT_EQ(strangers_in(Store::Catalog, catalog.command({"KEYS", "*"})), kNone);
    EXPECT_EQ(strangers_in(Store::Cache, cache.command({"KEYS", "*"})), kNone);
  };
  check();
  EXPECT_GT(state.command({"DBSIZE"}).integer(), 10);
  for (const EveryStore::Action& action : life.actions()) {
    SCOPED_TRACE(action.name);
    action.run();
    // After this, commands that were sent without awaiting the reply have arrived, too.
    for (redis::Store* each : {&life.state(), &life.catalog(), &life.cache()})
      life.echo(*each, action.name);
    check();
  }
}

TEST(Stores, OneAddressIsOneStoreWithItsConnections) {
  RedisServer server;
  const base::SteadyClock clock;
  loop::Loop loop(clock);
  Stores one(server.settings(), server.settings(), loop);
  EXPECT_EQ(&one.state(), &one.catalog());
  loop.run_until_done(one.ping());
  const std::string clients = server.text({"CLIENT", "LIST", "TYPE", "normal"});
  EXPECT_EQ(std::ranges::count(clients, '\n'), 2) << "the store, and this command\n" << clients;
}

TEST(Stores, TwoAddressesAreTwoStoresAndBothMustAnswer) {
  RedisServer state;
  RedisServer catalog;
  const base::SteadyClock clock;
  loop::Loop loop(clock);
  Stores two(state.settings(), catalog.settings(), loop);
  EXPECT_NE(&two.state(), &two.catalog());
  loop.run_until_done(two.ping());
  catalog.stop();
  EXPECT_THROW(loop.run_until_done(two.ping()), base::Unavailable);
}

}  // namespace
}  // namespace svc::stores
