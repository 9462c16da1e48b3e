// operations-Y83: /.well-known/security.txt.
#include <gtest/gtest.h>

#include "base/public_paths.h"
#include "rules/rules.h"

namespace svc::rules {
namespace {

const std::string kFile(base::paths::kSecurityText.pattern);

class SecurityText : public Rules {
 protected:
  SecurityText()
      : Rules({"--security-contact=mailto:security@svc.example https://svc.example/report"}) {}
};

TEST_F(SecurityText, OperationsY83NamesTheContactsOnEveryHostAndNeverExpires) {
  for (const char* host : {"app", "api", "oembed", "embed"}) {
    const Answer answer = ask("https://" + std::string(host) + ".svc.example" + kFile);
    EXPECT_EQ(answer.status, 200) << host;
    EXPECT_EQ(answer.type, "text/plain; charset=utf-8");
    EXPECT_TRUE(
        answer.body.starts_with("Contact: mailto:security@svc.example\n"
                                "Contact: https://svc.example/report\n"
                                "Expires: 20"))
        << answer.body;
    EXPECT_TRUE(answer.has("T00:00:00Z\n"));
  }
  const std::string first = ask(kFile).body;
  site_.pass(89 * 86'400);
  EXPECT_GT(ask(kFile).body, first);
}

using WithoutAContact = Rules;

TEST_F(WithoutAContact, OperationsY83IsMissing) { EXPECT_EQ(ask(kFile).status, 404); }

}  // namespace
}  // namespace svc::rules
