// Surroundings: what the work of a process needs of its program.
#pragma once

#include <functional>

#include "base/clock.h"

namespace svc::base {

struct Surroundings {
  std::function<bool()> should_stop;    // asked at least once a second
  std::function<void()> alive;          // called at least every few seconds
  std::function<void(Duration)> pause;  // returns early if it should stop
};

}  // namespace svc::base
