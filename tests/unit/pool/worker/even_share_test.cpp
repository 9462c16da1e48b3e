#include <gtest/gtest.h>

#include <chrono>
#include <string_view>
#include <vector>

#include "fakes/manual_clock.h"
#include "pool/worker/worker.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;

TEST(EvenShare, DoesNotAcceptWhileAnotherWorkerHoldsTwoFewer) {
  struct Other {
    Phase phase;
    std::uint32_t connections;
    std::chrono::milliseconds silent{0};  // since its last heartbeat
  };
  const fakes::ManualClock clock;
  struct Case {
    std::string_view name;
    std::size_t held;
    std::vector<Other> others;
    bool accepts;
  };
  for (const Case& c : {
           Case{"alone", 100, {}, true},
           Case{"nothing held", 0, {{Phase::Idle, 0}}, true},
           Case{"one held", 1, {{Phase::Idle, 0}}, true},
           Case{"two held, another holds none", 2, {{Phase::Idle, 0}}, false},
           Case{"two held, another holds one", 2, {{Phase::Idle, 1}}, true},
           Case{"ten held, another holds nine", 10, {{Phase::Idle, 9}}, true},
           Case{"ten held, another holds eight", 10, {{Phase::Idle, 8}}, false},
           Case{"fewer held than another", 3, {{Phase::Idle, 9}}, true},
           Case{"one of several holds fewer", 10, {{Phase::Idle, 10}, {Phase::Idle, 3}}, false},
           Case{"the other handles requests", 10, {{Phase::Handling, 0}}, false},
           Case{"the other handles requests and holds one less", 10, {{Phase::Handling, 9}}, true},
           Case{"the other drains", 10, {{Phase::Draining, 0}}, true},
           Case{"the other starts", 10, {{Phase::Starting, 0}}, true},
           Case{"the other's loop turned a second ago", 10, {{Phase::Idle, 0, 1000ms}}, false},
           // Regression: a stopped worker kept all others from accepting.
           Case{"the other's loop turns no more", 10, {{Phase::Idle, 0, 1500ms}}, true},
           Case{"it hangs in a request", 10, {{Phase::Handling, 0, 1500ms}}, true},
           Case{"the other slot is free", 10, {{Phase::Free, 0}}, true},
       }) {
    SCOPED_TRACE(c.name);
    Scoreboard board(c.others.size() + 1);
    Slot& own = board.slot(c.others.size());
    own.phase = Phase::Idle;
    for (std::size_t i = 0; i < c.others.size(); ++i) {
      board.slot(i).phase = c.others[i].phase;
      board.slot(i).connections = c.others[i].connections;
      board.slot(i).beat = (clock.now() - c.others[i].silent).time_since_epoch().count();
    }
    EvenShare share(board, own, clock);
    EXPECT_EQ(share.may_accept(c.held), c.accepts);
    EXPECT_EQ(own.connections, c.held) << "which the others go by";
  }
}

}  // namespace
}  // namespace svc::pool
