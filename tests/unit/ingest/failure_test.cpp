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
  const std::string_view damaged = "The file is damaged or of a kind that is not supported.";
  for (const Case& c : {
           Case{"invalid data", {End::Exited, 1, "x: Invalid data found"}, true, damaged},
           Case{"nothing said", {End::Exited, 69, ""}, true, damaged},
           Case{"no index",
                {End::Exited, 1, "moov atom not found"},
                true,
                "The file is incomplete: its index is missing."},
           Case{"a full disk",
                {End::Exited, 1, "av_write: No space left on device"},
                false,
                "The disk is full."},
           Case{"no memory",
                {End::Exited, 1, "Cannot allocate memory"},
                true,
                "The file needs more memory than is allowed."},
           Case{"time", {End::TimedOut, 0, ""}, true, "Processing the file takes too long."},
           Case{"no processor time",
                {End::Starved, 0, ""},
                false,
                "The machine was too busy to process the file."},
           Case{"processor time",
                {End::Signalled, SIGXCPU, ""},
                true,
                "Processing the file takes too long."},
           Case{"size", {End::Signalled, SIGXFSZ, ""}, true, "The result would be too large."},
           Case{"a crash",
                {End::Signalled, SIGSEGV, ""},
                true,
                "The file is damaged: its decoder failed."},
           Case{"killed", {End::Signalled, SIGKILL, ""}, false, "Processing was interrupted."},
           Case{"ended", {End::Signalled, SIGTERM, ""}, false, "Processing was interrupted."},
           Case{"cancelled", {End::Cancelled, 0, ""}, false, "Processing was cancelled."},
           Case{"no program",
                {End::NotStarted, 2, "cannot start: exec"},
                false,
                "The machine could not process the file."},
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
