// A Cluster, and a primary that Sentinels watch, over TLS: the servers name each other's TLS ports.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/tls.h"
#include "base/unavailable.h"
#include "fakes/temporary_directory.h"
#include "fakes/waiting.h"
#include "integration/recorded_invalidations.h"
#include "integration/tcp.h"
#include "integration/tls.h"
#include "loop/loop.h"
#include "redis/store.h"
#include "redis/store_tracking.h"

namespace svc {
namespace {

using namespace std::chrono_literals;

constexpr auto kTlsPatience = 300s;  // a guard against a hang

class TopologiesOverTls : public testing::Test {
 protected:
  TopologiesOverTls() {
    certificates_.issue("server", "IP:127.0.0.1");
    auto loaded = base::TlsClient::load(certificates_.files(), "redis-tls");
    if (loaded) tls_.emplace(std::move(*loaded));
  }

  redis::ConnectionSettings settings(const std::string& url) const {
    redis::ConnectionSettings settings;
    settings.address = *redis::Address::parse(url);
    settings.name = "svc-test";
    settings.timeout = kTlsPatience;
    settings.tls = &*tls_;
    return settings;
  }
  std::string text(redis::Store& store, std::vector<std::string> words) {
    const auto run = [](redis::Store& to,
                        std::vector<std::string> sent) -> loop::Task<std::string> {
      const std::vector<std::string_view> views(sent.begin(), sent.end());
      redis::Store::Call call = to.command(views);
      const redis::Reply reply = co_await call;
      const auto found = reply.text();
      co_return found ? std::string(*found) : std::to_string(reply.integer());
    };
    return loop_.run_until_done(run(store, std::move(words)));
  }
  void turn_until(const std::function<bool()>& condition) {
    const auto give_up = std::chrono::steady_clock::now() + kTlsPatience;
    while (!condition() && std::chrono::steady_clock::now() < give_up) loop_.turn(10ms);
    ASSERT_TRUE(condition());
  }

  const integration::Certificates certificates_;
  std::optional<base::TlsClient> tls_;
  const base::SteadyClock clock_;
  loop::Loop loop_{clock_};
};

TEST_F(TopologiesOverTls, OperationsD2OperationsD7ACluster) {
  constexpr int kNodes = 3;
  constexpr int kSlots = 16'384;
  std::vector<std::unique_ptr<integration::TlsServer>> nodes;
  const auto port = [&](int node) { return std::to_string(nodes[node]->port()); };
  for (int i = 0; i < kNodes; ++i) {
    nodes.push_back(std::make_unique<integration::TlsServer>(
        certificates_, "server",
        std::vector<std::string>{"--cluster-enabled", "yes", "--tls-cluster", "yes"}));
    nodes[i]->plain().command({"CLUSTER", "ADDSLOTSRANGE", std::to_string(i * kSlots / kNodes),
                               std::to_string((i + 1) * kSlots / kNodes - 1)});
  }
  for (int i = 1; i < kNodes; ++i) {
    nodes[i]->plain().command({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
  }
  for (const auto& node : nodes) {
    const auto is_ok = [&] {
      // Repeated, because a node forgets an introduction that is not answered within its timeout.
      for (int i = 1; i < kNodes; ++i)
        nodes[i]->plain().command({"CLUSTER", "MEET", "127.0.0.1", port(0)});
      return node->plain().text({"CLUSTER", "INFO"}).find("cluster_state:ok") != std::string::npos;
    };
    fakes::wait_until(is_ok, 200ms);
  }
  redis::Store store(settings("cluster+tls://127.0.0.1:" + port(0)), loop_);
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(text(store, {"SET", "key-" + std::to_string(i), "1"}), "OK");
  EXPECT_EQ(text(store, {"DEL", "key-0", "key-1", "key-2", "key-3"}), "4");
  for (const auto& node : nodes) EXPECT_GT(node->plain().command({"DBSIZE"}).integer(), 0);

  integration::RecordedInvalidations heard;
  redis::StoreTracking tracking(store, settings("cluster+tls://127.0.0.1:" + port(1)), {"key-"},
                                heard, loop_);
  tracking.start();
  turn_until([&] { return tracking.is_up(); });
  for (int i = 0; i < 30; ++i) text(store, {"SET", "key-" + std::to_string(i), "2"});
  turn_until([&] { return heard.keys.size() >= 30; });
}

TEST_F(TopologiesOverTls, OperationsD2OperationsD7APrimaryThatSentinelsWatch) {
  const integration::TlsServer primary(certificates_, "server");
  const fakes::TemporaryDirectory directory;
  std::vector<integration::ServerOnPort> sentinels;
  std::string url;
  for (int i = 0; i < 2; ++i) {
    const std::string file =
        directory.write("sentinel-" + std::to_string(i) + ".conf",
                        "tls-replication yes\nsentinel monitor svc 127.0.0.1 " +
                            std::to_string(primary.port()) + " 2\n");
    sentinels.push_back(integration::start_on_port([&](const std::string& port) {
      return std::vector<std::string>{file,
                                      "--sentinel",
                                      "--tls-port",
                                      port,
                                      "--tls-cert-file",
                                      certificates_.path("server.pem"),
                                      "--tls-key-file",
                                      certificates_.path("server.key"),
                                      "--tls-ca-cert-file",
                                      certificates_.path("ca.pem"),
                                      "--tls-auth-clients",
                                      "no"};
    }));
    url += (url.empty() ? "" : ",") + ("127.0.0.1:" + std::to_string(sentinels.back().port));
  }
  redis::Store store(settings("sentinel+tls://" + url + "/svc"), loop_);
  EXPECT_EQ(text(store, {"SET", "key", "1"}), "OK");

  // Nothing is sent to a server whose certificate does not name it.
  certificates_.issue("stranger", "IP:127.0.0.2");
  integration::TlsServer stranger(certificates_, "stranger");
  redis::ConnectionSettings impatient =
      settings("sentinel+tls://127.0.0.1:" + std::to_string(stranger.port()) + "/svc");
  impatient.timeout = 2s;
  redis::Store refused(impatient, loop_);
  EXPECT_THROW(text(refused, {"SET", "key", "1"}), base::Unavailable);
}

}  // namespace
}  // namespace svc
