// Store over TCP: `redis://host:port/db` instead of a unix socket.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "integration/asking.h"
#include "integration/store.h"
#include "integration/tcp.h"
#include "redis/address.h"
#include "redis/store.h"

namespace svc {
namespace {

using namespace std::chrono_literals;

// The accept queue is full, so the connection is not even established.
TEST(ChannelOverTcp, OperationsD1IsUnavailableIfTheConnectionIsNotEstablished) {
  const integration::Bound full = integration::bound();
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
  redis::ConnectionSettings settings;
  settings.address = *redis::Address::parse("redis://127.0.0.1:" + std::to_string(full.port));
  settings.timeout = 300ms;
  integration::Store store(settings);
  try {
    integration::text(store, {"PING"});
    ADD_FAILURE() << "connected";
  } catch (const base::Unavailable& outage) {
    EXPECT_TRUE(integration::has(outage.what(), "no connection within 300 ms")) << outage.what();
  }
}

}  // namespace
}  // namespace svc
