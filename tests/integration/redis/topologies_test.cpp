// A Cluster of three primaries, and a primary with a replica and three Sentinels: real servers on
// free ports, with TLS between all of them. The end-to-end suites have them without.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/tls.h"
#include "base/unavailable.h"
#include "fakes/temporary_directory.h"
#include "fakes/waiting.h"
#include "integration/recorded_invalidations.h"
#include "integration/redis_server.h"
#include "integration/tcp.h"
#include "integration/tls.h"
#include "loop/loop.h"
#include "redis/cluster.h"
#include "redis/scan.h"
#include "redis/slot.h"
#include "redis/store.h"
#include "redis/store_tracking.h"
#include "stores/catalog/people.lua.h"
#include "stores/functions.h"
#include "stores/replace.lua.h"

namespace svc {
namespace {

using namespace std::chrono_literals;
using integration::RecordedInvalidations;
using integration::RedisServer;
using integration::ServerOnPort;
using redis::Store;
using Words = std::vector<std::string>;

// Guards against a hang; never the measured time.
constexpr auto kTopologyPatience = 300s;

loop::Task<redis::Reply> replied_to(Store& store, Words words, bool is_read) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  Store::Call call = is_read ? store.read(views) : store.command(views);
  redis::Reply reply = co_await call;
  co_return reply;
}

loop::Task<std::int64_t> changed(Store& store, std::string key, std::string before,
                                 std::string after) {
  stores::functions::ReplaceRecord run{.record = key, .before = before, .after = after};
  const redis::Reply reply = co_await store.call(std::move(run));
  co_return reply.integer();
}

class Topology : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    certificates_.emplace();
    certificates_->issue("server", "IP:127.0.0.1");
  }
  static void TearDownTestSuite() { certificates_.reset(); }
  Topology() {
    auto loaded = base::TlsClient::load(certificates_->files(), "redis-tls");
    if (loaded) tls_.emplace(std::move(*loaded));
  }

  // Starts a server with these arguments: `first` are before those for TLS, `last` after them.
  static ServerOnPort started(const Words& first, const Words& last) {
    return integration::start_on_port([&](const std::string& port) {
      Words words = first;
      const Words tls = integration::tls_arguments(*certificates_, "server", port);
      words.insert(words.end(), tls.begin(), tls.end());
      words.insert(words.end(), last.begin(), last.end());
      return words;
    });
  }
  redis::ConnectionSettings settings(const std::string& url) const {
    redis::ConnectionSettings settings;
    settings.address = *redis::Address::parse(url);
    settings.name = "svc-test";
    settings.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(kTopologyPatience);
    settings.tls = &*tls_;
    return settings;
  }
  std::string text(Store& store, Words words, bool is_read = false) {
    try {
      const redis::Reply reply = loop_.run_until_done(replied_to(store, std::move(words), is_read));
      if (const auto text = reply.text()) return std::string(*text);
      return reply.size() == 0 ? std::to_string(reply.integer()) : "an array";
    } catch (const redis::ErrorReply& error) {
      return std::string("error reply: ") + error.what();
    } catch (const base::Unavailable& error) {
      return std::string("unavailable: ") + error.what();
    }
  }
  void turn_until(const std::function<bool()>& condition) {
    const auto give_up = std::chrono::steady_clock::now() + kTopologyPatience;
    bool is_true = condition();
    while (!is_true && std::chrono::steady_clock::now() < give_up) {
      loop_.turn(10ms);
      is_true = condition();
    }
    ASSERT_TRUE(is_true);  // not asked again: a connection may end at any moment
  }

  static std::optional<integration::Certificates> certificates_;
  std::optional<base::TlsClient> tls_;
  base::SteadyClock clock_;
  loop::Loop loop_{clock_};
};

std::optional<integration::Certificates> Topology::certificates_;

class ClusterTest : public Topology {
 protected:
  static constexpr std::size_t kNodes = 3;

  static ServerOnPort start() {
    return started({}, {"--cluster-enabled", "yes", "--tls-cluster", "yes",
                        "--cluster-node-timeout", "1000", "--cluster-require-full-coverage", "no"});
  }

  void SetUp() override {
    for (std::size_t i = 0; i < kNodes; ++i) {
      nodes_.push_back(start());
      const std::string first = std::to_string(i * redis::kSlots / kNodes);
      const std::string last = std::to_string((i + 1) * redis::kSlots / kNodes - 1);
      at(i).command({"CLUSTER", "ADDSLOTSRANGE", first, last});
    }
    for (std::size_t i = 1; i < kNodes; ++i) {
      at(i).command({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    }
    meet_until(1, [this] {
      return std::ranges::all_of(nodes_, [](const ServerOnPort& node) {
        const std::string info = node.server->text({"CLUSTER", "INFO"});
        return info.find("cluster_state:ok") != std::string::npos &&
               info.find("cluster_slots_assigned:16384") != std::string::npos &&
               node.server->command({"CLUSTER", "SLOTS"}).size() == kNodes;
      });
    });
    store_ = std::make_unique<Store>(settings("cluster+tls://127.0.0.1:" + port(0)), loop_);
  }

  // Introduces the nodes from `first` on to node 0. A node forgets an introduction that is not
  // answered within its timeout, so they are repeated.
  void meet_until(std::size_t first, const std::function<bool()>& condition) {
    auto next = std::chrono::steady_clock::now();
    fakes::wait_until([&] {
      if (const auto now = std::chrono::steady_clock::now(); now >= next) {
        for (std::size_t i = first; i < nodes_.size(); ++i)
          at(i).command({"CLUSTER", "MEET", "127.0.0.1", port(0)});
        next = now + 2s;
      }
      return condition();
    });
  }

  // Adds a primary without slots. Returns its index.
  std::size_t add_node() {
    nodes_.push_back(start());
    const std::size_t added = nodes_.size() - 1;
    meet_until(added, [&] {
      return std::ranges::all_of(nodes_, [&](const ServerOnPort& node) {
        return node.server->text({"CLUSTER", "NODES"}).find(id(added)) != std::string::npos &&
               node.server->text({"CLUSTER", "INFO"}).find("cluster_state:ok") != std::string::npos;
      });
    });
    return added;
  }

  RedisServer& at(std::size_t node) { return *nodes_[node].server; }
  std::string port(std::size_t node) const { return std::to_string(nodes_[node].port); }
  std::string id(std::size_t node) { return at(node).text({"CLUSTER", "MYID"}); }
  static std::size_t node_of(std::string_view key) {
    return std::min<std::size_t>(redis::slot_of(key) * kNodes / redis::kSlots, kNodes - 1);
  }
  // Returns a key of that node; others with another `number`.
  static std::string key_of(std::size_t node, int number = 0) {
    for (int i = 0;; ++i) {
      const std::string key = "catalog:media:" + std::to_string(number) + "-" + std::to_string(i);
      if (node_of(key) == node) return key;
    }
  }
  std::string text(Words words, bool is_read = false) {
    return Topology::text(*store_, std::move(words), is_read);
  }

  std::vector<ServerOnPort> nodes_;
  std::unique_ptr<Store> store_;
};

TEST_F(ClusterTest, OperationsD2OperationsD7SendsEachCommandToTheOwnerOfItsKey) {
  for (int i = 0; i < 100; ++i) {
    const std::string key = "key-" + std::to_string(i);
    EXPECT_EQ(text({"SET", key, std::to_string(i)}), "OK");
    EXPECT_EQ(text({"GET", key}, true), std::to_string(i));
    EXPECT_EQ(at(node_of(key)).text({"GET", key}), std::to_string(i));
  }
  // All keys in one command, with the map read: without redirections, in the order of the keys.
  Words get{"MGET"};
  Words gone{"UNLINK"};
  for (int i = 0; i < 100; ++i) get.push_back("key-" + std::to_string(i));
  get.emplace_back("missing");
  gone.insert(gone.end(), get.begin() + 1, get.end());
  const redis::Reply all = loop_.run_until_done(replied_to(*store_, get, true));
  ASSERT_EQ(all.size(), 101u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(all.at(i).text(), std::to_string(i));
  EXPECT_FALSE(all.at(100).text());
  EXPECT_EQ(text(gone), "100");
  EXPECT_EQ(text({"MSET", key_of(0), "a", key_of(1), "b", key_of(2), "c"}), "OK");
  EXPECT_EQ(text({"EXISTS", key_of(0), key_of(1), key_of(2), "missing"}, true), "3");
}

TEST_F(ClusterTest, OperationsD2RunsFunctionsOnTheNodeOfTheirKeys) {
  for (std::size_t node = 0; node < kNodes; ++node) {
    EXPECT_EQ(loop_.run_until_done(changed(*store_, key_of(node), "", "1")), 1);
    EXPECT_EQ(at(node).text({"GET", key_of(node)}), "1");
    at(node).command({"FUNCTION", "FLUSH"});
    EXPECT_THROW(loop_.run_until_done(changed(*store_, key_of(node), "1", "2")), base::Unavailable);
    at(node).command({"FUNCTION", "LOAD", stores::functions::library()});
    EXPECT_EQ(loop_.run_until_done(changed(*store_, key_of(node), "1", "3")), 1);
  }
}

TEST_F(ClusterTest, ScansTheKeysOfAllNodesOnce) {
  std::vector<std::string> written;
  for (int i = 0; i < 300; ++i) {
    written.push_back("scan:" + std::to_string(i));
    text({"SET", written.back(), ""});
  }
  redis::Scan scan(*store_, "scan:*");
  std::vector<std::string> found;
  while (true) {
    const std::vector<std::string> keys = loop_.run_until_done(scan.next());
    if (keys.empty()) break;
    found.insert(found.end(), keys.begin(), keys.end());
  }
  EXPECT_EQ(scan.fraction_done(), 1);
  std::ranges::sort(written);
  std::ranges::sort(found);
  EXPECT_EQ(found, written);
}

TEST_F(ClusterTest, OperationsD2FollowsASlotThatMoves) {
  const std::string tag = key_of(0);
  const std::string first = "{" + tag + "}1";
  const std::string second = "{" + tag + "}2";
  const std::string slot = std::to_string(redis::slot_of(first));
  ASSERT_EQ(text({"SET", first, "1"}), "OK");
  ASSERT_EQ(text({"SET", second, "2"}), "OK");
  loop_.run_until_done(store_->primaries());
  at(1).command({"CLUSTER", "SETSLOT", slot, "IMPORTING", id(0)});
  at(0).command({"CLUSTER", "SETSLOT", slot, "MIGRATING", id(1)});
  at(0).command({"MIGRATE", "127.0.0.1", port(1), first, "0", "5000"});
  // ASK: one key is on the other node, and a new key is created there.
  EXPECT_EQ(text({"GET", first}, true), "1");
  EXPECT_EQ(text({"GET", second}, true), "2");
  EXPECT_EQ(text({"SET", "{" + tag + "}3", "3"}), "OK");
  EXPECT_EQ(at(0).command({"CLUSTER", "COUNTKEYSINSLOT", slot}).integer(), 1);
  EXPECT_EQ(at(1).command({"CLUSTER", "COUNTKEYSINSLOT", slot}).integer(), 2);
  // TRYAGAIN, until both keys are on one node.
  const auto with_both = [](Store& store, std::string one,
                            std::string other) -> loop::Task<redis::Reply> {
    stores::functions::MovePassword run{
        .contact = one, .password = other, .before = "1", .after = "1", .hash = ""};
    const redis::Reply reply = co_await store.call(std::move(run));
    co_return reply;
  };
  loop::Task<redis::Reply> both = with_both(*store_, first, second);
  std::string seen;
  const auto keep = [](loop::Task<redis::Reply> task, std::string& out) -> loop::Task<> {
    const redis::Reply reply = co_await task;
    out = std::to_string(reply.integer());
  };
  loop::Scope scope(loop_);
  scope.spawn(keep(std::move(both), seen));
  for (int i = 0; i < 5; ++i) loop_.turn(5ms);
  EXPECT_EQ(seen, "");
  at(0).command({"MIGRATE", "127.0.0.1", port(1), second, "0", "5000"});
  turn_until([&] { return !seen.empty(); });
  EXPECT_EQ(seen, "1");
  // MOVED, for every kind of command.
  for (std::size_t node = 0; node < kNodes; ++node)
    at(node).command({"CLUSTER", "SETSLOT", slot, "NODE", id(1)});
  EXPECT_EQ(text({"SET", first, "new"}), "OK");
  EXPECT_EQ(at(1).text({"GET", first}), "new");
  store_->send_and_forget({"SET", second, "forgotten"});
  turn_until([&] { return at(1).text({"GET", second}) == "forgotten"; });
}

TEST_F(ClusterTest, OperationsD2AnswersIfAllPrimariesDo) {
  loop_.run_until_done(store_->ping());
  at(1).stop();
  for (int i = 0; i < 3; ++i) EXPECT_THROW(loop_.run_until_done(store_->ping()), base::Unavailable);
}

TEST_F(ClusterTest, AnUnavailableNodeFailsOnlyItsOwnKeys) {
  ASSERT_EQ(text({"SET", key_of(0), "0"}), "OK");
  ASSERT_EQ(text({"SET", key_of(2), "2"}), "OK");
  at(2).stop();
  EXPECT_NE(text({"GET", key_of(2)}, true), "2");
  EXPECT_EQ(text({"GET", key_of(0)}, true), "0");
  const std::string part = text({"MGET", key_of(0), key_of(2)}, true);
  EXPECT_TRUE(part.starts_with("unavailable: ") || part.starts_with("error reply: ")) << part;
  // The failure lets the store ask for the map of the cluster.
  turn_until([&] { return store_->pending() == 0; });
}

TEST_F(ClusterTest, ReceivesTheInvalidationsOfEveryNode) {
  RecordedInvalidations heard;
  redis::StoreTracking tracking(*store_, settings("cluster+tls://127.0.0.1:" + port(1)),
                                {"catalog:media:"}, heard, loop_);
  EXPECT_FALSE(tracking.is_up());
  tracking.start();
  turn_until([&] { return tracking.is_up(); });
  for (std::size_t node = 0; node < kNodes; ++node) {
    at(node).command({"SET", key_of(node), "1"});
    turn_until([&] { return heard.has(key_of(node)); });
  }
  at(1).stop();
  turn_until([&] { return !tracking.is_up(); });
}

// The target of a slot's migration does not own a slot in the map yet.
TEST_F(ClusterTest, ReceivesTheInvalidationsOfANodeThatTakesASlotOver) {
  RecordedInvalidations heard;
  redis::StoreTracking tracking(*store_, settings("cluster+tls://127.0.0.1:" + port(1)),
                                {"catalog:media:"}, heard, loop_);
  tracking.start();
  turn_until([&] { return tracking.is_up(); });
  const std::size_t added = add_node();
  const std::string key = key_of(0);
  const std::string slot = std::to_string(redis::slot_of(key));
  ASSERT_EQ(text({"SET", key, "1"}), "OK");
  at(added).command({"CLUSTER", "SETSLOT", slot, "IMPORTING", id(0)});
  at(0).command({"CLUSTER", "SETSLOT", slot, "MIGRATING", id(added)});
  at(0).command({"MIGRATE", "127.0.0.1", port(added), key, "0", "5000"});
  EXPECT_EQ(text({"GET", key}, true), "1");  // ASK
  turn_until([&] { return tracking.is_up(); });
  heard.keys.clear();
  EXPECT_EQ(text({"SET", key, "2"}), "OK");
  EXPECT_EQ(at(added).command({"CLUSTER", "COUNTKEYSINSLOT", slot}).integer(), 1);
  turn_until([&] { return heard.has(key); });
}

// A worker that has everything in memory sends no command that a node could redirect.
TEST_F(ClusterTest, NoticesANewPrimaryWithoutACommand) {
  RecordedInvalidations heard;
  redis::StoreTracking tracking(*store_, settings("cluster+tls://127.0.0.1:" + port(1)),
                                {"catalog:media:"}, heard, loop_);
  tracking.start();
  turn_until([&] { return tracking.is_up(); });
  const std::size_t added = add_node();
  const std::string key = key_of(0);
  const std::string slot = std::to_string(redis::slot_of(key));
  for (const ServerOnPort& node : nodes_)
    node.server->command({"CLUSTER", "SETSLOT", slot, "NODE", id(added)});
  turn_until([&] {
    at(added).command({"SET", key, "1"});
    return heard.has(key);
  });
}

TEST_F(ClusterTest, CommandsWithoutAKeyAvoidAnUnavailableNode) {
  loop_.run_until_done(store_->primaries());
  for (int i = 0; i < 6; ++i) ASSERT_EQ(text({"PING"}, true), "PONG");
  at(0).stop();
  std::size_t failed = 0;
  // Longer than a breaker is open.
  const auto until = std::chrono::steady_clock::now() + 1500ms;
  while (std::chrono::steady_clock::now() < until) {
    if (text({"PING"}, true) != "PONG") ++failed;
    loop_.turn(5ms);
  }
  EXPECT_LE(failed, 1u);
}

TEST_F(ClusterTest, OperationsD2FindsTheOthersAfterItsSeedHasGone) {
  ASSERT_EQ(text({"SET", key_of(1), "1"}), "OK");
  loop_.run_until_done(store_->primaries());
  at(0).stop();
  EXPECT_EQ(text({"GET", key_of(1)}, true), "1");
}

// A new process whose first seed is unavailable.
TEST_F(ClusterTest, OperationsD2BeginsWithASeedThatReplies) {
  ASSERT_EQ(text({"SET", key_of(1), "1"}), "OK");
  at(0).stop();
  for (const std::string& rest : {"127.0.0.1:" + port(1), "127.0.0.1:" + port(2)}) {
    Store begun(settings("cluster+tls://127.0.0.1:" + port(0) + "," + rest), loop_);
    EXPECT_EQ(Topology::text(begun, {"GET", key_of(1)}, true), "1");
    EXPECT_EQ(Topology::text(begun, {"SET", key_of(2), "2"}), "OK");
  }
}

class SentinelTest : public Topology {
 protected:
  // As an operator does. A Sentinel refuses if the replica has been silent for some seconds, as on
  // a busy machine.
  void fail_over() {
    fakes::wait_until([this] {
      try {
        sentinels_[0].server->command({"SENTINEL", "FAILOVER", "svc"});
        return true;
      } catch (const std::exception& refused) {
        if (!std::string_view(refused.what()).starts_with("NOGOODSLAVE")) throw;
        return false;
      }
    });
  }

  void SetUp() override {
    primary_ = start();
    replica_ = start();
    command_of_replica({"REPLICAOF", "127.0.0.1", std::to_string(primary_.port)});
    std::string url;
    for (int i = 0; i < 3; ++i) {
      const std::string file = directory_.write(
          "sentinel-" + std::to_string(i) + ".conf",
          "tls-replication yes\nsentinel monitor svc 127.0.0.1 " + std::to_string(primary_.port) +
              " 2\nsentinel down-after-milliseconds svc 500\nsentinel failover-timeout svc 2000\n");
      sentinels_.push_back(started({file, "--sentinel"}, {}));
      url += (url.empty() ? "" : ",") + ("127.0.0.1:" + std::to_string(sentinels_.back().port));
    }
    url_ = "sentinel+tls://" + url + "/svc";
    fakes::wait_until([this] {
      return replica_.server->text({"INFO", "replication"}).find("master_link_status:up") !=
             std::string::npos;
    });
    for (const ServerOnPort& sentinel : sentinels_) {
      fakes::wait_until([&] {
        const std::string info = sentinel.server->text({"INFO", "sentinel"});
        return info.find("slaves=1,sentinels=3") != std::string::npos;
      });
    }
  }

  static ServerOnPort start() {
    return started({}, {"--tls-replication", "yes", "--repl-diskless-sync-delay", "0"});
  }
  void command_of_replica(std::initializer_list<std::string_view> words) {
    replica_.server->command(words);
  }
  // Sets a key until that works.
  void write_until_done(Store& store, const std::string& key) {
    turn_until([&] {
      loop_.turn(5ms);
      return text(store, {"SET", key, "1"}) == "OK";
    });
  }

  // Waits until the store's subscription at every Sentinel has this last command.
  void turn_until_subscribed(const std::string& command) {
    turn_until([&] {
      return std::ranges::all_of(sentinels_, [&](const ServerOnPort& sentinel) {
        const std::string clients = sentinel.server->text({"CLIENT", "LIST", "TYPE", "PUBSUB"});
        const std::size_t ours = clients.find("name=svc-test");
        return ours != std::string::npos &&
               clients.find("cmd=" + command, ours) < clients.find('\n', ours);
      });
    });
  }

  const fakes::TemporaryDirectory directory_;
  ServerOnPort primary_;
  ServerOnPort replica_;
  std::vector<ServerOnPort> sentinels_;
  std::string url_;
};

TEST_F(SentinelTest, OperationsD2OperationsD7FollowsThePrimaryThroughAFailover) {
  redis::ConnectionSettings impatient = settings(url_);
  impatient.timeout = 2s;
  Store store(impatient, loop_);
  RecordedInvalidations heard;
  redis::StoreTracking tracking(store, impatient, {"catalog:media:"}, heard, loop_);
  tracking.start();
  ASSERT_EQ(text(store, {"SET", "before", "1"}), "OK");
  EXPECT_EQ(primary_.server->text({"GET", "before"}), "1");
  turn_until([&] { return tracking.is_up(); });
  fakes::wait_until([&] { return replica_.server->text({"GET", "before"}) == "1"; });

  primary_.server->stop();
  EXPECT_TRUE(text(store, {"SET", "during", "1"}).starts_with("unavailable: "));
  write_until_done(store, "after");
  EXPECT_EQ(replica_.server->text({"GET", "after"}), "1");
  EXPECT_EQ(text(store, {"GET", "before"}, true), "1");
  turn_until([&] { return tracking.is_up(); });
  command_of_replica({"SET", "catalog:media:1", "1"});
  turn_until([&] { return heard.has("catalog:media:1"); });
}

// The demoted primary is alive: only its ROLE and the Sentinels tell.
TEST_F(SentinelTest, OperationsD2LeavesAPrimaryThatAnOperatorDemotes) {
  Store store(settings(url_), loop_);
  ASSERT_EQ(text(store, {"SET", "before", "1"}), "OK");
  fakes::wait_until([&] { return replica_.server->text({"GET", "before"}) == "1"; });
  fail_over();
  fakes::wait_until([&] {
    try {
      return replica_.server->text({"INFO", "replication"}).find("role:master") !=
             std::string::npos;
    } catch (const base::Unavailable&) {
      return false;  // Sentinels close the connections of a server that they promote
    }
  });
  // Writes that the old primary still accepts are lost: an operator's failover does not wait.
  turn_until([&] {
    write_until_done(store, "after");
    return replica_.server->text({"GET", "after"}) == "1";
  });
}

// Every connection to a Sentinel ends. The demoted primary still listens.
TEST_F(SentinelTest, OperationsD2SubscribesAgainWhenASentinelRestarts) {
  Store store(settings(url_), loop_);
  int moves = 0;
  store.on_move([&] { ++moves; });
  ASSERT_EQ(text(store, {"SET", "before", "1"}), "OK");
  turn_until_subscribed("ping");  // after their answers
  for (const ServerOnPort& sentinel : sentinels_) sentinel.server->restart();
  turn_until_subscribed("ping");
  fakes::wait_until([this] {
    return sentinels_[0].server->text({"INFO", "sentinel"}).find("slaves=1,sentinels=3") !=
           std::string::npos;
  });
  EXPECT_EQ(moves, 0);
  fail_over();
  turn_until([&] { return moves > 0; });
  EXPECT_EQ(moves, 1);
}

// A Sentinel is unavailable during the failover. When it replies again, it first names the old
// primary.
TEST_F(SentinelTest, OperationsD2ASentinelThatMissedAFailoverDoesNotMoveItBack) {
  Store store(settings(url_), loop_);
  int moves = 0;
  store.on_move([&] { ++moves; });
  ASSERT_EQ(text(store, {"SET", "before", "1"}), "OK");
  turn_until_subscribed("ping");
  sentinels_[2].server->pause();
  fail_over();
  turn_until([&] { return moves > 0; });
  sentinels_[2].server->resume();
  for (int i = 0; i < 500; ++i) loop_.turn(5ms);
  EXPECT_EQ(moves, 1);
}

// A Sentinel alone names the replica, or the primary of others. Two name ours.
TEST_F(SentinelTest, OperationsD2DoesNotBelieveOneSentinelAlone) {
  const ServerOnPort stranger = start();
  for (const ServerOnPort* named : {&std::as_const(replica_), &stranger}) {
    const std::string port = std::to_string(named->port);
    const std::string file =
        directory_.write("liar-" + port + ".conf",
                         "tls-replication yes\nsentinel monitor svc 127.0.0.1 " + port + " 2\n");
    const ServerOnPort liar = started({file, "--sentinel"}, {});
    const std::string before = "sentinel+tls://127.0.0.1:" + std::to_string(liar.port) + ",";
    Store store(settings(before + url_.substr(url_.find("//") + 2)), loop_);
    EXPECT_EQ(text(store, {"SET", port, "1"}), "OK");
    EXPECT_EQ(primary_.server->text({"GET", port}), "1");
  }
}

TEST_F(SentinelTest, OperationsD2ReportsWhetherAllSentinelsAreUnavailableOrLackTheName) {
  redis::ConnectionSettings other = settings(url_.substr(0, url_.rfind('/')) + "/other");
  other.timeout = 2s;
  Store stranger(other, loop_);
  EXPECT_NE(text(stranger, {"PING"}, true).find("no Sentinel knows a primary named other"),
            std::string::npos);
  for (const ServerOnPort& sentinel : sentinels_) sentinel.server->stop();
  Store alone(settings(url_), loop_);
  EXPECT_NE(text(alone, {"PING"}, true).find("no Sentinel answered"), std::string::npos);
}

}  // namespace
}  // namespace svc
