// Durability::Replicated: a primary, and a replica that is paused.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <latch>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "integration/store.h"
#include "integration/tcp.h"
#include "loop/all.h"
#include "loop/loop.h"
#include "redis/address.h"
#include "redis/store.h"
#include "stores/replace.lua.h"

namespace svc {
namespace {

using integration::ServerOnPort;
using redis::Durability;

loop::Task<redis::Reply> set_in(redis::Store& store, const std::string& key) {
  return store.call(stores::functions::ReplaceRecord{.record = key, .before = "", .after = "1"},
                    Durability::Replicated);
}

class Replication : public testing::Test {
 protected:
  void SetUp() override {
    replica_.server->command({"REPLICAOF", "127.0.0.1", std::to_string(primary_.port)});
    wait_until_in_sync();
  }
  void TearDown() override { replica_.server->resume(); }

  static ServerOnPort start() {
    return integration::start_on_port([](const std::string& port) {
      return std::vector<std::string>{
          "--port", port, "--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0"};
    });
  }
  void wait_until_in_sync() {
    while (replica_.server->text({"INFO", "replication"}).find("master_link_status:up") ==
           std::string::npos) {
    }
  }
  redis::ConnectionSettings waiting(std::chrono::milliseconds timeout) const {
    redis::ConnectionSettings settings = primary_.server->settings();
    settings.wait_replicas = 1;
    settings.timeout = timeout;
    return settings;
  }
  // Ends the primary once it has the key and has sent the reply of the command that set it. In one
  // turn it may send the reply of a later read first, so a second read follows in another turn.
  loop::Task<> stop_when_executed(redis::Store& store) {
    for (int seen = 0; seen < 2;) {
      redis::Store::Call call = store.get("meanwhile");
      const redis::Reply reply = co_await call;
      if (reply.text()) ++seen;
    }
    primary_.server->stop();
  }
  static std::string set(integration::Store& store, const std::string& key) {
    return store.run(set_in(store.redis(), key)).integer() == 1 ? "OK" : "(nil)";
  }
  std::int64_t waits() {
    const std::string stats = primary_.server->text({"INFO", "commandstats"});
    constexpr std::string_view kName = "cmdstat_wait:calls=";
    const auto at = stats.find(kName);
    return at == std::string::npos ? 0 : std::stoll(stats.substr(at + kName.size()));
  }

  ServerOnPort primary_ = start();
  ServerOnPort replica_ = start();
};

constexpr std::chrono::minutes kPatience{10};  // a guard against a hang

TEST_F(Replication, AReplicaHasTheChangeWhenItsReplyIsPassedOn) {
  integration::Store store(waiting(kPatience));
  for (int i = 0; i < 50; ++i) {
    const std::string key = "key:" + std::to_string(i);
    ASSERT_EQ(set(store, key), "OK");
    ASSERT_EQ(replica_.server->text({"GET", key}), "1") << "asked at once";
  }
}

TEST_F(Replication, ChangesOfATurnShareOneWait) {
  integration::Store store(waiting(kPatience));
  ASSERT_EQ(set(store, "first"), "OK");  // connects
  const std::int64_t before = waits();
  std::vector<loop::Task<redis::Reply>> changes;
  for (int i = 0; i < 100; ++i) {
    changes.push_back(set_in(store.redis(), "key:" + std::to_string(i)));
  }
  auto all = loop::all(std::move(changes));
  EXPECT_EQ(store.run(std::move(all)).size(), 100u);
  EXPECT_EQ(waits() - before, 1);
}

TEST_F(Replication, AChangeThatNoReplicaHasIsRefusedUntilAReplicaIsBack) {
  integration::Store store(waiting(std::chrono::seconds(5)));
  ASSERT_EQ(set(store, "before"), "OK");
  replica_.server->pause();
  EXPECT_THROW(set(store, "meanwhile"), redis::NotReplicated);
  EXPECT_EQ(primary_.server->text({"GET", "meanwhile"}), "1") << "the primary has executed it";
  const auto read = [](redis::Store& other) -> loop::Task<std::string> {
    redis::Store::Call call = other.get("before");
    const redis::Reply reply = co_await call;
    co_return std::string(reply.text().value_or("(nil)"));
  };
  EXPECT_EQ(store.run(read(store.redis())), "1") << "reads do not wait";
  replica_.server->resume();
  integration::Store patient(waiting(kPatience));
  EXPECT_EQ(set(patient, "after"), "OK");
  EXPECT_EQ(replica_.server->text({"GET", "meanwhile"}), "1");
}

TEST_F(Replication, AChangeIsRefusedIfThePrimaryEndsBeforeAReplicaHasIt) {
  integration::Store store(waiting(kPatience));
  ASSERT_EQ(set(store, "before"), "OK");
  replica_.server->pause();
  const auto end_meanwhile = [this](redis::Store& of) -> loop::Task<std::string> {
    auto change = set_in(of, "meanwhile");
    auto both = loop::all(std::move(change), stop_when_executed(of));
    try {
      co_await both;
    } catch (const redis::NotReplicated&) {
      co_return "not replicated";
    }
    co_return "replicated";
  };
  EXPECT_EQ(store.run(end_meanwhile(store.redis())), "not replicated");
}

// A primary that executes everything, confirms the first command only, and closes the connection.
// Its replies and the end arrive together. After the handshake, it reads nothing until `is_sent`,
// but counts `arrives` down when the first bytes arrive.
void serve_once(const base::UniqueFd& listening, std::latch& arrives, std::latch& is_sent) {
  const base::UniqueFd peer(accept(listening.get(), nullptr, nullptr));
  const auto read_until = [&](std::string_view end) {
    std::string tail;
    std::vector<char> buffer(1 << 20);
    while (tail.find(end) == std::string::npos) {
      const ssize_t count = recv(peer.get(), buffer.data(), buffer.size(), 0);
      if (count <= 0) throw std::runtime_error("the client has gone");
      tail.append(buffer.data(), static_cast<std::size_t>(count));
      if (tail.find(end) == std::string::npos && tail.size() > end.size())
        tail.erase(0, tail.size() - end.size());
    }
  };
  const auto reply = [&](std::string_view text, int more) {
    send(peer.get(), text.data(), text.size(), MSG_NOSIGNAL | more);
  };
  read_until("svc-test\r\n");  // CLIENT SETNAME
  reply("+OK\r\n", 0);
  pollfd readable{peer.get(), POLLIN, 0};
  poll(&readable, 1, -1);
  arrives.count_down();
  is_sent.wait();
  read_until("second\r\n");
  reply("+OK\r\n:1\r\n+OK\r\n", MSG_MORE);
}

TEST(ReplicatedChannel, AChangeThatWasWrittenAfterAWaitIsRefusedIfTheConnectionEnds) {
  const base::SteadyClock clock;
  loop::Loop loop(clock);
  const integration::Bound bound = integration::bound();
  ASSERT_EQ(listen(bound.fd.get(), 1), 0);
  std::latch arrives(1);
  std::latch is_sent(1);
  std::jthread peer([&] { serve_once(bound.fd, arrives, is_sent); });
  redis::ConnectionSettings settings;
  settings.address = *redis::Address::parse("redis://127.0.0.1:" + std::to_string(bound.port));
  settings.name = "svc-test";
  settings.timeout = kPatience;
  settings.wait_replicas = 1;
  {
    redis::Store store(settings, loop);
    const std::string large(64 << 20, 'x');
    const std::vector<std::string_view> words{"SET", "key", large};
    redis::Store::Call first = store.repeatable(words, Durability::Replicated);
    // Connects, and fills the socket: the WAIT follows the bytes of the first command.
    while (!arrives.try_wait()) loop.turn(std::chrono::milliseconds(50));
    const std::vector<std::string_view> more{"SET", "key", "second"};
    redis::Store::Call second = store.repeatable(more, Durability::Replicated);
    is_sent.count_down();
    const auto give_up = std::chrono::steady_clock::now() + kPatience;
    while (!second.is_done() && std::chrono::steady_clock::now() < give_up)
      loop.turn(std::chrono::milliseconds(10));
    ASSERT_TRUE(first.is_done() && second.is_done());
    EXPECT_EQ(first.take().text(), "OK");
    EXPECT_THROW(second.take(), redis::NotReplicated);
  }
}

}  // namespace
}  // namespace svc
