// Store over TCP: `redis://host:port/db` instead of a unix socket.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "integration/asking.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "integration/tcp.h"
#include "redis/address.h"
#include "redis/store.h"

namespace svc {
namespace {

using namespace std::chrono_literals;

using integration::bound;
using integration::Bound;
using integration::has;
using integration::replied;
using integration::text;

// The message of the outage; "" if the store replies.
std::string outage_of(integration::Store& store) {
  try {
    text(store, {"PING"});
    return "";
  } catch (const base::Unavailable& outage) {
    return outage.what();
  }
}

class ChannelOverTcp : public testing::Test {
 protected:
  void SetUp() override {
    auto started = integration::start_on_port([](const std::string& port) {
      return std::vector<std::string>{"--port", port};
    });
    server_ = std::move(started.server);
    port_ = started.port;
  }

  redis::ConnectionSettings at(std::uint16_t port) const {
    redis::ConnectionSettings settings = server_->settings();
    settings.address = *redis::Address::parse("redis://127.0.0.1:" + std::to_string(port));
    return settings;
  }

  std::uint16_t port_ = 0;
  std::unique_ptr<integration::RedisServer> server_;
};

TEST_F(ChannelOverTcp, OperationsD2ReturnsTheRepliesOfRedis) {
  integration::Store store(at(port_));
  const std::string large(3 << 20, 'x');
  const std::string bytes("a\0b\xff", 4);
  EXPECT_EQ(text(store, {"SET", "k", bytes}), "OK");
  EXPECT_EQ(text(store, {"SET", "large", large}), "OK");
  EXPECT_EQ(text(store, {"GET", "k"}), bytes);
  EXPECT_EQ(text(store, {"GET", "large"}), large);
  const std::string info = text(store, {"CLIENT", "INFO"});
  EXPECT_TRUE(has(info, " laddr=127.0.0.1:" + std::to_string(port_) + " ")) << info;
}

// The accept queue is full, so the connection is not even established.
TEST_F(ChannelOverTcp, OperationsD1IsUnavailableIfTheConnectionIsNotEstablished) {
  const Bound full = bound();
  ASSERT_EQ(listen(full.fd.get(), 0), 0);
  std::vector<base::UniqueFd> waiting;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(full.port);
  for (int i = 0; i < 8; ++i) {
    waiting.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int started =
        connect(waiting.back().get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ASSERT_TRUE(started == 0 || errno == EINPROGRESS);
  }
  redis::ConnectionSettings settings = at(full.port);
  settings.timeout = 300ms;
  integration::Store store(settings);
  EXPECT_TRUE(has(outage_of(store), "no connection within 300 ms"));
}

}  // namespace
}  // namespace svc
