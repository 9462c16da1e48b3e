#include "base/path.h"

#include <gtest/gtest.h>

namespace svc::base {
namespace {

TEST(Path, MakesTheLinksOfAPattern) {
  static constexpr Path kOne{"/a/{x}.json", hosts::kApp};
  static constexpr Path kTwo{"/a/{x}/b/{y}/c", hosts::kApp};
  static constexpr Path kBelow{"/a/{x}/b/**", hosts::kApp};
  static constexpr Path kFolder{"/a/b/*", hosts::kApp};
  EXPECT_EQ(kOne.with("1"), "/a/1.json");
  EXPECT_EQ(kTwo.with("1"), "/a/1/b/");
  EXPECT_EQ(kTwo.with("1", "2"), "/a/1/b/2/c");
  EXPECT_EQ(kBelow.with("1"), "/a/1/b");
  EXPECT_EQ(kFolder.with("1"), "/a/b/1");
  EXPECT_EQ(kOne.before(), "/a/");
  EXPECT_EQ(kOne.after(), ".json");
  EXPECT_EQ(kBelow.after(), "/b");
  EXPECT_EQ(kFolder.folder(), "/a/");
}

}  // namespace
}  // namespace svc::base
