#include "base/address_group.h"

#include <gtest/gtest.h>

namespace svc::base {
namespace {

TEST(AddressGroup, L4IsAHousehold) {
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

}  // namespace
}  // namespace svc::base
