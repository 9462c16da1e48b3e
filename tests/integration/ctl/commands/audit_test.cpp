#include "ctl/commands/audit.h"

#include <algorithm>
#include <string>
#include <vector>

#include "integration/ctl/command_fixture.h"

namespace svc {
namespace {

using integration::Ran;

class AuditCommand : public integration::CommandFixture {
 protected:
  Ran audit(const std::vector<std::string>& words) { return run(ctl::audit_commands(), words); }
};

TEST_F(AuditCommand, SelectsEventsByCountAndTime) {
  for (const char* id : {"a", "b", "c"}) create_app(id);
  const std::string newest = audit({"--count", "2", "--json"}).out;
  EXPECT_EQ(std::ranges::count(newest, '\n'), 2);
  EXPECT_EQ(newest.find(R"("client":"a")"), std::string::npos);
  EXPECT_LT(newest.find(R"("client":"b")"), newest.find(R"("client":"c")"));
  EXPECT_EQ(audit({"--since", "2999-01-01T00:00:00Z"}).out, "");
  const std::string all = audit({"--since", "2026-01-01T00:00:00Z"}).out;
  EXPECT_EQ(std::ranges::count(all, '\n'), 3);
  for (const auto& [flag, value] : {std::pair("--since", "yesterday"), {"--count", "-1"}}) {
    const Ran wrong = audit({flag, value});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_EQ(wrong.out, "");
    EXPECT_NE(wrong.err.find(flag), std::string::npos) << wrong.err;
  }
}

TEST_F(AuditCommand, SelectsEventsByKind) {
  create_app("a");
  app({"rotate-secret", "a"});
  EXPECT_NE(audit({"--kind", "secret"}).out.find("secret.rotated"), std::string::npos);
  EXPECT_EQ(audit({"--kind", "secret"}).out.find("client.created"), std::string::npos);
  EXPECT_NE(audit({"--kind", "application"}).out.find("client.created"), std::string::npos);
  EXPECT_EQ(audit({"--kind", "access"}).out, "");
  const Ran wrong = audit({"--kind", "nothing"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("access"), std::string::npos) << wrong.err;
}

TEST_F(AuditCommand, AddsTheNamesOfRecordsThatExist) {
  for (const char* id : {"gone", "kept"}) create_app(id);
  app({"delete", "gone", "--yes"});
  user({"passwd", "owner@example.com", "--password-stdin"}, "a new password\n");
  const std::string shown = audit({}).out;
  for (const std::string line : {R"(client.created  client kept "App"  account 41 "With"  (by )",
                                 R"(client.created  client gone  account 41 "With"  (by )",
                                 R"(password.changed  contact 410 "owner@example.com"  (by )"})
    EXPECT_NE(shown.find(line), std::string::npos) << shown;
  for (const std::string field : {R"("client_name":"App")", R"("account_name":"With")",
                                  R"("contact_email":"owner@example.com")"})
    EXPECT_NE(audited().find(field), std::string::npos) << field;
}

}  // namespace
}  // namespace svc
