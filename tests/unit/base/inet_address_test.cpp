#include "base/inet_address.h"

#include <gtest/gtest.h>
#include <netdb.h>

#include <string>
#include <string_view>

namespace svc::base {
namespace {

TEST(InetAddress, ReadsLiteralAddresses) {
  struct Case {
    std::string literal;
    int family;
    socklen_t size;
  };
  for (const Case& c : {
           Case{"127.0.0.1", AF_INET, sizeof(sockaddr_in)},
           Case{"::1", AF_INET6, sizeof(sockaddr_in6)},
           Case{"::ffff:192.0.2.1", AF_INET6, sizeof(sockaddr_in6)},
       }) {
    SCOPED_TRACE(c.literal);
    const auto address = InetAddress::of(c.literal, 6380);
    ASSERT_TRUE(address);
    EXPECT_EQ(address->get()->sa_family, c.family);
    EXPECT_EQ(address->size(), c.size);
    std::string host(NI_MAXHOST, '\0'), port(NI_MAXSERV, '\0');
    ASSERT_EQ(getnameinfo(address->get(), address->size(), host.data(), NI_MAXHOST, port.data(),
                          NI_MAXSERV, NI_NUMERICHOST | NI_NUMERICSERV),
              0);
    EXPECT_EQ(std::string_view(host.c_str()), c.literal);
    EXPECT_EQ(std::string_view(port.c_str()), "6380");
  }
}

TEST(InetAddress, RefusesEverythingElse) {
  for (const char* text : {"", "localhost", "127.0.0.1:80", "[::1]", "127.1", "::1%lo"})
    EXPECT_FALSE(InetAddress::of(text, 1)) << text;
}

}  // namespace
}  // namespace svc::base
