#include "login/return_path.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/key_ring.h"
#include "fakes/fixed_entropy.h"
#include "text/uri.h"

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
    const std::string sealed = seal({std::string(c.path), ""}, keys_, entropy_, visitor_);
    EXPECT_EQ(open_return_path(sealed, keys_, visitor_).has_value(), c.ours)
        << "looked at again where it is opened";
  }
}

TEST_F(ReturnPaths, OpenAsTheyWereSealed) {
  const ReturnPath to{"/oauth/authorize?state=a%20b&x=\xc3\xa9", "https://app.example:8443",
                      "Clip\nScheduler"};
  const std::string sealed = seal(to, keys_, entropy_, visitor_);
  const auto opened = open_return_path(sealed, keys_, visitor_);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->path, to.path);
  EXPECT_EQ(opened->redirect_origin, to.redirect_origin);
  EXPECT_EQ(opened->application, "Clip Scheduler") << "on one line";
  EXPECT_EQ(sealed.find("authorize"), std::string::npos);
  for (const char c : sealed) EXPECT_TRUE(text::is_unreserved(c)) << c;
}

TEST_F(ReturnPaths, DoNotOpenIfChanged) {
  const std::string sealed = seal({"/somewhere", ""}, keys_, entropy_, visitor_);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(open_return_path(changed, keys_, visitor_)) << i;
    EXPECT_FALSE(open_return_path(sealed.substr(0, i), keys_, visitor_)) << i;
  }
  for (const std::string wrong : {"", "~", "k1", "k1~", "k1~=", "k1~AAAA", "/somewhere", "//evil"})
    EXPECT_FALSE(open_return_path(wrong, keys_, visitor_)) << wrong;
  EXPECT_FALSE(open_return_path(sealed + "=", keys_, visitor_));
}

// The longest request line and the longest password, in a form: nginx accepts
// them.
TEST_F(ReturnPaths, EightKilobytesFitIntoAForm) {
  const ReturnPath longest{"/" + std::string(8191, 'a'), "https://" + std::string(253, 'h'),
                           std::string(81 * 4, 'n')};
  const std::string sealed = seal(longest, keys_, entropy_, visitor_);
  const std::size_t rest =
      std::string("csrf=&return=&email=&password=").size() + 64 + 3 * 254 + 3 * 1024;
  EXPECT_LT(sealed.size() + rest, 16u * 1024);
}

}  // namespace
}  // namespace svc::login
