#include "base/address_group.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace svc::base {
namespace {

TEST(AddressGroup, IsAnIpv4AddressOrAnIpv6NetworkOf64Bits) {
  struct Case {
    std::string_view address, counted;
  };
  for (const Case& c : {
           Case{"192.0.2.1", "192.0.2.1"},
           Case{"::ffff:192.0.2.1", "192.0.2.1"},
           Case{"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
           Case{"2001:DB8:1:2::1", "2001:db8:1:2::/64"},
           Case{"2001:db8:1:3::1", "2001:db8:1:3::/64"},
           Case{"::1", "::/64"},
           Case{"unix:", "unix:"},
           Case{"", ""},
       }) {
    EXPECT_EQ(address_group(c.address), c.counted);
  }
}

TEST(AddressGroup, ListsTheWiderNetworks) {
  struct Case {
    std::string_view address;
    std::vector<std::string> networks;
  };
  for (const Case& c : {
           Case{"192.0.2.77", {"192.0.2.0/24"}},
           Case{"::ffff:192.0.2.77", {"192.0.2.0/24"}},
           Case{"2001:db8:1:a2b3:3:4:5:6", {"2001:db8:1:a200::/56", "2001:db8:1::/48"}},
           Case{"::1", {"::/56", "::/48"}},
           Case{"unix:", {}},
           Case{"", {}},
       }) {
    EXPECT_EQ(wider_networks(c.address), c.networks) << c.address;
  }
}

}  // namespace
}  // namespace svc::base
