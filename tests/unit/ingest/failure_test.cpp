#include "ingest/failure.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <string_view>

namespace svc::ingest {
namespace {

TEST(Failure, BlamesTheFileOrTheMachine) {
  struct Case {
    std::string_view name;
    Outcome outcome;
    bool final;
    std::string_view reason;
  };
  const auto says = [](const char* text) { return Outcome{End::Exited, 1, text}; };
  const auto killed = [](int number) { return Outcome{End::Signalled, number, ""}; };
  const std::string_view damaged = "The file is damaged or of a kind that is not supported.";
  const std::string_view index = "The file is incomplete: its index is missing.";
  const std::string_view memory = "The file needs more memory than is allowed.";
  const std::string_view slow = "Processing the file takes too long.";
  const std::string_view busy = "The machine was too busy to process the file.";
  const std::string_view decoder = "The file is damaged: its decoder failed.";
  const std::string_view interrupted = "Processing was interrupted.";
  const std::string_view machine = "The machine could not process the file.";
  const Outcome missing{End::NotStarted, 2, "cannot start: exec"};
  for (const Case& c : {
           Case{"invalid data", says("x: Invalid data found"), true, damaged},
           Case{"nothing said", {End::Exited, 69, ""}, true, damaged},
           Case{"no index", says("moov atom not found"), true, index},
           Case{"a full disk", says("av_write: No space left on device"), false,
                "The disk is full."},
           Case{"no memory", says("Cannot allocate memory"), true, memory},
           Case{"time", {End::TimedOut, 0, ""}, true, slow},
           Case{"no processor time", {End::Starved, 0, ""}, false, busy},
           Case{"processor time", killed(SIGXCPU), true, slow},
           Case{"size", killed(SIGXFSZ), true, "The result would be too large."},
           Case{"a crash", killed(SIGSEGV), true, decoder},
           Case{"killed", killed(SIGKILL), false, interrupted},
           Case{"ended", killed(SIGTERM), false, interrupted},
           Case{"cancelled", {End::Cancelled, 0, ""}, false, "Processing was cancelled."},
           Case{"no program", missing, false, machine},
       }) {
    SCOPED_TRACE(c.name);
    const Failure failure = failure_of(c.outcome);
    EXPECT_EQ(failure.final, c.final);
    EXPECT_EQ(failure.reason, c.reason);
    EXPECT_EQ(failure.detail, c.outcome.errors);
  }
}

}  // namespace
}  // namespace svc::ingest
