#include "login/return_path.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/key_ring.h"
#include "fakes/fixed_entropy.h"

namespace svc::login {
namespace {

class ReturnPaths : public testing::Test {
 protected:
  ReturnPaths() { visitor_.binding = "one"; }

  const base::KeyRing keys_ = *base::KeyRing::parse("k1:" + std::string(64, 'a'));
  fakes::FixedEntropy entropy_;
  Visitor visitor_;
};

TEST_F(ReturnPaths, AcceptOnlyLocalPaths) {
  struct Case {
    std::string_view path;
    bool ours;
  };
  for (const Case& c : {
           Case{"/", true},
           Case{"/login", true},
           Case{"/oauth/authorize?client_id=a&redirect_uri=https%3A%2F%2Fx.example%2F&state=//x",
                true},
           Case{"/a//b", true},
           Case{"", false},
           Case{"login", false},
           Case{"//evil.example", false},
           Case{"///evil.example", false},
           Case{"/\\evil.example", false},
           Case{"\\\\evil.example", false},
           Case{"/a\\b", false},
           Case{"https://evil.example/", false},
           Case{"javascript:alert(1)", false},
           Case{" /login", false},
           Case{"/ /evil.example", false},
           Case{"/\t/evil.example", false},
           Case{"/\n/evil.example", false},
           Case{"\t//evil.example", false},
           Case{"/a\r\nSet-Cookie: a=b", false},
           Case{std::string_view("/a\0b", 4), false},
           Case{"/a\x7f", false},
       }) {
    SCOPED_TRACE(c.path);
    EXPECT_EQ(is_path_of_ours(c.path), c.ours);
    const std::string sealed =
        seal({std::string(c.path), "", "Clip\nScheduler"}, keys_, entropy_, visitor_);
    const auto opened = open_return_path(sealed, keys_, visitor_);
    EXPECT_EQ(opened.has_value(), c.ours) << "looked at again where it is opened";
    if (opened) {
      EXPECT_EQ(opened->application, "Clip Scheduler") << "on one line";
    }
  }
}

}  // namespace
}  // namespace svc::login
