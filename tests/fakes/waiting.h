// waiting: waits for what nothing announces.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

namespace svc::fakes {

// Blocks until the condition holds, and looks once per pause. Throws std::runtime_error after five
// minutes: only a hang takes that long.
inline void wait_until(const std::function<bool()>& condition,
                       std::chrono::milliseconds pause = std::chrono::milliseconds(2)) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) throw std::runtime_error("waited too long");
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace svc::fakes
