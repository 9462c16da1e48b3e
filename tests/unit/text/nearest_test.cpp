#include "text/nearest.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace svc::text {
namespace {

TEST(Nearest, IsTheNameThatWasProbablyMeant) {
  const std::vector<std::string_view> names{"create", "list", "show", "rotate-secret", "delete"};
  struct Case {
    std::string_view word;
    std::string_view nearest;
  };
  for (const Case& c : {
           Case{"lst", "list"},
           Case{"lits", "list"},
           Case{"creat", "create"},
           Case{"crate", "create"},
           Case{"delte", "delete"},
           Case{"rotate", "rotate-secret"},
           Case{"rotate-secrets", "rotate-secret"},
           Case{"x", ""},
           Case{"remove", ""},
           Case{"", ""},
       }) {
    EXPECT_EQ(nearest(c.word, names), c.nearest) << c.word;
  }
  EXPECT_EQ(nearest(std::string(1 << 20, 'l'), names), "");
}

}  // namespace
}  // namespace svc::text
