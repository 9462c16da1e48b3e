// Clock (monotonic time) and WallClock (time of day): interfaces, so that tests
// need not wait.
#pragma once

#include <chrono>
#include <cstdint>

namespace svc::base {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::steady_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
};

class SteadyClock : public Clock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
};

// For times that outlive a process or are shown to users, such as token
// lifetimes.
class WallClock {
 public:
  virtual ~WallClock() = default;
  virtual std::int64_t now() const = 0;  // seconds since 1970, UTC
  virtual std::int64_t now_ms() const { return now() * 1000; }
};

class SystemClock : public WallClock {
 public:
  std::int64_t now() const override {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  std::int64_t now_ms() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace svc::base
