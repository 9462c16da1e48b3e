#include "courier/freshness.h"

#include <gtest/gtest.h>

#include <string>

namespace svc::courier {
namespace {

TEST(FreshSeconds, AreThoseOfMaxAgeUpToADay) {
  struct Case {
    std::string cache_control;
    std::string age;
    std::int64_t seconds;
  };
  for (const Case& c : {
           Case{"", "", 0},
           Case{"public", "", 0},
           Case{"max-age=60", "", 60},
           Case{"public, max-age=60, must-revalidate", "", 60},
           Case{"Max-Age = 60", "", 60},
           Case{"max-age=\"60\"", "", 60},
           Case{"max-age=60", "20", 40},
           Case{"max-age=60", "90", 0},
           Case{"max-age=60", "x", 0},
           Case{"max-age=86400", "", 86'400},
           Case{"max-age=86401", "", 86'400},
           Case{"max-age=99999999999999999999999", "", 86'400},
           Case{"max-age=0", "", 0},
           Case{"max-age=-1", "", 0},
           Case{"max-age=+5", "", 0},
           Case{"max-age=1.5", "", 0},
           Case{"max-age=", "", 0},
           Case{"max-age", "", 0},
           Case{"max-age=60, max-age=60", "", 0},
           Case{"no-store, max-age=60", "", 0},
           Case{"max-age=60,no-cache", "", 0},
           Case{"max-age=60, No-Cache=\"x\"", "", 0},
           Case{"private, max-age=60", "", 0},
           Case{"x-max-age=60", "", 0},
           Case{",,max-age=60,,", "", 60},
       }) {
    EXPECT_EQ(fresh_seconds(c.cache_control, c.age), c.seconds) << c.cache_control << " " << c.age;
  }
}

}  // namespace
}  // namespace svc::courier
