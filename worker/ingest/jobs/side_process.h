// SideProcess: a further process of svc-ingest. It runs the same program, for one kind of work, and
// ends with the first process.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "base/clock.h"

namespace svc::ingest {

enum class Side : std::uint8_t {
  All,   // the first process: all uploads
  Short  // short uploads only (kShortLane), so that they do not wait for hours after a film
};

struct SideName {
  std::string_view suffix;  // of the consumer
  const char* title;        // in the command line that ps shows
  const char* process_name;
};
inline constexpr std::array<SideName, 2> kSides{
    {{"", "svc-ingest: all uploads", "svc-ingest"},
     {"short", "svc-ingest: short uploads", "svc-short-lane"}}};

class SideProcess {
 public:
  // `arguments`: those of main().
  SideProcess(Side side, char** arguments) : side_(side), arguments_(arguments) {}
  SideProcess(const SideProcess&) = delete;
  SideProcess& operator=(const SideProcess&) = delete;
  ~SideProcess() { end(); }

  // That of this process.
  static Side here();

  // Starts it, also again if it has ended, at most once a second. A failure is logged.
  void keep(base::TimePoint now);
  // Ends it and waits for that.
  void end();

 private:
  const SideName& name() const { return kSides[static_cast<std::size_t>(side_)]; }

  const Side side_;
  char** const arguments_;
  pid_t process_ = 0;
  base::TimePoint next_start_{};
};

}  // namespace svc::ingest
