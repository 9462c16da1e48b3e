#include "ctl/commands/completion.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/ctl/help_group.h"

namespace svc::ctl {
namespace {

TEST(Completion, HasTheWordsOfTheTable) {
  const std::string script = bash_completion({&kHelpGroup}, {"--workers"});
  for (const char* part :
       {"_svcctl_groups=\"app\"\n", "\"app\") echo \"create list\" ;;\n", " --workers\"\n",
        "\"app create --scope-format\") echo \"one of array string\" ;;\n",
        "\"app create --account\") echo \"value\" ;;\n", "\"app create 0\") echo \"file\" ;;\n",
        "\"app list\") echo \"--help\" ;;\n"}) {
    EXPECT_NE(script.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace svc::ctl
