#include "redis/audit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/unavailable.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"

namespace svc {
namespace {

class Audit : public testing::Test {
 protected:
  // Fields and values of the newest entry.
  std::vector<std::string> newest() {
    const redis::Reply reply = server_.command({"XREVRANGE", "audit", "+", "-", "COUNT", "1"});
    std::vector<std::string> words;
    const redis::ReplyView fields = reply.at(0).at(1);
    for (std::size_t i = 0; i < fields.size(); ++i) words.emplace_back(*fields.at(i).text());
    return words;
  }

  integration::RedisServer server_;
  fakes::ManualClock clock_;
  redis::Connection connection_{server_.settings(), clock_};
  redis::Audit audit_{connection_};
};

TEST_F(Audit, K7KeepsWhoDidWhat) {
  audit_.record({"authorized", media::ContactId{501}, media::AccountId{1001}, "client", "192.0.2.1",
                 "all:read"});
  EXPECT_EQ(newest(), (std::vector<std::string>{"what", "authorized", "contact", "501", "account",
                                                "1001", "client", "client", "address", "192.0.2.1",
                                                "detail", "all:read"}));
  audit_.record({"login.failed", std::nullopt, std::nullopt, "", "192.0.2.1", "unknown email"});
  EXPECT_EQ(newest(), (std::vector<std::string>{"what", "login.failed", "address", "192.0.2.1",
                                                "detail", "unknown email"}));
}

TEST_F(Audit, K7IsCapped) {
  server_.command(
      {"EVAL", "for i = 1, 105000 do redis.call('XADD', 'audit', '*', 'what', 'x') end", "0"});
  audit_.record({"login", media::ContactId{501}, std::nullopt, "", "", ""});
  const std::int64_t length = server_.command({"XLEN", "audit"}).integer();
  EXPECT_GE(length, 100'000);
  EXPECT_LT(length, 100'500) << "whole nodes of 100 entries";
}

TEST_F(Audit, K7IsNotLeftOutInSilence) {
  server_.stop();
  EXPECT_THROW(audit_.record({"login", std::nullopt, std::nullopt, "", "", ""}), base::Unavailable);
}

}  // namespace
}  // namespace svc
