#include "ingest/jobs/failed_uploads.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace svc::ingest {
namespace {

using Indices = std::vector<std::size_t>;

TEST(FailedUploads, AnAccountEvictsItsOwnFirst) {
  struct Case {
    std::string_view name;
    std::vector<std::int64_t> accounts;  // the oldest first
    FailedLimits limits;
    Indices expected;
  };
  for (const Case& c : {
           Case{"none", {}, {2, 3}, {}},
           Case{"as many as are allowed", {1, 2, 1}, {2, 3}, {}},
           Case{"too many of an account", {2, 1, 1, 1}, {2, 4}, {1}},
           Case{"too many of all", {2, 1, 1, 3}, {2, 3}, {1}},
       }) {
    SCOPED_TRACE(c.name);
    std::vector<FailedUpload> uploads;
    for (const std::int64_t account : c.accounts) uploads.push_back({{account}, 1});
    EXPECT_EQ(too_many(uploads, c.limits), c.expected);
  }
}

TEST(FailedUploads, FilesThatFailedLeaveRoomForOthers) {
  const std::vector<FailedUpload> uploads{{{1}, 10}, {{2}, 50}, {{2}, 0}, {{2}, 30}, {{1}, 10}};
  EXPECT_EQ(too_large(uploads, 100), Indices{});
  EXPECT_EQ(too_large(uploads, 99), Indices{1}) << "the oldest of the account with the most";
  EXPECT_EQ(too_large(uploads, 0), Indices{1});
  EXPECT_EQ(too_large({{{1}, 10}}, 0), Indices{0});
  EXPECT_EQ(too_large({}, 0), Indices{});
}

}  // namespace
}  // namespace svc::ingest
