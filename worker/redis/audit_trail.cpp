#include "redis/audit_trail.h"

#include <algorithm>
#include <charconv>

#include "redis/keys.h"

namespace svc::redis {
namespace {

constexpr std::int64_t kBatch = 1000;
// Shorter than any timeout that svcctl gives its connection.
constexpr std::string_view kWaitMilliseconds = "3000";

AuditEntry read_entry(const ReplyView& reply) {
  AuditEntry entry;
  if (reply.size() < 2) return entry;
  entry.id = reply.at(0).text().value_or("");
  std::int64_t milliseconds = 0;
  std::from_chars(entry.id.data(), entry.id.data() + entry.id.size(), milliseconds);
  entry.time = milliseconds / 1000;
  const ReplyView fields = reply.at(1);
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    entry.fields.emplace_back(fields.at(i).text().value_or(""),
                              fields.at(i + 1).text().value_or(""));
  }
  return entry;
}

std::vector<AuditEntry> read_entries(const ReplyView& reply) {
  std::vector<AuditEntry> entries;
  for (std::size_t i = 0; i < reply.size(); ++i) entries.push_back(read_entry(reply.at(i)));
  return entries;
}

std::string first_id_of(std::int64_t seconds) { return std::to_string(seconds * 1000); }

}  // namespace

std::string_view AuditEntry::field(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &std::pair<std::string, std::string>::first);
  return found == fields.end() ? std::string_view() : found->second;
}

std::vector<AuditEntry> AuditTrail::newest(std::int64_t count, std::optional<std::int64_t> since) {
  const std::string from = since ? first_id_of(*since) : "-";
  std::vector<AuditEntry> entries;
  std::string to = "+";
  while (static_cast<std::int64_t>(entries.size()) < count) {
    const std::string most =
        std::to_string(std::min(kBatch, count - static_cast<std::int64_t>(entries.size())));
    const auto batch =
        read_entries(connection_.read({"XREVRANGE", keys::kAudit, to, from, "COUNT", most}));
    if (batch.empty()) break;
    entries.insert(entries.end(), batch.begin(), batch.end());
    to = "(" + batch.back().id;
  }
  std::ranges::reverse(entries);
  return entries;
}

void AuditTrail::from(std::int64_t since, const std::function<bool(const AuditEntry&)>& see) {
  std::string from = first_id_of(since);
  const std::string most = std::to_string(kBatch);
  while (true) {
    const auto batch =
        read_entries(connection_.read({"XRANGE", keys::kAudit, from, "+", "COUNT", most}));
    if (batch.empty()) return;
    for (const AuditEntry& entry : batch) {
      if (!see(entry)) return;
    }
    from = "(" + batch.back().id;
  }
}

std::string AuditTrail::last_id() {
  const auto last = newest(1, std::nullopt);
  return last.empty() ? "0-0" : last.front().id;
}

std::vector<AuditEntry> AuditTrail::wait_after(const std::string& id) {
  const std::string most = std::to_string(kBatch);
  const Reply reply = connection_.read(
      {"XREAD", "COUNT", most, "BLOCK", kWaitMilliseconds, "STREAMS", keys::kAudit, id});
  // Nothing, or one stream: its name and its entries.
  return reply.size() == 0 ? std::vector<AuditEntry>() : read_entries(reply.at(0).at(1));
}

}  // namespace svc::redis
