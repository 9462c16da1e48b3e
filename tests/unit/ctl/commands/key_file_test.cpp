#include "ctl/commands/key_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "fakes/fixed_entropy.h"
#include "fakes/temporary_directory.h"

namespace svc::ctl {
namespace {

const std::string kOne = "k1:" + std::string(64, '1') + "\n";
const std::string kTwo = "k20260101T000000Z:" + std::string(64, '2') + "\n";
const std::string kThree = "k20260301T000000Z:" + std::string(64, '3') + "\n";

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(KeyFileOfSvcctl, NewKeysSayWhenTheyWereMade) {
  EXPECT_EQ(new_key_id(*base::KeyRing::parse(kOne), 1'780'000'000), "k20260528T202640Z");
  EXPECT_EQ(new_key_id(*base::KeyRing::parse(kOne + kTwo), 1'780'000'000), "k20260528T202640Z");
}

// Two rotations within a second, or a clock that was set back, would otherwise repeat an id.
TEST(KeyFileOfSvcctl, NewKeysAreNewerThanAllExistingKeys) {
  const std::string newest = "k20991231T235959Z:" + std::string(64, '9') + "\n";
  const auto ring = base::KeyRing::parse(newest + kTwo + kOne);
  EXPECT_EQ(new_key_id(*ring, 1'780'000'000), "k21000101T000000Z");
  fakes::FixedEntropy entropy;
  const auto next = base::KeyRing::parse(with_new_key(newest, new_key_id(*ring, 0), entropy));
  EXPECT_EQ(waiting_key(*next), "k21000101T000000Z");
}

TEST(KeyFileOfSvcctl, KnowsWhichKeyWaits) {
  struct Case {
    std::string_view name;
    std::string file;
    std::optional<std::string> waiting;
  };
  for (const Case& c : {
           Case{"one key", kOne, std::nullopt},
           Case{"one key made here", kTwo, std::nullopt},
           Case{"added", kOne + kTwo, "k20260101T000000Z"},
           Case{"activated", kTwo + kOne, std::nullopt},
           Case{"the next added", kTwo + kOne + kThree, "k20260301T000000Z"},
           Case{"the next activated", kThree + kTwo + kOne, std::nullopt},
           Case{"the next activated, the first taken out", kThree + kTwo, std::nullopt},
           Case{"somebody's own ids", "b:" + std::string(64, 'b') + "\n" + kOne, std::nullopt},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(waiting_key(*base::KeyRing::parse(c.file)), c.waiting);
  }
}

TEST(KeyFileOfSvcctl, GetsANewKeyAfterTheOthers) {
  fakes::FixedEntropy entropy;
  const std::string bytes = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
  const std::string comment = "# ours\n\n";
  EXPECT_EQ(with_new_key(comment + kOne, "k2", entropy), comment + kOne + "k2:" + bytes + "\n");
  fakes::FixedEntropy again;
  EXPECT_EQ(with_new_key(kOne.substr(0, kOne.size() - 1), "k2", again), kOne + "k2:" + bytes + "\n")
      << "also behind a line without an end";
}

TEST(KeyFileOfSvcctl, PutsTheLastKeyFirstAndLeavesTheRest) {
  EXPECT_EQ(with_last_key_first("# ours\n" + kOne + "\n# more\n" + kTwo + "# end\n"),
            "# ours\n" + kTwo + kOne + "\n# more\n# end\n");
  EXPECT_EQ(with_last_key_first(kThree + kTwo + kOne), kOne + kThree + kTwo);
  EXPECT_EQ(with_last_key_first(kOne), kOne);
}

TEST(KeyFileOfSvcctl, IsReplacedWithItsMode) {
  const fakes::TemporaryDirectory directory;
  const std::string path = directory.write("keys", kOne);
  for (const mode_t mode : {0600u, 0640u, 0400u}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    // As an interrupted run would leave it.
    directory.write("keys.new", "half a");
    EXPECT_EQ(replace_key_file(path, kTwo), "");
    EXPECT_EQ(content(path), kTwo);
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, mode);
    EXPECT_FALSE(std::filesystem::exists(path + ".new"));
  }
}

TEST(KeyFileOfSvcctl, StaysWhenItCannotBeReplaced) {
  const fakes::TemporaryDirectory directory;
  const std::string path = directory.write("keys", kOne);
  std::filesystem::create_directories(path + ".new/kept");
  EXPECT_NE(replace_key_file(path, kTwo).find("keys.new"), std::string::npos);
  EXPECT_EQ(content(path), kOne);
  EXPECT_NE(replace_key_file(directory.path("nothing"), kTwo), "");
}

TEST(KeyFileOfSvcctl, IsChangedByOneAtATime) {
  const fakes::TemporaryDirectory directory;
  const std::string path = directory.write("keys", kOne);
  {
    const KeyFileLock first(path);
    EXPECT_EQ(first.error(), "");
    EXPECT_NE(KeyFileLock(path).error().find("another svcctl"), std::string::npos);
  }
  EXPECT_EQ(KeyFileLock(path).error(), "");
}

}  // namespace
}  // namespace svc::ctl
