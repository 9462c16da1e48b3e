// AuditTrail: reads what redis/audit wrote.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "redis/connection.h"

namespace svc::redis {

struct AuditEntry {
  std::string id;         // as Redis made it, <ms since 1970>-<number>
  std::int64_t time = 0;  // seconds since 1970
  std::vector<std::pair<std::string, std::string>> fields;

  // "" for one that is not there.
  std::string_view field(std::string_view name) const;
};

class AuditTrail {
 public:
  explicit AuditTrail(Connection& connection) : connection_(connection) {}

  // The newest `count`, the oldest of them first, none older than `since` (seconds since 1970).
  std::vector<AuditEntry> newest(std::int64_t count, std::optional<std::int64_t> since);
  // All from `since` on, the oldest first, until `see` says false.
  void from(std::int64_t since, const std::function<bool(const AuditEntry&)>& see);

  // The id of the newest; that of no entry when there is none.
  std::string last_id();
  // Those behind that id, once there are some; none when nothing came for a while.
  std::vector<AuditEntry> wait_after(const std::string& id);

 private:
  Connection& connection_;
};

}  // namespace svc::redis
