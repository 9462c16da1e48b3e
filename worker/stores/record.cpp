#include "stores/record.h"

#include <chrono>

#include "base/log.h"
#include "base/unreadable.h"

namespace svc::stores {

void log_corrupt_record(const std::string& key, std::string_view why) {
  // Once a second, so that repeated requests for it cannot fill the log.
  static std::chrono::steady_clock::time_point said{};
  const auto now = std::chrono::steady_clock::now();
  if (now - said > std::chrono::seconds(1)) {
    said = now;
    base::log::error("record.corrupt", {{"key", key}, {"reason", why}});
  }
}

void corrupt_record(const std::string& key, const std::string& why) {
  log_corrupt_record(key, why);
  throw base::Unreadable("the record " + key + " cannot be read: " + why);
}

}  // namespace svc::stores
