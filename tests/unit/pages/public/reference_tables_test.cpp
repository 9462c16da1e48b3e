#include "pages/public/reference_tables.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace svc::pages {
namespace {

TEST(ReferenceTables, AreTheFirstTableBelowTheirHeading) {
  const std::string document =
      "# Title\n\n| not | this |\n|---|---|\n| a | b |\n\n## Options\n\nSome words.\n\n"
      "| option | effect |\n|---|---|\n| `a`, `b` | plays |\n| `c[d]` | stops |\n\n"
      "| other | table |\n|---|---|\n| x | y |\n";
  EXPECT_EQ(table_below(document, "Options"),
            (std::vector<std::vector<std::string>>{{"`a`, `b`", "plays"}, {"`c[d]`", "stops"}}));
  EXPECT_EQ(table_below(document, "Options", 1),
            (std::vector<std::vector<std::string>>{{"x", "y"}}));
  EXPECT_TRUE(table_below(document, "Options", 2).empty());
  EXPECT_TRUE(table_below(document, "Opt").empty());
  EXPECT_TRUE(table_below("# A\n\n## B\n\n## C\n\n| a |\n|---|\n| b |\n", "B").empty());
}

TEST(ReferenceTables, HaveNeitherRulesNorTheTargetsOfLinks) {
  EXPECT_EQ(without_links("the URL (oembed-E5), [all of them](../a.md#b) (`x (oembed-S1)`) (spec)"),
            "the URL, all of them (`x (oembed-S1)`) (spec)");
  EXPECT_EQ(without_links("[open"), "[open");
  EXPECT_EQ(codes_in("`a`, or `b[c]`: x"), (std::vector<std::string>{"a", "b[c]"}));
}

TEST(ReferenceTables, HaveTheMembersOfAnInterfaceWithTheirComments) {
  const auto members = members_of(
      "interface Other {\n  no(): void;\n}\n\ninterface Player {\n  /** Plays. */\n"
      "  play(): Promise<void>;\n  pause(): this;\n}\n",
      "Player");
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].code, "play(): Promise<void>");
  EXPECT_EQ(members[0].about, "Plays.");
  EXPECT_EQ(members[1].code, "pause(): this");
  EXPECT_EQ(members[1].about, "");
}

TEST(ReferenceTables, HaveTheLimitsOfAZone) {
  const std::string text =
      "limit_req_zone $svc_a_by  zone=svc_a:1m  rate=30r/m;\n"
      "limit_req_zone $svc_ab_by zone=svc_ab:1m rate=20r/s;\n"
      "limit_req zone=svc_a  burst=10 nodelay;\nlimit_req zone=svc_ab  burst=60 nodelay;\n"
      "limit_conn svc_a_at_once  4;\n";
  const RequestLimit a = limit_of(text, "a");
  EXPECT_EQ(a.rate, "30 per minute");
  EXPECT_EQ(a.burst, "10");
  EXPECT_EQ(a.at_once, "4");
  const RequestLimit ab = limit_of(text, "ab");
  EXPECT_EQ(ab.rate, "20 per second");
  EXPECT_EQ(ab.burst, "60");
  EXPECT_EQ(ab.at_once, "");
}

TEST(ReferenceTables, HaveTheVersionsOfAChangelog) {
  const auto versions = versions_in(
      "0.2.0\n\n  * One thing,\n    in two lines.\n  * Another.\n\n  Mon, 1 Mar 2027\n\n"
      "0.1.0\n\n  * The first.\n\n  Sat, 21 Nov 2026\n");
  ASSERT_EQ(versions.size(), 2U);
  EXPECT_EQ(versions[0].version, "0.2.0");
  EXPECT_EQ(versions[0].date, "Mon, 1 Mar 2027");
  EXPECT_EQ(versions[0].changes,
            (std::vector<std::string>{"One thing, in two lines.", "Another."}));
  EXPECT_EQ(versions[1].changes, (std::vector<std::string>{"The first."}));
}

}  // namespace
}  // namespace svc::pages
