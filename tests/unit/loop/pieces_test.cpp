#include "loop/pieces.h"

#include <gtest/gtest.h>

#include <string>

#include "base/clock.h"

namespace svc::loop {
namespace {

class PiecesTest : public testing::Test {
 protected:
  static Task<> work(Pieces& pieces, std::string& order, char name, std::size_t bytes, int times) {
    for (int i = 0; i < times; ++i) {
      order += name;
      Task<> pausing = pieces.add(bytes);
      co_await pausing;
    }
    order += '.';
  }

  base::SteadyClock clock_;
  Loop loop_{clock_};
  Pieces pieces_{loop_};
  std::string order_;
};

TEST_F(PiecesTest, ATurnOfTheLoopHasOnePieceAndRequestsTakeTurns) {
  Scope scope(loop_);
  for (const char name : {'a', 'b', 'c'})
    scope.spawn(work(pieces_, order_, name, Pieces::kBytes, 3));
  EXPECT_EQ(order_, "abc") << "each begins";
  std::size_t before = order_.size();
  while (!scope.is_empty()) {
    loop_.turn(std::chrono::milliseconds(10));
    EXPECT_LE(order_.size(), before + 1) << "at most a piece in a turn";
    before = order_.size();
  }
  EXPECT_EQ(order_, "abcabcabc...");
}

TEST_F(PiecesTest, LittleWorkDoesNotWait) {
  Scope scope(loop_);
  scope.spawn(work(pieces_, order_, 'a', Pieces::kBytes / 10, 9));
  EXPECT_EQ(order_, "aaaaaaaaa.");
}

TEST_F(PiecesTest, ARequestThatIsCancelledKeepsNoOtherWaiting) {
  Scope other(loop_);
  {
    Scope scope(loop_);
    scope.spawn(work(pieces_, order_, 'a', Pieces::kBytes, 3));
    other.spawn(work(pieces_, order_, 'b', Pieces::kBytes, 2));
  }
  while (!other.is_empty()) loop_.turn(std::chrono::milliseconds(10));
  EXPECT_EQ(order_, "abb.");
}

}  // namespace
}  // namespace svc::loop
