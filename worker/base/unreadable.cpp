#include "base/unreadable.h"

#include <chrono>
#include <unordered_map>

#include "base/log.h"

namespace svc::base {

void log_unreadable(const std::string& key, std::string_view why) {
  // Repeated requests for it, or for a list, cannot fill the log.
  constexpr std::size_t kMostKnown = 1000;
  static std::unordered_map<std::string, std::chrono::steady_clock::time_point> said;
  const auto now = std::chrono::steady_clock::now();
  if (said.size() >= kMostKnown) said.clear();
  const auto [last, is_new] = said.try_emplace(key, now);
  if (!is_new && now - last->second < std::chrono::hours(1)) return;
  last->second = now;
  log::error("record.corrupt", {{"key", key}, {"reason", why}});
}

}  // namespace svc::base
