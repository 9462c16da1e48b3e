#include "stores/record.h"

#include <chrono>
#include <unordered_map>

#include "base/log.h"
#include "base/unreadable.h"

namespace svc::stores {

void log_corrupt_record(const std::string& key, std::string_view why) {
  // Repeated requests for it, or for a list, cannot fill the log.
  constexpr std::size_t kMostKnown = 1000;
  static std::unordered_map<std::string, std::chrono::steady_clock::time_point> said;
  const auto now = std::chrono::steady_clock::now();
  if (said.size() >= kMostKnown) said.clear();
  const auto [last, is_new] = said.try_emplace(key, now);
  if (!is_new && now - last->second < std::chrono::hours(1)) return;
  last->second = now;
  base::log::error("record.corrupt", {{"key", key}, {"reason", why}});
}

bool is_of_foreign_type(const redis::ErrorReply& error) {
  return std::string_view(error.what()).find("WRONGTYPE") != std::string_view::npos;
}

void corrupt_record(const std::string& key, const std::string& why) {
  log_corrupt_record(key, why);
  throw base::Unreadable("the record " + key + " cannot be read: " + why);
}

}  // namespace svc::stores
