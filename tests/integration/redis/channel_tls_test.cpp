// Store over TLS: `rediss://host:port/db`.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/tls.h"
#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "integration/asking.h"
#include "integration/store.h"
#include "integration/tls.h"
#include "redis/store.h"
#include "stores/replace.lua.h"

namespace svc {
namespace {

using namespace std::chrono_literals;

using integration::has;
using integration::replied;
using integration::text;

loop::Task<> keep(loop::Task<redis::Reply> task, std::string& out) {
  try {
    const redis::Reply reply = co_await task;
    out = std::string(reply.text().value_or("(nil)"));
  } catch (const base::Unavailable& outage) {
    out = outage.what();
  }
}

loop::Task<std::int64_t> changed(redis::Store& channel, std::string before) {
  stores::functions::ReplaceRecord run{.record = "k", .before = before, .after = "of the function"};
  const redis::Reply reply = co_await channel.call(std::move(run));
  co_return reply.integer();
}

// The message of the outage; "" if the store replies.
std::string outage_of(const redis::ConnectionSettings& settings) {
  integration::Store store(settings);
  try {
    text(store, {"PING"});
    return "";
  } catch (const base::Unavailable& outage) {
    return outage.what();
  }
}

class ChannelOverTls : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    certificates_.emplace();
    certificates_->issue("server", "IP:127.0.0.1,DNS:localhost");
    certificates_->issue("elsewhere", "DNS:redis.example,IP:192.0.2.1");
    certificates_->issue("expired", "IP:127.0.0.1", integration::Certificates::Validity::Expired);
    certificates_->issue("client", "DNS:client.example");
    certificates_->issue_self_signed("stranger", "IP:127.0.0.1");
  }
  static void TearDownTestSuite() { certificates_.reset(); }

  static base::TlsClient client(const base::TlsFiles& files) {
    auto loaded = base::TlsClient::load(files, "redis-tls");
    if (!loaded) throw std::runtime_error(loaded.error());
    return std::move(*loaded);
  }
  redis::ConnectionSettings at(const integration::TlsServer& server,
                               const std::string& host = "127.0.0.1") const {
    return integration::tls_settings(server.port(), tls_, host);
  }
  redis::ConnectionSettings impatient(std::uint16_t port) const {
    redis::ConnectionSettings settings = integration::tls_settings(port, tls_);
    settings.timeout = 300ms;
    return settings;
  }

  static std::optional<integration::Certificates> certificates_;
  const base::TlsClient tls_ = client(certificates_->files());
};

std::optional<integration::Certificates> ChannelOverTls::certificates_;

TEST_F(ChannelOverTls, OperationsD2ReturnsTheRepliesOfRedis) {
  for (const char* protocol : {"TLSv1.2", "TLSv1.3"}) {
    SCOPED_TRACE(protocol);
    integration::TlsServer server(*certificates_, "server", {"--tls-protocols", protocol});
    for (const char* host : {"127.0.0.1", "localhost"}) {
      SCOPED_TRACE(host);
      integration::Store store(at(server, host));
      const std::string large(8 << 20, 'x');  // more than the buffers of the sockets take
      const std::string bytes("a\0b\xff", 4);
      EXPECT_EQ(text(store, {"SET", "k", bytes}), "OK");
      EXPECT_EQ(text(store, {"SET", "large", large}), "OK");
      EXPECT_EQ(text(store, {"GET", "k"}), bytes);
      EXPECT_EQ(text(store, {"GET", "large"}), large);
      EXPECT_EQ(store.run(changed(store.redis(), bytes)), 1);
      EXPECT_EQ(text(store, {"GET", "k"}), "of the function");
      const std::string info = text(store, {"CLIENT", "INFO"});
      EXPECT_TRUE(has(info, " laddr=127.0.0.1:" + std::to_string(server.port()) + " ")) << info;
    }
  }
}

TEST_F(ChannelOverTls, OperationsD7RefusesAServerThatItCannotVerify) {
  struct Case {
    std::string name, certificate, host, reason;
  };
  for (const Case& c : {
           Case{"another address", "elsewhere", "127.0.0.1",
                "IP address mismatch; the certificate must name 127.0.0.1"},
           Case{"another name", "elsewhere", "localhost",
                "hostname mismatch; the certificate must name localhost"},
           Case{"an unknown CA", "stranger", "127.0.0.1", "; redis-tls-ca-file names the CA"},
           Case{"expired", "expired", "127.0.0.1", "certificate has expired"},
       }) {
    SCOPED_TRACE(c.name);
    integration::TlsServer server(*certificates_, c.certificate);
    redis::ConnectionSettings settings = at(server, c.host);
    settings.address.database = 3;
    const std::string outage = outage_of(settings);
    EXPECT_TRUE(has(outage, "rediss://" + c.host + ":")) << outage;
    EXPECT_TRUE(has(outage, "TLS: certificate verify failed: ")) << outage;
    EXPECT_TRUE(has(outage, c.reason)) << outage;
    // Refused before SELECT, so before AUTH too, which contains the password.
    EXPECT_FALSE(has(server.plain().text({"INFO", "commandstats"}), "cmdstat_select"));
  }
}

TEST_F(ChannelOverTls, OperationsD7UsesTheCasOfTheSystemByDefault) {
  integration::TlsServer server(*certificates_, "server");
  const base::TlsClient of_system = client({});
  const std::string outage = outage_of(integration::tls_settings(server.port(), of_system));
  EXPECT_TRUE(has(outage, "certificate verify failed: ")) << outage;
}

TEST_F(ChannelOverTls, OperationsD7SendsItsCertificateIfTheServerRequiresOne) {
  const base::TlsClient known = client(certificates_->files("client"));
  const base::TlsClient unknown = client({.ca = certificates_->path("ca.pem"),
                                          .certificate = certificates_->path("stranger.pem"),
                                          .key = certificates_->path("stranger.key")});
  for (const char* protocol : {"TLSv1.2", "TLSv1.3"}) {
    SCOPED_TRACE(protocol);
    integration::TlsServer server(*certificates_, "server",
                                  {"--tls-auth-clients", "yes", "--tls-protocols", protocol});
    EXPECT_EQ(outage_of(integration::tls_settings(server.port(), known)), "");
    const std::string without = outage_of(at(server));
    EXPECT_TRUE(has(without, "redis-tls-cert-file names the client certificate")) << without;
    const std::string other = outage_of(integration::tls_settings(server.port(), unknown));
    EXPECT_TRUE(has(other, "alert unknown ca")) << other;
  }
}

TEST_F(ChannelOverTls, OperationsD7RefusesOldVersions) {
  integration::TlsServer server(
      *certificates_, "server",
      {"--tls-protocols", "TLSv1.1", "--tls-ciphers", "DEFAULT@SECLEVEL=0"});
  const std::string outage = outage_of(at(server));
  EXPECT_TRUE(has(outage, "protocol version")) << outage;
}

TEST_F(ChannelOverTls, OperationsD7IsNeverPlainWithoutAConfiguration) {
  integration::TlsServer server(*certificates_, "server");
  redis::ConnectionSettings settings = at(server);
  settings.tls = nullptr;
  EXPECT_TRUE(has(outage_of(settings), "TLS is not configured"));
}

TEST_F(ChannelOverTls, OperationsD1IsUnavailableIfTheServerDoesNotUseTls) {
  for (const std::string_view sent : {"-ERR Protocol error\r\n", ""}) {
    SCOPED_TRACE(sent);
    const integration::Bound plain = integration::bound();
    ASSERT_EQ(listen(plain.fd.get(), 8), 0);
    integration::Store store(integration::tls_settings(plain.port, tls_));
    std::string outage;
    store.tasks().spawn(keep(replied(store.redis(), {"PING"}), outage));
    store.loop().turn(10ms);
    base::UniqueFd peer(accept(plain.fd.get(), nullptr, nullptr));
    ASSERT_EQ(send(peer.get(), sent.data(), sent.size(), 0), static_cast<ssize_t>(sent.size()));
    // With unread bytes, close() would reset the connection and drop the sent reply.
    std::array<char, 4096> dropped{};
    while (recv(peer.get(), dropped.data(), dropped.size(), MSG_DONTWAIT) <= 0)
      store.loop().turn(1ms);
    peer.reset();
    while (!store.tasks().is_empty()) store.loop().turn(100ms);
    EXPECT_TRUE(has(outage, sent.empty() ? "the connection was closed in the TLS handshake"
                                         : "the peer does not use TLS on this port"))
        << outage;
  }
}

TEST_F(ChannelOverTls, OperationsD1D3OpensTheBreakerIfTheServerHangsInTheHandshake) {
  const integration::Bound silent = integration::bound();
  ASSERT_EQ(listen(silent.fd.get(), 8), 0);
  redis::ConnectionSettings settings = impatient(silent.port);
  settings.first_delay = settings.longest_delay = 1h;
  integration::Store store(settings);
  std::string first, second;
  store.tasks().spawn(keep(replied(store.redis(), {"PING"}), first));
  while (!store.tasks().is_empty()) store.loop().turn(100ms);
  store.tasks().spawn(keep(replied(store.redis(), {"PING"}), second));
  store.loop().turn(0ms);
  EXPECT_TRUE(has(first, "no TLS handshake within 300 ms")) << first;
  EXPECT_EQ(second, first);
  const base::UniqueFd accepted(accept(silent.fd.get(), nullptr, nullptr));
  EXPECT_TRUE(accepted);
  pollfd waiting{silent.fd.get(), POLLIN, 0};
  EXPECT_EQ(poll(&waiting, 1, 0), 0) << "the breaker is open";
}

// The server closes an idle connection with a close_notify, or after a large
// reply that it could not send.
TEST_F(ChannelOverTls, OperationsD1ReconnectsIfTheServerClosesTheConnection) {
  integration::TlsServer server(*certificates_, "server",
                                {"--client-output-buffer-limit", "normal", "1mb", "0", "0"});
  server.plain().command({"SET", "large", std::string(8 << 20, 'x')});
  integration::Store store(at(server));
  ASSERT_EQ(text(store, {"PING"}), "PONG");
  server.plain().command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  EXPECT_EQ(text(store, {"PING"}), "PONG");
  std::string outage;
  store.tasks().spawn(keep(replied(store.redis(), {"GET", "large"}), outage));
  while (!store.tasks().is_empty()) store.loop().turn(100ms);
  EXPECT_TRUE(outage.ends_with("the connection was closed")) << outage.substr(0, 200);
  store.loop().turn(2ms);
  EXPECT_EQ(text(store, {"PING"}), "PONG");
}

}  // namespace
}  // namespace svc
