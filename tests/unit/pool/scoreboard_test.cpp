#include "pool/scoreboard.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <set>
#include <string>

namespace svc::pool {
namespace {

TEST(Scoreboard, BeginsWithFreeSlots) {
  Scoreboard board(3);
  EXPECT_EQ(board.slots().size(), 3u);
  for (Slot& slot : board.slots()) {
    EXPECT_EQ(slot.phase, Phase::Free);
    EXPECT_EQ(slot.pid, 0);
    EXPECT_EQ(slot.requests, 0u);
    EXPECT_EQ(slot.connections, 0u);
    EXPECT_EQ(slot.path_text(), "");
  }
}

TEST(Scoreboard, GivesEverySlotCacheLinesOfItsOwn) {
  Scoreboard board(2);
  const auto first = reinterpret_cast<std::uintptr_t>(&board.slot(0));
  const auto second = reinterpret_cast<std::uintptr_t>(&board.slot(1));
  EXPECT_EQ(first % 64, 0u);
  EXPECT_EQ((second - first) % 64, 0u);
}

TEST(Scoreboard, IsSharedAcrossFork) {
  Scoreboard board(2);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Slot& slot = board.slot(1);
    slot.pid = getpid();
    slot.requests = 42;
    slot.begin_request("/oembed", 7);
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(board.slot(1).pid, child);
  EXPECT_EQ(board.slot(1).requests, 42u);
  EXPECT_EQ(board.slot(1).phase, Phase::Handling);
  EXPECT_EQ(board.slot(1).since, 7);
  EXPECT_EQ(board.slot(1).path_text(), "/oembed");
  EXPECT_EQ(board.slot(0).phase, Phase::Free) << "a slot is its own worker's";
}

TEST(Slot, KeepsAPathAsFarAsItFits) {
  Slot slot;
  slot.begin_request("/oembed.json", 1);
  EXPECT_EQ(slot.path_text(), "/oembed.json");
  const std::string fits(79, 'p');
  slot.begin_request(fits, 2);
  EXPECT_EQ(slot.path_text(), fits);
  slot.begin_request(std::string(5000, 'q'), 3);
  EXPECT_EQ(slot.path_text(), std::string(79, 'q'));
  slot.begin_request("", 4);
  EXPECT_EQ(slot.path_text(), "");
  slot.begin_request("/short", 5);
  EXPECT_EQ(slot.path_text(), "/short") << "nothing of the longer path before";
}

TEST(Slot, IsFreeAgainOnceItIsReset) {
  Slot slot;
  slot.pid = 4711;
  slot.requests = 3;
  slot.connections = 2;
  slot.begin_request("/oembed", 99);
  slot.reset();
  EXPECT_EQ(slot.phase, Phase::Free);
  EXPECT_EQ(slot.pid, 0);
  EXPECT_EQ(slot.since, 0);
  EXPECT_EQ(slot.requests, 0u);
  EXPECT_EQ(slot.connections, 0u);
  EXPECT_EQ(slot.path_text(), "");
}

TEST(Phase, HasAWordEach) {
  std::set<std::string_view> words;
  for (const Phase phase : {Phase::Free, Phase::Starting, Phase::Idle, Phase::Handling,
                            Phase::Writing, Phase::Draining}) {
    EXPECT_NE(to_text(phase), "unknown");
    words.insert(to_text(phase));
  }
  EXPECT_EQ(words.size(), 6u);
  EXPECT_EQ(to_text(Phase::Idle), "idle");
}

}  // namespace
}  // namespace svc::pool
