#include "base/unix_address.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::base {
namespace {

std::string_view path_of(const UnixAddress& address) {
  const auto* full = reinterpret_cast<const sockaddr_un*>(address.get());
  return {full->sun_path, address.size() - offsetof(sockaddr_un, sun_path)};
}

TEST(UnixAddress, HasThePathAndATerminatingZero) {
  const auto address = UnixAddress::of("/run/svc/web.sock");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->get()->sa_family, AF_UNIX);
  EXPECT_EQ(path_of(*address), std::string_view("/run/svc/web.sock\0", 18));
  EXPECT_EQ(path_of(*UnixAddress::of("@svc")), std::string_view("@svc\0", 5))
      << "a file of that name";
}

TEST(UnixAddress, AnAbstractNameBeginsWithZeroAndIsNotTerminated) {
  EXPECT_EQ(path_of(*UnixAddress::of("@svc", true)), std::string_view("\0svc", 4));
  EXPECT_EQ(path_of(*UnixAddress::of("/svc", true)), std::string_view("/svc\0", 5));
}

TEST(UnixAddress, RefusesAPathThatTheKernelCannotHold) {
  const std::string longest(kMaxSocketPath, 'a');
  ASSERT_TRUE(UnixAddress::of(longest));
  EXPECT_EQ(path_of(*UnixAddress::of(longest)), longest + '\0');
  EXPECT_FALSE(UnixAddress::of(longest + "a"));
}

}  // namespace
}  // namespace svc::base
