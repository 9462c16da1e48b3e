#include "stores/catalog/usage.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ctl/commands/groups.h"
#include "integration/ctl/command_fixture.h"
#include "stores/keys.h"

namespace svc {
namespace {

class UsageCommand : public integration::CommandFixture {
 protected:
  UsageCommand() { server_.command({"SET", stores::keys::account({7}), "{}"}); }

  int usage(const std::vector<std::string>& words) {
    const integration::Ran ran = run(ctl::usage_commands(), words);
    out_ = ran.out;
    err_ = ran.err;
    return ran.status;
  }
  // The last three days, oldest first.
  std::vector<std::string> dates() {
    std::vector<std::string> dates;
    stores::Usage usage(store_.redis());
    for (const auto& day : store_.run(usage.manifests({7}, 3))) dates.push_back(day.date);
    return dates;
  }
  void count(const std::string& date, const std::string& manifests) {
    server_.command({"HSET", stores::keys::usage_manifest(date), "7", manifests, "8", "1000"});
  }

  std::string out_;
  std::string err_;
};

TEST_F(UsageCommand, PrintsTheDaysWithManifestsAndTheirSum) {
  // Again if the day changed in between.
  for (auto days = dates();; days = dates()) {
    count(days[0], "40");
    count(days[2], "2");
    ASSERT_EQ(usage({"7", "--days", "3"}), 0);
    const std::string three = out_;
    ASSERT_EQ(usage({"--days", "1", "7"}), 0);
    const std::string one = out_;
    ASSERT_EQ(usage({"7", "--json", "--days", "3"}), 0);
    if (dates() != days) continue;
    EXPECT_EQ(three, "DATE        MANIFESTS\n" + days[0] + "  40\n" + days[2] +
                         "  2\nmanifests in 3 days: 42\n");
    EXPECT_EQ(one, "DATE        MANIFESTS\n" + days[2] + "  2\nmanifests in 1 day: 2\n");
    EXPECT_EQ(out_, R"({"account_id":7,"days":[{"date":")" + days[0] +
                        R"(","manifests":40},{"date":")" + days[1] +
                        R"(","manifests":0},{"date":")" + days[2] +
                        R"(","manifests":2}],"manifests":42})" + "\n");
    EXPECT_EQ(err_, "");
    break;
  }
}

TEST_F(UsageCommand, PrintsOnlyTheSumWithoutManifests) {
  EXPECT_EQ(usage({"7"}), 0);
  EXPECT_EQ(out_, "manifests in 30 days: 0\n");
}

TEST_F(UsageCommand, RefusesWrongArguments) {
  for (const auto& [words, reason] : {
           std::pair(std::vector<std::string>{}, "missing"),
           std::pair(std::vector<std::string>{"x"}, "ACCOUNT must be an integer"),
           std::pair(std::vector<std::string>{"0"}, "ACCOUNT must be an integer"),
           std::pair(std::vector<std::string>{"9007199254740992"}, "ACCOUNT must be an integer"),
           std::pair(std::vector<std::string>{"7", "--days", "0"}, "from 1 to 400"),
           std::pair(std::vector<std::string>{"7", "--days", "401"}, "from 1 to 400"),
       }) {
    EXPECT_EQ(usage(words), 2) << reason;
    EXPECT_NE(err_.find(reason), std::string::npos) << err_;
  }
}

TEST_F(UsageCommand, ReportsAnUnknownAccount) {
  EXPECT_EQ(usage({"8"}), 1);
  EXPECT_EQ(out_, "");
  EXPECT_EQ(err_, "svcctl usage: there is no account 8\n");
}

}  // namespace
}  // namespace svc
