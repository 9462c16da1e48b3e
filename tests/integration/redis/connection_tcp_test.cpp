// The same connection over TCP: `redis://host:port/db` in place of a unix socket.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"
#include "redis/address.h"
#include "redis/connection.h"

namespace svc {
namespace {

using namespace std::chrono_literals;

struct Bound {
  base::UniqueFd fd;
  std::uint16_t port = 0;
};

// Bound to a port of 127.0.0.1 that was free; nobody listens there yet.
Bound bound() {
  Bound one{base::UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), 0};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(one.fd.get(), generic, size) == 0 && getsockname(one.fd.get(), generic, &size) == 0) {
    one.port = ntohs(address.sin_port);
  }
  return one;
}

class ConnectionOverTcp : public testing::Test {
 protected:
  void SetUp() override {
    // Somebody else may take the port before the server does.
    for (int attempt = 0; !server_; ++attempt) {
      port_ = bound().port;
      try {
        server_ = std::make_unique<integration::RedisServer>(
            std::vector<std::string>{"--port", std::to_string(port_), "--bind", "127.0.0.1"});
      } catch (const std::runtime_error&) {
        if (attempt == 9) throw;
      }
    }
  }

  // As the configuration has it.
  redis::ConnectionSettings at(std::uint16_t port, std::string_view rest = "") const {
    redis::ConnectionSettings settings = server_->settings();
    settings.address =
        *redis::Address::parse("redis://127.0.0.1:" + std::to_string(port) + std::string(rest));
    settings.timeout = 1s;
    return settings;
  }

  static std::string outage_of(redis::Connection& connection) {
    try {
      connection.read({"PING"});
      return "";
    } catch (const base::Unavailable& outage) {
      return outage.what();
    }
  }
  static std::string text(const redis::ReplyView& reply) {
    return std::string(reply.text().value_or("(nil)"));
  }
  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

  std::uint16_t port_ = 0;
  std::unique_ptr<integration::RedisServer> server_;
  fakes::ManualClock clock_;
};

TEST_F(ConnectionOverTcp, D2AnswersWithWhatRedisSays) {
  redis::Connection connection(at(port_), clock_);
  const std::string large(3 << 20, 'x');
  EXPECT_EQ(text(connection.command({"SET", "k", std::string_view("a\0b\xff", 4)})), "OK");
  EXPECT_EQ(text(connection.command({"SET", "large", large})), "OK");
  EXPECT_EQ(connection.read({"GET", "k"}).text(), std::string_view("a\0b\xff", 4));
  EXPECT_EQ(text(connection.read({"GET", "large"})), large);
  const std::string info = text(connection.read({"CLIENT", "INFO"}));
  EXPECT_TRUE(has(info, " laddr=127.0.0.1:" + std::to_string(port_) + " ")) << info;
}

TEST_F(ConnectionOverTcp, D1SetsNameDatabaseAndPasswordAgainOnEveryReconnect) {
  redis::ConnectionSettings settings = at(port_, "/3");
  settings.password = "hunter2";
  for (const char* when : {"at first", "after a restart", "after another"}) {
    SCOPED_TRACE(when);
    server_->command({"CONFIG", "SET", "requirepass", "hunter2"});
    redis::Connection fresh(settings, clock_);
    const std::string info = text(fresh.read({"CLIENT", "INFO"}));
    EXPECT_TRUE(has(info, " name=svc-test ")) << info;
    EXPECT_TRUE(has(info, " db=3 ")) << info;
    redis::Connection without(at(port_), clock_);
    EXPECT_TRUE(has(outage_of(without), "NOAUTH"));
    server_->restart();
  }
}

TEST_F(ConnectionOverTcp, D1ReadsOnceMoreAfterTheServerWasRestarted) {
  redis::Connection connection(at(port_, "/2"), clock_);
  ASSERT_EQ(outage_of(connection), "");
  for (int i = 0; i < 3; ++i) {
    server_->restart();
    EXPECT_EQ(outage_of(connection), "");
    EXPECT_TRUE(has(text(connection.read({"CLIENT", "INFO"})), " db=2 "));
  }
}

TEST_F(ConnectionOverTcp, D1IsUnavailableWhenNoAnswerComesInTimeAndNeverTakesALateOne) {
  server_->command({"SET", "a", "of a"});
  server_->command({"SET", "b", "of b"});
  redis::Connection connection(at(port_), clock_);
  ASSERT_EQ(outage_of(connection), "");
  server_->pause();
  EXPECT_TRUE(has(outage_of(connection), "no answer within 1000 ms"));
  server_->resume();
  clock_.advance(1s);
  EXPECT_EQ(text(connection.read({"GET", "b"})), "of b");
}

TEST_F(ConnectionOverTcp, D3IsUnavailableAtOnceWhereNobodyListensAndBackWhenSomebodyDoes) {
  redis::Connection connection(at(port_), clock_);
  ASSERT_EQ(outage_of(connection), "");
  server_->stop();
  const std::string outage = outage_of(connection);
  EXPECT_TRUE(has(outage, "redis://127.0.0.1:" + std::to_string(port_))) << outage;
  EXPECT_TRUE(has(outage_of(connection), "not asked again yet"));
  server_->start();
  clock_.advance(1s);
  EXPECT_EQ(outage_of(connection), "");
}

// A port that takes connections and answers nothing, as a firewall's or a stranger's may.
TEST_F(ConnectionOverTcp, D1IsUnavailableWhereAConnectionIsTakenAndNothingSaid) {
  const Bound silent = bound();
  ASSERT_EQ(listen(silent.fd.get(), 8), 0);
  redis::Connection connection(at(silent.port), clock_);
  EXPECT_TRUE(has(outage_of(connection), "no answer within 1000 ms"));
  EXPECT_TRUE(has(outage_of(connection), "not asked again yet"));
}

// No room in the queue either: not even the connection comes about.
TEST_F(ConnectionOverTcp, D1IsUnavailableWhereNoConnectionComesAbout) {
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
  redis::Connection connection(at(full.port), clock_);
  EXPECT_NE(outage_of(connection), "");
  EXPECT_TRUE(has(outage_of(connection), "not asked again yet"));
}

}  // namespace
}  // namespace svc
