// ShortLane: the second process of svc-ingest. It takes short uploads only
// (kShortLane), so that a short upload does not wait for hours after a film. The
// process runs the same program, and ends with the first process.
#pragma once

#include <sys/types.h>

#include "base/clock.h"

namespace svc::ingest {

class ShortLane {
 public:
  // `arguments`: those of main().
  explicit ShortLane(char** arguments) : arguments_(arguments) {}
  ShortLane(const ShortLane&) = delete;
  ShortLane& operator=(const ShortLane&) = delete;
  ~ShortLane() { end(); }

  // Returns true in the second process.
  static bool is_here();

  // Starts it, also again if it has ended, at most once a second. A failure is
  // logged: the first process takes short uploads, too.
  void keep(base::TimePoint now);
  // Ends it and waits for that.
  void end();

 private:
  char** const arguments_;
  pid_t process_ = 0;
  base::TimePoint next_start_{};
};

}  // namespace svc::ingest
