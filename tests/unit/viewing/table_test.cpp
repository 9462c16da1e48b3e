#include "viewing/table.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <memory>

namespace svc::viewing {
namespace {

constexpr std::int64_t kNow = 1'790'000'000;
constexpr std::int64_t kDay = 86'400;

std::chrono::sys_days day_of(std::int64_t time) {
  return std::chrono::sys_days(std::chrono::days(time / kDay));
}

class ViewingTable : public testing::Test {
 protected:
  static media::HashedId media(const std::string& id = "film") {
    return *media::HashedId::parse(id);
  }
  Table::Taken tell(int session, const std::string& what, const std::string& id = "film",
                    std::int64_t now = kNow) {
    std::string name = std::to_string(session);
    name.resize(kSession, '_');
    const std::string text = "v1 " + name + " " + what;
    return table_->count(media(id), *parse_beacon(text), {"192.0.2.1", "Browser"}, now);
  }
  // Writes all, as a worker would. Returns the stored counts.
  std::map<std::string, Counts> write(std::int64_t now = kNow) {
    Table::Batch batch = table_->take(100, day_of(now));
    const std::size_t medias = batch.entries().size();
    for (std::size_t i = 0; i < medias; ++i) batch.is_of(i, media::AccountId{7}, 100);
    batch.add_accounts();
    for (std::size_t i = 0; i < batch.entries().size(); ++i) {
      const Table::Entry& entry = batch.entries()[i];
      const std::string subject = i < medias ? entry.media.value() : "account";
      const bool is_new =
          stored_.insert_or_assign(subject + std::to_string(entry.name), entry.counts).second;
      visitors_ += entry.visitors.size();
      batch.written(i, is_new ? Table::Had::Nothing : Table::Had::Former);
    }
    std::map<std::string, Counts> sums;
    for (const auto& [field, counts] : stored_)
      sums[field.substr(0, field.find_first_of("0123456789"))] += counts;
    return sums;
  }

  std::unique_ptr<Table> table_ = std::make_unique<Table>(Limits{800, 1000});
  std::map<std::string, Counts> stored_;
  std::size_t visitors_ = 0;
};

TEST_F(ViewingTable, AddsTheMediaOfAnAccount) {
  for (const char* id : {"film", "clip"}) {
    tell(1, "load", id);
    tell(1, "play", id);
    tell(1, "seen 0-9", id);
  }
  auto stored = write();
  EXPECT_EQ(stored["film"].watched, 10'000U);
  EXPECT_EQ(stored["account"].plays, 2U);
  EXPECT_EQ(stored["account"].watched, 20'000U);
  EXPECT_EQ(table_->due(), 0U);
  tell(1, "seen 10-19", "film");
  stored = write();
  EXPECT_EQ(stored["account"].watched, 30'000U);
  EXPECT_EQ(visitors_, 2U);
}

TEST_F(ViewingTable, WhatWasNotStoredIsTakenAgain) {
  tell(1, "load");
  {
    const Table::Batch lost = table_->take(100, day_of(kNow));
    ASSERT_EQ(lost.entries().size(), 1U);
    EXPECT_EQ(lost.entries().front().visitors.size(), 1U);
    // Another worker may not write at the same time.
    EXPECT_TRUE(table_->take(100, day_of(kNow)).entries().empty());
    tell(2, "load");
  }
  EXPECT_EQ(table_->due(), 1U);
  EXPECT_EQ(write()["film"].loads, 2U);
  EXPECT_EQ(visitors_, 2U);
  EXPECT_EQ(table_->due(), 0U);
}

TEST_F(ViewingTable, AnEventDuringAWriteIsWrittenNext) {
  tell(1, "load");
  {
    Table::Batch batch = table_->take(100, day_of(kNow));
    batch.is_of(0, media::AccountId{7}, 100);
    tell(1, "play");
    batch.written(0, Table::Had::Nothing);
  }
  EXPECT_EQ(table_->due(), 2U);  // and the account
  EXPECT_EQ(write()["film"].plays, 1U);
}

TEST_F(ViewingTable, AWorkerThatIsKilledLosesNothing) {
  const pid_t child = fork();
  if (child == 0) {
    tell(1, "load");
    tell(1, "play");
    const Table::Batch batch = table_->take(100, day_of(kNow));
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto stored = write();
  EXPECT_EQ(stored.at("film").loads, 1U);
  EXPECT_EQ(stored.at("film").plays, 1U);
  EXPECT_EQ(visitors_, 1U);
}

TEST_F(ViewingTable, ADayBeginsAnew) {
  tell(1, "load");
  tell(1, "seen 0-9");
  tell(1, "play", "film", kNow + kDay);
  tell(1, "seen 0-19", "film", kNow + kDay);
  Table::Batch batch = table_->take(100, day_of(kNow + kDay));
  ASSERT_EQ(batch.entries().size(), 2U);
  EXPECT_EQ(batch.entries()[0].day, day_of(kNow));
  EXPECT_EQ(batch.entries()[1].counts.seen.at(5), 0U);  // it is the same session
  EXPECT_EQ(batch.entries()[1].counts.seen.at(15), 1U);
  EXPECT_NE(batch.entries()[0].name, batch.entries()[1].name);
}

TEST_F(ViewingTable, HasRoomForEachMediaOfADayAndForgetsThoseOfEarlierOnes) {
  std::size_t taken = 0;
  for (int day = 0; day < 3; ++day) {
    for (int i = 0; i < 6000; ++i)
      taken += tell(day, "load", "m" + std::to_string(i), kNow + day * kDay) == Table::Taken::Yes
                   ? 1U
                   : 0U;
    while (table_->due() > 0) write(kNow + day * kDay);
    stored_.clear();
  }
  EXPECT_GT(taken, 800U);
  EXPECT_EQ(table_->sessions(), 800U);
}

TEST_F(ViewingTable, WhatTheStoreMayHaveAddedUpIsNotWrittenAgain) {
  tell(1, "load");
  tell(1, "seen 0-9");
  auto stored = write();
  tell(2, "load");
  tell(2, "seen 5-9");
  // The store was unavailable for two days.
  const std::size_t names = stored_.size();
  stored = write(kNow + 2 * kDay);
  EXPECT_EQ(stored_.size(), names + 2);  // the media and its account, by new names
  EXPECT_EQ(stored["film"].loads, 2U);
  EXPECT_EQ(stored["film"].seen.at(5), 2U);
  EXPECT_EQ(stored["film"].seen.at(0), 1U);
  EXPECT_EQ(stored["account"].loads, 2U);
  EXPECT_EQ(stored["account"].watched, 15'000U);
}

TEST_F(ViewingTable, TodaysEntriesAreNotGivenUpForOthersOfToday) {
  for (int day = 0; day < 2; ++day) {
    for (int i = 0; i < 7000; ++i)
      tell(1, "load", "d" + std::to_string(day) + "m" + std::to_string(i), kNow + day * kDay);
    while (table_->due() > 0) write(kNow + day * kDay);
  }
  const std::size_t before = stored_.size();
  for (int i = 0; i < 7000; ++i) tell(1, "play", "d1m" + std::to_string(i), kNow + kDay);
  while (table_->due() > 0) write(kNow + kDay);
  EXPECT_EQ(stored_.size(), before);
}

TEST_F(ViewingTable, CountsOfAMediaThatIsGoneGo) {
  tell(1, "load");
  {
    Table::Batch batch = table_->take(100, day_of(kNow));
    batch.drop(0);
  }
  EXPECT_EQ(table_->due(), 0U);
  EXPECT_TRUE(write().empty());
}

TEST_F(ViewingTable, PoolsThatShareASaltSeeOneVisitor) {
  Table other(Limits{80, 1000});
  tell(1, "load");
  const auto salt = table_->salt_to_share(kNow);
  ASSERT_TRUE(salt);
  table_->use_salt(*salt);
  EXPECT_FALSE(table_->salt_to_share(kNow));
  const auto digest_of = [](Table& table, const std::string& session) {
    const std::string text = "v1 " + session + " load";
    table.count(media(), *parse_beacon(text), {"192.0.2.9", "Browser"}, kNow);
    const Table::Batch batch = table.take(100, day_of(kNow));
    return batch.entries().front().visitors.back();
  };
  digest_of(other, std::string(kSession, 'a'));
  other.use_salt(*salt);
  EXPECT_EQ(digest_of(*table_, std::string(kSession, 'b')),
            digest_of(other, std::string(kSession, 'c')));
  // Another day has another, also without viewers.
  const auto next = table_->salt_to_share(kNow + kDay);
  ASSERT_TRUE(next);
  EXPECT_NE(next->bytes, salt->bytes);
}

}  // namespace
}  // namespace svc::viewing
