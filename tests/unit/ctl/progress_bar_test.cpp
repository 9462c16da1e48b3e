#include "ctl/progress_bar.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "base/unique_fd.h"
#include "fakes/waiting.h"

namespace svc::ctl {
namespace {

// Standard error is this file, for as long as the object lives.
class StandardError {
 public:
  explicit StandardError(int fd) : before_(dup(STDERR_FILENO)) { dup2(fd, STDERR_FILENO); }
  ~StandardError() { dup2(before_.get(), STDERR_FILENO); }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;

 private:
  const base::UniqueFd before_;
};

// Returns the bytes that have arrived, without waiting.
std::string read_terminal(int fd) {
  std::string all;
  std::array<char, 4096> piece{};
  for (pollfd ready{fd, POLLIN, 0}; poll(&ready, 1, 0) == 1 && (ready.revents & POLLIN) != 0;) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got <= 0) break;
    all.append(piece.data(), static_cast<std::size_t>(got));
  }
  return all;
}

// A terminal: bytes written to `inner` are read from `outer` unchanged.
class ProgressBarOnATerminal : public testing::Test {
 protected:
  void SetUp() override {
    outer_ = base::UniqueFd(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    ASSERT_TRUE(outer_);
    ASSERT_EQ(grantpt(outer_.get()), 0);
    ASSERT_EQ(unlockpt(outer_.get()), 0);
    inner_ = base::UniqueFd(open(ptsname(outer_.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    ASSERT_TRUE(inner_);
    termios settings{};
    ASSERT_EQ(tcgetattr(inner_.get(), &settings), 0);
    cfmakeraw(&settings);
    ASSERT_EQ(tcsetattr(inner_.get(), TCSANOW, &settings), 0);
  }
  // Updates until something is drawn, and answers what.
  std::string drawn(ProgressBar& bar, std::uint64_t done, std::uint64_t records) {
    std::string text;
    fakes::wait_until([&] {
      bar.update(done, records);
      text = read_terminal(outer_.get());
      return !text.empty();
    });
    return text;
  }

  base::UniqueFd outer_;
  base::UniqueFd inner_;
};

TEST_F(ProgressBarOnATerminal, ShowsHowFarItIs) {
  const StandardError redirected(inner_.get());
  struct Case {
    std::uint64_t done, total;
    std::string bar;
  };
  for (const Case& c : {
           Case{0, 200, "[..............................]   0 %"},
           Case{50, 200, "[#######.......................]  25 %"},
           Case{200, 200, "[##############################] 100 %"},
           Case{300, 200, "[##############################] 100 %"},
           Case{0, 0, "[##############################] 100 %"},
       }) {
    SCOPED_TRACE(c.bar);
    read_terminal(outer_.get());  // what wiped the bar before
    ProgressBar bar("writing", c.total);
    const std::string text = drawn(bar, c.done, 1234);
    EXPECT_TRUE(text.starts_with("\r\033[Kwriting   " + c.bar + "  1234 records, ")) << text;
    EXPECT_TRUE(text.ends_with("/s")) << text;
  }
}

TEST_F(ProgressBarOnATerminal, WipesItsLineWhenItGoes) {
  const StandardError redirected(inner_.get());
  {
    ProgressBar bar("checking", 10);
    ASSERT_NE(drawn(bar, 5, 5), "");
  }
  EXPECT_EQ(read_terminal(outer_.get()), "\r\033[K");
  { ProgressBar never_drawn("checking", 10); }
  EXPECT_EQ(read_terminal(outer_.get()), "");
}

TEST_F(ProgressBarOnATerminal, DrawsTenTimesASecondAtMost) {
  const StandardError redirected(inner_.get());
  const auto began = std::chrono::steady_clock::now();
  ProgressBar bar("writing", 10);
  for (int i = 0; i < 100'000; ++i) bar.update(5, 5);
  const auto took = std::chrono::steady_clock::now() - began;
  const std::string text = read_terminal(outer_.get());
  EXPECT_LE(std::count(text.begin(), text.end(), '\r'), took / std::chrono::milliseconds(100));
}

TEST(ProgressBar, IsSilentWithoutATerminal) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const base::UniqueFd reading(ends[0]);
  const base::UniqueFd writing(ends[1]);
  const StandardError redirected(writing.get());
  const auto began = std::chrono::steady_clock::now();
  {
    ProgressBar bar("writing", 10);
    while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(150)) {
      bar.update(5, 5);
    }
  }
  EXPECT_EQ(read_terminal(reading.get()), "");
}

}  // namespace
}  // namespace svc::ctl
