#include "repair/append_only_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "fakes/temporary_directory.h"

namespace svc::repair {
namespace {

using State = Check::State;

std::string command(const std::vector<std::string>& words) {
  std::string text = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words)
    text += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  return text;
}

const std::string kSelect = command({"SELECT", "0"});
const std::string kSet = command({"SET", "key", std::string("a\0\n\r$1", 6)});
const std::string kTransaction = command({"MULTI"}) + command({"SET", "k", "v"}) +
                                 command({"UNLINK", "k", "l"}) + command({"EXEC"});

TEST(AppendOnlyFile, IsSoundIfComplete) {
  for (const std::string& content :
       {std::string(), kSelect, kSelect + kSet + kTransaction, kTransaction + kSet,
        kTransaction + kTransaction, "#TS:1700000000\r\n" + kSet,
        kSet + command({"FLUSHALL"}) + kSet, command({"SET", "k", ""})}) {
    const Check checked = check(content);
    EXPECT_EQ(checked.state, State::Sound) << content << checked.reason;
    EXPECT_EQ(checked.bytes, content.size());
  }
}

TEST(AppendOnlyFile, IsCutOffAfterTheLastCompleteTransaction) {
  const std::vector<std::string> parts{kSelect, kSet, kTransaction, kSet, kTransaction};
  std::string content;
  for (const std::string& part : parts) {
    const std::size_t whole = content.size();
    content += part;
    for (std::size_t size = whole + 1; size < content.size(); ++size) {
      const Check checked = check(std::string_view(content).substr(0, size));
      ASSERT_EQ(checked.state, State::CutOff) << size << ": " << checked.reason;
      ASSERT_EQ(checked.bytes, whole) << size;
    }
    EXPECT_EQ(check(content).state, State::Sound);
  }
}

// Regression: Redis started empty after a restore that was killed.
TEST(AppendOnlyFile, IsRefusedWhileARestoreHasNotEnded) {
  const fakes::TemporaryDirectory directory;
  const std::string state = directory.path("");
  EXPECT_TRUE(repair(state)) << "the first start";
  std::ofstream(directory.path(kUnfinished)) << "svcctl restore --yes /srv/today.tar.zst\n";
  const auto refused = repair(state);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().ends_with(": svcctl restore --yes /srv/today.tar.zst"))
      << refused.error();
  std::filesystem::remove(directory.path(kUnfinished));
  EXPECT_TRUE(repair(state));
}

// Some file systems leave such a file after a power loss.
TEST(AppendOnlyFile, IsCutOffIfOnlyZerosFollow) {
  for (const std::string& begun : {std::string(), kTransaction.substr(0, 60), kSet.substr(0, 13)}) {
    const Check checked = check(kSelect + begun + std::string(200, '\0'));
    EXPECT_EQ(checked.state, State::CutOff) << begun << checked.reason;
    EXPECT_EQ(checked.bytes, kSelect.size()) << begun;
  }
}

TEST(AppendOnlyFile, IsCorruptIfMoreThanItsEndIsMissing) {
  const std::string multi = command({"MULTI"});
  const std::string exec = command({"EXEC"});
  const struct {
    std::string content;
    std::size_t at;
  } cases[] = {
      {kSet + "x" + kSet, kSet.size()},
      {kSet + kSet.substr(1), kSet.size()},
      {kSet + std::string(100, '\0') + kSet, kSet.size()},
      {kSet + "*0\r\n", kSet.size() + 4},
      {kSet + "*x\r\n", kSet.size() + 1},
      {kSet + "*99999999999999999999\r\n", kSet.size() + 11},
      // A count or a length that is too small or too large.
      {"*2" + kSet.substr(2) + kSet, kSet.find("$6")},
      {"*4" + kSet.substr(2) + kSet, kSet.size()},
      {"*3\r\n$2" + kSet.substr(6), 10},
      {"*3\r\n$9" + kSet.substr(6) + kSet, 17},
      {"*3\r\n$999" + kSet.substr(6) + kSet, 10},
      {"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$3\r\nv\r\n", 24},
      // MULTI and EXEC that do not match.
      {exec + kSet, 0},
      {kTransaction + exec, kTransaction.size()},
      {multi + kSet + kTransaction, multi.size() + kSet.size()},
      // Commands that Redis appended to an incomplete transaction.
      {kSet + multi + kSet + kSelect + kSet, kSet.size()},
      // An EXEC that became unreadable, and a command that was acknowledged
      // after it.
      {kSet + multi + kSet + command({"EXEB"}) + kSet, kSet.size()},
  };
  for (const auto& c : cases) {
    const Check checked = check(c.content);
    EXPECT_EQ(checked.state, State::Corrupt) << c.content;
    EXPECT_EQ(checked.bytes, c.at) << c.content << checked.reason;
    EXPECT_NE(checked.reason, "");
  }
}

class Repair : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(directory_.path("appendonlydir"));
    std::ofstream(directory_.path(name), std::ios::binary) << content;
  }
  std::string read(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(directory_.path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  void write_manifest() {
    write(
        "appendonlydir/appendonly.aof.manifest",
        "file appendonly.aof.2.base.rdb seq 2 type b\nfile appendonly.aof.1.incr.aof seq 1 type h\n"
        "file appendonly.aof.3.incr.aof seq 3 type i\nfile appendonly.aof.4.incr.aof seq 4 type "
        "i\n");
  }
  base::Result<std::string, std::string> repair() {
    return svc::repair::repair(std::filesystem::path(directory_.path("x")).parent_path());
  }

  fakes::TemporaryDirectory directory_;
  const std::string last_ = "appendonlydir/appendonly.aof.4.incr.aof";
};

TEST_F(Repair, DoesNothingBeforeTheFirstFileExists) {
  auto repaired = repair();
  ASSERT_TRUE(repaired);
  EXPECT_EQ(*repaired, "");
  write_manifest();
  repaired = repair();
  ASSERT_TRUE(repaired);
  EXPECT_EQ(*repaired, "") << "Redis says that the file is missing";
}

// Redis would start a new manifest without the data.
TEST_F(Repair, RefusesDataThatIsInNoManifest) {
  const std::string manifest = "appendonlydir/appendonly.aof.manifest";
  const std::string base = "appendonlydir/appendonly.aof.1.base.rdb";
  write(base, std::string(89, 'e'));
  write(last_, "");
  EXPECT_TRUE(repair()) << "a first start that was killed: both are empty";
  write(last_, kSet);
  auto repaired = repair();
  ASSERT_FALSE(repaired);
  EXPECT_NE(repaired.error().find(manifest + " cannot be read"), std::string::npos)
      << repaired.error();
  EXPECT_NE(repaired.error().find(last_), std::string::npos);
  write(manifest, "file appendonly.aof.1.base.rdb seq 1 type b\n");
  repaired = repair();
  ASSERT_FALSE(repaired);
  EXPECT_NE(repaired.error().find(manifest + " does not name a file of commands"),
            std::string::npos)
      << repaired.error();
  write(last_, "");
  write(base, std::string(4096, 'd'));
  EXPECT_FALSE(repair());
}

TEST_F(Repair, TruncatesTheLastFileAndSavesTheRest) {
  write_manifest();
  write("appendonlydir/appendonly.aof.3.incr.aof", "not looked at");
  for (const std::string& cut : {kTransaction.substr(0, 60), kTransaction.substr(0, 3)}) {
    write(last_, kSelect + kSet + cut);
    const auto repaired = repair();
    ASSERT_TRUE(repaired);
    EXPECT_NE(repaired->find(last_ + ": removed the last " + std::to_string(cut.size()) + " of "),
              std::string::npos)
        << *repaired;
    EXPECT_EQ(read(last_), kSelect + kSet);
    EXPECT_EQ(read("appendonly.cut"), cut);
    EXPECT_EQ(*repair(), "");
  }
  EXPECT_EQ(read("appendonlydir/appendonly.aof.3.incr.aof"), "not looked at");
}

TEST_F(Repair, TruncatesEvenIfItCannotSaveTheRest) {
  write_manifest();
  write(last_, kSet + "*3");
  std::filesystem::create_directory(directory_.path("appendonly.cut"));
  const auto repaired = repair();
  ASSERT_TRUE(repaired);
  EXPECT_NE(repaired->find("could not be saved"), std::string::npos) << *repaired;
  EXPECT_EQ(read(last_), kSet);
}

TEST_F(Repair, LeavesACorruptFileUnchangedAndNamesTheRemedy) {
  write_manifest();
  const std::string content = kSet + "?" + kSet;
  write(last_, content);
  const auto repaired = repair();
  ASSERT_FALSE(repaired);
  EXPECT_NE(repaired.error().find("corrupt at byte " + std::to_string(kSet.size())),
            std::string::npos)
      << repaired.error();
  EXPECT_NE(repaired.error().find("redis-check-aof --fix"), std::string::npos);
  EXPECT_EQ(read(last_), content);
  EXPECT_FALSE(std::filesystem::exists(directory_.path("appendonly.cut")));
}

}  // namespace
}  // namespace svc::repair
