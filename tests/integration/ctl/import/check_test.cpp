#include "ctl/import/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "integration/ctl/import/fixture.h"

namespace svc::integration {
namespace {

TEST_F(Import, OperationsD5AcceptsReferencesInAnyOrder) {
  Lines lines{
      account_line(1),         user_line(1, "a@b.example", 1), project_line("p", 1),
      media_line("m", 1, "p"), playlist_line("l", 1, {"m"}),   application_line("app", 1, "s")};
  std::sort(lines.begin(), lines.end());
  do {
    ASSERT_EQ(check(lines), Problems{}) << joined(lines);
  } while (std::next_permutation(lines.begin(), lines.end()));
}

TEST_F(Import, OperationsD5AcceptsReferencesToStoredRecords) {
  ASSERT_TRUE(write({account_line(1), project_line("p", 1), media_line("m", 1)}));
  EXPECT_EQ(check({user_line(1, "a@b.example", 1), project_line("p2", 1), media_line("m2", 1, "p"),
                   playlist_line("l", 1, {"m", "m2"}), application_line("app", 1, "s")}),
            Problems{});
}

TEST_F(Import, OperationsD5RefusesReferencesToUnknownRecords) {
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

TEST_F(Import, OperationsD5DistinguishesKindsWithEqualIds) {
  ASSERT_TRUE(write({account_line(1), media_line("same", 1)}));
  EXPECT_EQ(check({project_line("same", 1), playlist_line("same", 1, {"same"}),
                   application_line("same", 1, "s")}),
            Problems{});
  EXPECT_EQ(check({media_line("m", 1, "same")}).size(), 1u) << "a media is no project";
}

TEST_F(Import, OperationsD5RefusesReferencesToRefusedLines) {
  const std::string nowhere = ", which is neither in the file nor in the catalog";
  // The playlist is the first line and the last to be refused: account → project → media →
  // playlist.
  EXPECT_EQ(
      check({playlist_line("l", 1, {"good", "m"}), media_line("m", 1, "p"), project_line("p", 2),
             account_line(1), media_line("good", 1), R"({"kind":"account","id":2})"}),
      (Problems{"1: refers to the media m" + nowhere, "2: refers to the project p" + nowhere,
                "3: refers to the account 2" + nowhere, "6: name is missing"}));
}

TEST_F(Import, OperationsD5RefusesASecondDefinition) {
  EXPECT_EQ(
      check({account_line(1), media_line("m", 1), account_line(1), media_line("m", 1, "", "Other"),
             media_line("M", 1), media_line("m", 1), playlist_line("m", 1, {})}),
      (Problems{"3: defines the same account as line 1", "4: defines the same media as line 2",
                "6: defines the same media as line 2"}));
}

TEST_F(Import, OperationsD5RefusesAnEmailOfAnotherUser) {
  ASSERT_TRUE(write({account_line(1), user_line(7, "Taken@b.example", 1)}));
  EXPECT_EQ(check({user_line(1, "a@b.example", 1), user_line(2, "A@B.Example", 1),
                   user_line(3, "taken@B.EXAMPLE", 1), user_line(4, "d@b.example", 1)}),
            (Problems{"2: line 1 has the same email", "3: user 7 already has this email"}));
  EXPECT_EQ(check({user_line(7, "TAKEN@b.example", 1)}), Problems{}) << "it is their own";
  EXPECT_EQ(check({user_line(7, "new@b.example", 1)}), Problems{});
}

TEST_F(Import, OperationsD5CountsEmptyLinesAsAnEditorDoes) {
  EXPECT_EQ(check({account_line(1), "", "   ", "nonsense", account_line(2) + "\r", "[]", "{}"}),
            (Problems{"4: not JSON: Invalid value. (at byte 2)", "6: must be a JSON object",
                      "7: kind is missing"}));
}

TEST_F(Import, OperationsD5RefusesPlaylistsAboveTheLimit) {
  const Lines lines{account_line(1), media_line("m", 1), playlist_line("l", 1, {"m", "m", "m"})};
  EXPECT_EQ(check(lines, 3), Problems{});
  EXPECT_EQ(check(lines, 2), Problems{"3: media_ids has 3 media; max-playlist-medias allows 2"});
}

TEST_F(Import, OperationsD5RefusesALineThatIsTooLong) {
  const std::string long_name(2 << 20, 'n');
  EXPECT_EQ(check({account_line(1), media_line("m", 1, "", long_name), media_line("n", 1)}),
            (Problems{"2: is longer than 1048576 bytes"}));
}

}  // namespace
}  // namespace svc::integration
