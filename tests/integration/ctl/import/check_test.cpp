#include "ctl/import/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/unavailable.h"
#include "integration/ctl/import/fixture.h"

namespace svc {
namespace {

using integration::account_line;
using integration::application_line;
using integration::joined;
using integration::media_line;
using integration::playlist_line;
using integration::project_line;
using integration::user_line;

class ImportCheck : public integration::ImportFixture {};

TEST_F(ImportCheck, OperationsD5AcceptsValidLines) {
  EXPECT_EQ(check({account_line(1), "", user_line(1, "a@b.example", 1), "  \t",
                   project_line("p", 1), media_line("m", 1, "p"), playlist_line("l", 1, {"m", "m"}),
                   application_line("app", 1, "secret")}),
            Problems{});
  EXPECT_EQ(check({}), Problems{});
}

TEST_F(ImportCheck, OperationsD5AcceptsReferencesInAnyOrder) {
  Lines lines{
      account_line(1),         user_line(1, "a@b.example", 1), project_line("p", 1),
      media_line("m", 1, "p"), playlist_line("l", 1, {"m"}),   application_line("app", 1, "s")};
  std::sort(lines.begin(), lines.end());
  do {
    ASSERT_EQ(check(lines), Problems{}) << joined(lines);
  } while (std::next_permutation(lines.begin(), lines.end()));
}

TEST_F(ImportCheck, OperationsD5AcceptsReferencesToStoredRecords) {
  ASSERT_TRUE(write({account_line(1), project_line("p", 1), media_line("m", 1)}));
  EXPECT_EQ(check({user_line(1, "a@b.example", 1), project_line("p2", 1), media_line("m2", 1, "p"),
                   playlist_line("l", 1, {"m", "m2"}), application_line("app", 1, "s")}),
            Problems{});
}

TEST_F(ImportCheck, OperationsD5RefusesReferencesToUnknownRecords) {
  const std::string nowhere = ", which is neither in the file nor in the catalog";
  EXPECT_EQ(
      check({account_line(1), user_line(1, "a@b.example", 2), project_line("p", 3),
             media_line("m", 4), media_line("n", 1, "q"), playlist_line("k", 5, {}),
             playlist_line("l", 1, {"n2", "x"}), application_line("app", 6, "s"),
             media_line("ok", 1)}),
      (Problems{"2: refers to the account 2" + nowhere, "3: refers to the account 3" + nowhere,
                "4: refers to the account 4" + nowhere, "5: refers to the project q" + nowhere,
                "6: refers to the account 5" + nowhere, "7: refers to the media n2" + nowhere,
                "8: refers to the account 6" + nowhere}));
}

TEST_F(ImportCheck, OperationsD5DistinguishesKindsWithEqualIds) {
  ASSERT_TRUE(write({account_line(1), media_line("same", 1)}));
  EXPECT_EQ(check({project_line("same", 1), playlist_line("same", 1, {"same"}),
                   application_line("same", 1, "s")}),
            Problems{});
  EXPECT_EQ(check({media_line("m", 1, "same")}).size(), 1u) << "a media is no project";
}

TEST_F(ImportCheck, OperationsD5RefusesReferencesToRefusedLines) {
  const std::string nowhere = ", which is neither in the file nor in the catalog";
  // The playlist is the first line and the last to be refused: account → project → media →
  // playlist.
  EXPECT_EQ(
      check({playlist_line("l", 1, {"good", "m"}), media_line("m", 1, "p"), project_line("p", 2),
             account_line(1), media_line("good", 1), R"({"kind":"account","id":2})"}),
      (Problems{"1: refers to the media m" + nowhere, "2: refers to the project p" + nowhere,
                "3: refers to the account 2" + nowhere, "6: name is missing"}));
}

TEST_F(ImportCheck, OperationsD5RefusesASecondDefinition) {
  EXPECT_EQ(
      check({account_line(1), media_line("m", 1), account_line(1), media_line("m", 1, "", "Other"),
             media_line("M", 1), media_line("m", 1), playlist_line("m", 1, {})}),
      (Problems{"3: defines the same account as line 1", "4: defines the same media as line 2",
                "6: defines the same media as line 2"}));
}

TEST_F(ImportCheck, OperationsD5RefusesAnEmailOfAnotherUser) {
  ASSERT_TRUE(write({account_line(1), user_line(7, "Taken@b.example", 1)}));
  EXPECT_EQ(check({user_line(1, "a@b.example", 1), user_line(2, "A@B.Example", 1),
                   user_line(3, "taken@B.EXAMPLE", 1), user_line(4, "d@b.example", 1)}),
            (Problems{"2: line 1 has the same email", "3: user 7 already has this email"}));
  EXPECT_EQ(check({user_line(7, "TAKEN@b.example", 1)}), Problems{}) << "it is their own";
  EXPECT_EQ(check({user_line(7, "new@b.example", 1)}), Problems{});
}

TEST_F(ImportCheck, OperationsD5RefusesAnApplicationWithoutAKeyToEncryptItsSecret) {
  const Problems problems = check({account_line(1), application_line("app", 1, "s")}, false);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(problems[0].starts_with("2: client_secret cannot be stored")) << problems[0];
  EXPECT_NE(problems[0].find("key-file"), std::string::npos) << problems[0];
}

TEST_F(ImportCheck, OperationsD5CountsEmptyLinesAsAnEditorDoes) {
  EXPECT_EQ(check({account_line(1), "", "   ", "nonsense", account_line(2) + "\r", "[]", "{}"}),
            (Problems{"4: not JSON: Invalid value. (at byte 2)", "6: must be a JSON object",
                      "7: kind is missing"}));
}

TEST_F(ImportCheck, OembedC3RefusesAPlaylistOfMoreMediaThanAllowed) {
  const auto playlist = [](std::size_t medias) {
    Lines ids;
    for (std::size_t i = 0; i < medias; ++i) ids.push_back("m" + std::to_string(i));
    return playlist_line("l" + std::to_string(medias), 1, ids);
  };
  Lines lines{account_line(1), playlist(1000), playlist(1001)};
  for (int i = 0; i < 1001; ++i) lines.push_back(media_line("m" + std::to_string(i), 1));
  EXPECT_EQ(check(lines), Problems{"3: media_ids has 1001 media; max-playlist-medias allows 1000"});
  const base::UniqueFd content = file(joined(
      {account_line(1), media_line("m0", 1), media_line("m1", 1), playlist(1), playlist(2)}));
  ctl::ImportCheck one(content.get(), store_, true, go_on, 1);
  ASSERT_TRUE(one.run());
  ASSERT_EQ(one.refused(), 1u);
  EXPECT_EQ(one.problems()[0].line, 5u);
  EXPECT_EQ(one.problems()[0].reason, "media_ids has 2 media; max-playlist-medias allows 1");
}

TEST_F(ImportCheck, OauthL8RefusesAHashThatIsTooWeakOrTooExpensive) {
  const auto user = [](int id, const std::string& parameters) {
    return user_line(id, "u" + std::to_string(id) + "@b.example", 1,
                     R"(,"password_hash":"scrypt$)" + parameters + "$" + std::string(32, '0') +
                         "$" + std::string(64, '0') + "\"");
  };
  const std::string why =
      ": password_hash is too weak: scrypt with N=2^14 r=8 p=5, or parameters that need as much "
      "memory (N*r) and work (N*r*p), is allowed";
  EXPECT_EQ(check({account_line(1), user(1, "14$8$5"), user(2, "14$8$1"), user(3, "17$8$1"),
                   user(4, "14$1$5")}),
            (Problems{"3" + why, "5" + why}));
  const std::string why_not =
      ": password_hash is too expensive to verify: work (N*r*p) of at most 2^20 is allowed, as of "
      "N=2^17 r=8 p=1";
  EXPECT_EQ(check({account_line(1), user(1, "17$8$16"), user(2, "16$8$2"), user(3, "15$8$5")}),
            (Problems{"2" + why_not, "4" + why_not}));
}

TEST_F(ImportCheck, OperationsD5RefusesALineThatIsTooLong) {
  const std::string long_name(2 << 20, 'n');
  EXPECT_EQ(check({account_line(1), media_line("m", 1, "", long_name), media_line("n", 1)}),
            (Problems{"2: is longer than 1048576 bytes"}));
}

TEST_F(ImportCheck, OperationsD5CountsEveryRefusalAndListsTheFirstHundred) {
  const base::UniqueFd content = file(joined(Lines(250, "nonsense")) + account_line(1));
  ctl::ImportCheck check(content.get(), store_, true, go_on);
  ASSERT_TRUE(check.run());
  EXPECT_EQ(check.refused(), 250u);
  ASSERT_EQ(check.problems().size(), ctl::ImportCheck::kMaxProblems);
  EXPECT_EQ(check.problems().back().line, 100u);
  EXPECT_EQ(check.lines().size(), 251u);
  EXPECT_EQ(check.lines().back().state, ctl::to_state(ctl::Kind::Account));
}

TEST_F(ImportCheck, ChecksTheReferencesOfManyLines) {
  Lines lines;
  for (int i = 0; i < 5000; ++i) lines.push_back(media_line("m" + std::to_string(i), 1 + i % 7));
  for (int i = 0; i < 50; ++i) {
    lines.push_back(playlist_line("l" + std::to_string(i), 1, {"m" + std::to_string(i * 99)}));
  }
  lines.push_back(playlist_line("bad", 1, {"m4999", "m5000"}));
  for (int i = 1; i <= 7; ++i) lines.push_back(account_line(i));
  EXPECT_EQ(
      check(lines),
      (Problems{
          "5051: refers to the media m5000, which is neither in the file nor in the catalog"}));
}

TEST_F(ImportCheck, OperationsD5NamesTheLineIfAnotherThreadCheckedIt) {
  Lines lines;
  Problems expected;
  for (int i = 1; i <= 6000; ++i) {
    const bool wrong = i % 97 == 0;
    lines.push_back(wrong ? "nonsense " : account_line(i));
    if (wrong) expected.push_back(std::to_string(i) + ": not JSON: Invalid value. (at byte 2)");
  }
  lines.push_back(account_line(1));
  expected.push_back("6001: defines the same account as line 1");
  EXPECT_EQ(check(lines), expected);
}

TEST_F(ImportCheck, ReportsWhetherEveryLineFollowsTheLinesItRefersTo) {
  const auto in_order = [&](const Lines& lines) {
    const base::UniqueFd content = file(joined(lines));
    ctl::ImportCheck check(content.get(), store_, true, go_on);
    EXPECT_TRUE(check.run());
    EXPECT_EQ(check.refused(), 0u);
    return check.in_order();
  };
  Lines lines{account_line(1),         user_line(1, "a@b.example", 1),
              project_line("p", 1),    application_line("app", 1, "s"),
              media_line("m", 1, "p"), playlist_line("l", 1, {"m"})};
  EXPECT_TRUE(in_order(lines));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::swap(lines[i - 1], lines[i]);
    EXPECT_FALSE(in_order(lines)) << "the account is line " << i + 1;
  }
  EXPECT_FALSE(in_order(
      {account_line(1), media_line("m", 1, "p"), project_line("p", 1), media_line("n", 1, "p")}));
  EXPECT_FALSE(in_order({account_line(1), playlist_line("l", 1, {"m"}), media_line("m", 1)}));
  ASSERT_TRUE(write({account_line(2), project_line("q", 2)}));
  EXPECT_TRUE(in_order({media_line("m", 2, "q")})) << "what is in the store already";
}

TEST_F(ImportCheck, StopsIfItsProgressReturnsFalse) {
  Lines lines(1, account_line(1));
  for (int i = 0; i < 1000; ++i) lines.push_back(media_line("m" + std::to_string(i), 1));
  const base::UniqueFd content = file(joined(lines));
  int calls = 0;
  ctl::ImportCheck check(content.get(), store_, true,
                         [&](std::uint64_t bytes, std::uint64_t number) {
                           EXPECT_GT(bytes, 0u);
                           EXPECT_GT(number, 0u);
                           return ++calls < 2;
                         });
  EXPECT_FALSE(check.run());
  EXPECT_EQ(calls, 2);
}

TEST_F(ImportCheck, IsUnavailableIfTheStoreIsUnavailable) {
  const base::UniqueFd content = file(joined({media_line("m", 1)}));
  ctl::ImportCheck check(content.get(), store_, true, go_on);
  server_.stop();
  EXPECT_THROW(check.run(), base::Unavailable);
}

TEST_F(ImportCheck, ChangesNothing) {
  ASSERT_TRUE(write({account_line(1), media_line("m", 1)}));
  const std::string before = server_.digest();
  check({media_line("m", 1, "", "Other"), media_line("n", 1), user_line(1, "a@b.example", 1),
         "nonsense"});
  EXPECT_EQ(server_.digest(), before);
}

}  // namespace
}  // namespace svc
