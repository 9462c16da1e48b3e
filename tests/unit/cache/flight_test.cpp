#include "cache/flight.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

namespace svc::cache {
namespace {

using namespace std::chrono_literals;
using Claim = Flight::Claim;

constexpr std::uint64_t kHash = 0x123456789abcdef0;
constexpr std::uint64_t kSameSlot = kHash + (std::uint64_t{Flight::kSlots} << 30);

// Runs it in another process, which then waits for a byte, or ends at once; gives its pid.
class Other {
 public:
  template <class What>
  explicit Other(What what) {
    EXPECT_EQ(pipe(begun_.data()), 0);
    EXPECT_EQ(pipe(end_.data()), 0);
    pid_ = fork();
    if (pid_ == 0) {
      what();
      [[maybe_unused]] ssize_t done = write(begun_[1], "x", 1);
      char byte = 0;
      done = read(end_[0], &byte, 1);
      what();
      _exit(0);
    }
    char byte = 0;
    EXPECT_EQ(read(begun_[0], &byte, 1), 1);
  }
  ~Other() { finish(); }
  void finish() {
    if (pid_ == 0) return;
    EXPECT_EQ(write(end_[1], "x", 1), 1);
    waitpid(std::exchange(pid_, 0), nullptr, 0);
    for (const int fd : {begun_[0], begun_[1], end_[0], end_[1]}) close(fd);
  }
  void kill_now() {
    kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, 0), nullptr, 0);
  }

 private:
  std::array<int, 2> begun_{};
  std::array<int, 2> end_{};
  pid_t pid_ = 0;
};

TEST(Flight, C3OneMakesItAndTheOthersHaveIt) {
  Flight flight;
  EXPECT_EQ(flight.claim(kHash), Claim::Mine);
  EXPECT_EQ(flight.claim(kHash), Claim::Ours);
  EXPECT_EQ(flight.claim(kSameSlot), Claim::Apart);
  EXPECT_FALSE(flight.read(kHash)) << "not there yet";
  flight.land(kHash, "the answer");
  EXPECT_EQ(flight.claim(kHash), Claim::Landed);
  EXPECT_EQ(flight.read(kHash), "the answer");
  EXPECT_FALSE(flight.read(kSameSlot));
  EXPECT_EQ(flight.claim_again(kHash), Claim::Mine) << "what lies there is too old";
  EXPECT_FALSE(flight.read(kHash));
}

TEST(Flight, C3WaitsForWhoIsAtIt) {
  Flight flight;
  bool landing = false;
  Other other([&] {
    if (!landing) flight.claim(kHash);
    if (landing) flight.land(kHash, "theirs");
    landing = true;
  });
  EXPECT_EQ(flight.claim(kHash), Claim::Theirs);
  EXPECT_EQ(flight.claim(kSameSlot), Claim::Apart) << "another request, for which nobody waits";
  EXPECT_FALSE(flight.wait(kHash, 1ms)) << "a bounded time";
  std::thread later([&] { other.finish(); });
  EXPECT_TRUE(flight.wait(kHash, 30s));
  later.join();
  EXPECT_EQ(flight.read(kHash), "theirs");
}

TEST(Flight, C3TakesOverFromWhoDied) {
  Flight flight;
  Other other([&] { flight.claim(kHash); });
  EXPECT_EQ(flight.claim(kHash), Claim::Theirs);
  other.kill_now();
  EXPECT_FALSE(flight.wait(kHash, 30s)) << "at once";
  EXPECT_EQ(flight.claim(kHash), Claim::Mine);
}

TEST(Flight, C3HandsNothingOverThatDoesNotFit) {
  Flight flight;
  EXPECT_EQ(flight.claim(kHash), Claim::Mine);
  flight.land(kHash, std::string(Flight::kRoom + 1, 'x'));
  EXPECT_FALSE(flight.read(kHash));
  EXPECT_EQ(flight.claim(kHash), Claim::Mine) << "nothing lies there";
  flight.land(kHash, std::string(Flight::kRoom, 'x'));
  EXPECT_EQ(flight.read(kHash)->size(), Flight::kRoom);
}

TEST(Flight, C3WhoMakesItLetsAllHearFirstWhoListen) {
  using Steady = std::chrono::steady_clock;
  Flight flight;
  constexpr std::uint64_t kKey = 12345;
  const base::TimePoint change{1h};
  flight.hears();
  flight.wait_until_others_heard(kKey, change, 30s);  // alone: at once
  int calls = 0;
  Other other([&] {
    flight.hears();
    if (++calls > 1) flight.heard(kKey, change);
  });
  // It listens and has not heard of it yet.
  const auto before = Steady::now();
  flight.wait_until_others_heard(kKey, change, 20ms);
  EXPECT_GE(Steady::now() - before, 20ms);
  std::thread later([&] { other.finish(); });
  flight.wait_until_others_heard(kKey, change, 30s);
  EXPECT_LT(Steady::now() - before, 25s);
  later.join();
  flight.wait_until_others_heard(kKey, change + 1s, 30s);  // it is gone
  EXPECT_LT(Steady::now() - before, 25s);
}

}  // namespace
}  // namespace svc::cache
