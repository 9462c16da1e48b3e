#include "ctl/pools/pool_status.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace svc::ctl {
namespace {

TEST(PoolStatus, FindsQuantilesInBuckets) {
  PoolStatus::Durations durations;
  EXPECT_EQ(durations.quantile(0.5), "-");
  durations.count = 100;
  durations.buckets = {{0.1, 50}, {1, 48}, {10, 1}, {std::nullopt, 1}};
  EXPECT_EQ(durations.quantile(0.5), "<=0.1");
  EXPECT_EQ(durations.quantile(0.51), "<=1");
  EXPECT_EQ(durations.quantile(0.99), "<=10");
  EXPECT_EQ(durations.quantile(1), ">10");
}

TEST(PoolStatus, RefusesOtherDocuments) {
  for (const char* text : {"", "{", "[]", "{}", "\"pool\""}) EXPECT_FALSE(parse_pool_status(text));
}

TEST(PoolStatus, ShowsTheUptime) {
  for (const auto& [seconds, text] : {std::pair(59, "59 s"),
                                      {60, "1 min"},
                                      {3599, "59 min"},
                                      {3600, "1 h"},
                                      {172'799, "47 h"},
                                      {172'800, "2 d"}}) {
    const auto status =
        parse_pool_status(R"({"pool":"p","start_since":)" + std::to_string(seconds) + "}");
    ASSERT_TRUE(status) << status.error();
    EXPECT_NE(to_text(*status).find("up for " + std::string(text) + ","), std::string::npos)
        << text;
  }
}

// As right after a reload: none of its workers has asked the store anything.
TEST(PoolStatus, CountsTheWorkersThatHaveNotAskedTheStore) {
  const auto status =
      parse_pool_status(R"({"pool":"p","store":{"up":1,"away":2,"not_asked":4,"failures":3}})");
  ASSERT_TRUE(status) << status.error();
  EXPECT_NE(to_text(*status).find(
                "store     up for 1 workers, away for 2, not asked yet by 4; 3 failures; ms"),
            std::string::npos)
      << to_text(*status);
  EXPECT_EQ(to_text(*status).find("catalog"), std::string::npos);
  const auto of_two = parse_pool_status(
      R"({"pool":"p","store":{"up":1},"catalog":{"up":0,"away":3,"not_asked":4,"failures":9}})");
  ASSERT_TRUE(of_two) << of_two.error();
  EXPECT_NE(to_text(*of_two).find(
                "catalog   up for 0 workers, away for 3, not asked yet by 4; 9 failures; ms"),
            std::string::npos)
      << to_text(*of_two);
}

// A refusal with 501 is not an error of ours, and 503 has its own reason.
TEST(PoolStatus, Counts501And503ApartFromOtherServerErrors) {
  const auto status = parse_pool_status(
      R"({"pool":"p","requests":19,"statuses":{"1xx":0,"2xx":10,"3xx":0,"4xx":2,"5xx":7},
          "server_errors":{"501":4,"503":2,"other":1},
          "endpoints":[{"endpoint":"/oembed","statuses":{"2xx":10,"4xx":2,"5xx":7},
                        "server_errors":{"501":4,"503":2,"other":1},
                        "durations":{"count":19,"ms":1.9,"buckets":[[0.1,19],[null,0]]}}]})");
  ASSERT_TRUE(status) << status.error();
  const std::string text = to_text(*status);
  EXPECT_NE(text.find("requests  19: 10 2xx, 2 4xx, 1 5xx, 4 501, 2 503; "), std::string::npos)
      << text;
  EXPECT_NE(text.find("  ENDPOINT               REQUESTS    5XX    501    503  P50 MS  P99 MS\n"
                      "  /oembed                      19      1      4      2   <=0.1   <=0.1\n"),
            std::string::npos)
      << text;
}

// A pool that runs an older version than svcctl does not tell them apart.
TEST(PoolStatus, TakesAllServerErrorsTogetherIfThePoolDoes) {
  const auto status = parse_pool_status(
      R"({"pool":"p","statuses":{"5xx":7},"endpoints":[{"endpoint":"/a","statuses":{"5xx":7}}]})");
  ASSERT_TRUE(status) << status.error();
  EXPECT_EQ(status->endpoints.front().errors.other, 7);
  EXPECT_EQ(status->endpoints.front().errors.not_implemented, 0);
  EXPECT_NE(to_text(*status).find("7 5xx;"), std::string::npos) << to_text(*status);
}

TEST(Plain, ReplacesEachCharacterThatIsNotPrintableAscii) {
  EXPECT_EQ(plain("/a b~"), "/a b~");
  EXPECT_EQ(plain("caf\u00e9 \u202e\033[2J\177"), "caf? ??[2J?");
  EXPECT_EQ(plain("\x9b\xff"), "??") << "not UTF-8";
}

TEST(PoolStatus, LetsNothingCommandTheTerminal) {
  const auto status = parse_pool_status(
      "{\"pool\":\"e\\u001b[2J\",\"statuses\":{\"\\u001b[2J\":1},\"deaths\":{\"\\u0007\":1},"
      "\"reload\":{\"outcome\":\"refused\",\"text\":\"\\u001b]0;x\\u0007\"},"
      "\"endpoints\":[{\"endpoint\":\"\\u0007/\\u009b\"}],"
      "\"processes\":[{\"pid\":1,\"phase\":\"\\u001b\",\"path\":\"/\\u001b]0;x\\u0007\"}]}");
  ASSERT_TRUE(status) << status.error();
  for (const char c : to_text(*status)) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << int{c};
}

}  // namespace
}  // namespace svc::ctl
