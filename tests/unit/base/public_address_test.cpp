#include "base/public_address.h"

#include <gtest/gtest.h>

#include <string>

#include "base/inet_address.h"

namespace svc::base {
namespace {

TEST(PublicAddress, IsFalseForEachSpecialUseAddress) {
  struct Case {
    std::string literal;
    bool is_public;
  };
  for (const Case& c : {
           Case{"0.0.0.0", false},
           Case{"0.255.255.255", false},
           Case{"1.0.0.0", true},
           Case{"9.255.255.255", true},
           Case{"10.0.0.1", false},
           Case{"11.0.0.0", true},
           Case{"100.63.255.255", true},
           Case{"100.64.0.0", false},
           Case{"100.127.255.255", false},
           Case{"100.128.0.0", true},
           Case{"127.0.0.1", false},
           Case{"127.255.255.254", false},
           Case{"128.0.0.1", true},
           Case{"169.254.169.254", false},
           Case{"169.255.0.0", true},
           Case{"172.15.255.255", true},
           Case{"172.16.0.0", false},
           Case{"172.31.255.255", false},
           Case{"172.32.0.0", true},
           Case{"192.0.0.170", false},
           Case{"192.0.2.1", false},
           Case{"192.0.3.1", true},
           Case{"192.31.196.1", false},
           Case{"192.52.193.1", false},
           Case{"192.88.99.1", false},
           Case{"192.167.255.255", true},
           Case{"192.168.0.1", false},
           Case{"192.175.48.1", false},
           Case{"198.17.255.255", true},
           Case{"198.18.0.0", false},
           Case{"198.19.255.255", false},
           Case{"198.20.0.0", true},
           Case{"198.51.100.1", false},
           Case{"203.0.113.255", false},
           Case{"203.0.114.0", true},
           Case{"223.255.255.255", true},
           Case{"224.0.0.1", false},
           Case{"239.255.255.255", false},
           Case{"240.0.0.1", false},
           Case{"255.255.255.255", false},
           Case{"::", false},
           Case{"::1", false},
           Case{"::127.0.0.1", false},
           Case{"::ffff:127.0.0.1", false},
           Case{"::ffff:169.254.169.254", false},
           Case{"::ffff:8.8.8.8", true},
           Case{"64:ff9b::10.0.0.1", false},
           Case{"64:ff9b::169.254.169.254", false},
           Case{"64:ff9b::8.8.8.8", true},
           Case{"64:ff9b:1::8.8.8.8", false},
           Case{"100::1", false},
           Case{"1fff:ffff::1", false},
           Case{"2001::1", false},
           Case{"2001:0:4136:e378:8000:63bf:3fff:fdd2", false},
           Case{"2001:20::1", false},
           Case{"2001:1ff:ffff::1", false},
           Case{"2001:200::1", true},
           Case{"2001:db8::1", false},
           Case{"2001:db9::1", true},
           Case{"2002:7f00:1::1", false},
           Case{"2002:808:808::1", false},
           Case{"2606:4700::1111", true},
           Case{"2620:4f:8000::1", false},
           Case{"2a00:1450::1", true},
           Case{"3ffe::1", false},
           Case{"3fff:fff::1", false},
           Case{"3fff:1000::1", true},
           Case{"4000::1", false},
           Case{"fc00::1", false},
           Case{"fd12::1", false},
           Case{"fe80::1", false},
           Case{"fec0::1", false},
           Case{"ff02::1", false},
       }) {
    const auto address = InetAddress::of(c.literal, 443);
    ASSERT_TRUE(address) << c.literal;
    EXPECT_EQ(is_public_address(address->get()), c.is_public) << c.literal;
  }
}

TEST(PublicAddress, IsFalseForAnotherFamily) {
  const sockaddr address{AF_UNIX, {}};
  EXPECT_FALSE(is_public_address(&address));
  EXPECT_FALSE(is_loopback_address(&address));
}

TEST(PublicAddress, KnowsLoopback) {
  const auto is_loopback = [](const std::string& literal) {
    return is_loopback_address(InetAddress::of(literal, 0)->get());
  };
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("127.1.2.3"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_FALSE(is_loopback("128.0.0.1"));
  EXPECT_FALSE(is_loopback("::"));
  EXPECT_FALSE(is_loopback("::ffff:127.0.0.1"));
  EXPECT_FALSE(is_loopback("169.254.169.254"));
}

}  // namespace
}  // namespace svc::base
