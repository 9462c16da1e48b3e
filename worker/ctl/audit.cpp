#include "ctl/audit.h"

#include <iostream>

#include "base/number.h"
#include "ctl/printable.h"
#include "redis/audit_trail.h"
#include "text/json.h"
#include "text/rfc3339.h"

namespace svc::ctl {
namespace {

constexpr std::int64_t kPreset = 50;
constexpr std::int64_t kMostCount = 1'000'000;

void print_json(const redis::AuditEntry& entry) {
  std::string out;
  text::json::ObjectWriter writer(out);
  writer.string("id", entry.id).string("time", text::to_rfc3339(entry.time));
  for (const auto& [name, value] : entry.fields) {
    const auto number = name == "contact" || name == "account"
                            ? base::parse_number<std::int64_t>(value, 0, media::kMaxIntegerId)
                            : std::nullopt;
    if (number) {
      writer.integer(name, *number);
    } else {
      writer.string(name, value);
    }
  }
  writer.end();
  std::cout << out << "\n";
}

void print_plain(const redis::AuditEntry& entry) {
  std::string line = text::to_rfc3339(entry.time) + "  " + printable(entry.field("what"));
  for (const char* name : {"client", "account", "contact"}) {
    const auto value = entry.field(name);
    if (!value.empty()) line += "  " + std::string(name) + " " + printable(value);
  }
  if (const auto address = entry.field("address"); !address.empty())
    line += "  from " + printable(address);
  if (const auto detail = entry.field("detail"); !detail.empty())
    line += "  (" + printable(detail) + ")";
  std::cout << line << "\n";
}

// False when nobody reads any more.
bool print(const redis::AuditEntry& entry, bool json) {
  if (json) {
    print_json(entry);
  } else {
    print_plain(entry);
  }
  return static_cast<bool>(std::cout);
}

Outcome audit(const Arguments& arguments, Context& context) {
  std::optional<std::int64_t> since;
  if (arguments.has("--since")) {
    since = read_since(arguments.value("--since"), context.clock.now());
    if (!since) {
      return wrong_call(
          context,
          "--since must be a date-time as 2026-03-01T10:00:00Z, or a number with s, m, h or d");
    }
  }
  std::int64_t count = kPreset;
  if (arguments.has("--count")) {
    const auto given = base::parse_number<std::int64_t>(arguments.value("--count"), 0, kMostCount);
    if (!given)
      return wrong_call(context,
                        "--count must be an integer from 0 to " + std::to_string(kMostCount));
    count = *given;
  }
  const bool json = arguments.json();
  redis::AuditTrail trail(context.store.channel);
  // Asked first, so that nothing falls between what is there and what comes.
  context.store.run(trail.mark());
  const auto see = [&](const redis::AuditEntry& entry) { return print(entry, json); };
  if (since && !arguments.has("--count")) {
    context.store.run(trail.from(*since, see));
  } else {
    context.store.run(trail.newest(count, since, see));
  }
  while (arguments.has("--follow") && std::cout) {
    std::cout << std::flush;
    const std::vector<redis::AuditEntry> entries = context.store.run(trail.wait_after());
    for (const redis::AuditEntry& entry : entries) {
      if (!print(entry, json)) break;
    }
  }
  return kDone;
}

}  // namespace

std::optional<std::int64_t> read_since(std::string_view text, std::int64_t now) {
  if (const auto time = text::seconds_of_rfc3339(text)) return time;
  if (text.empty()) return std::nullopt;
  std::int64_t unit = 0;
  switch (text.back()) {
    case 's': unit = 1; break;
    case 'm': unit = 60; break;
    case 'h': unit = 3'600; break;
    case 'd': unit = 86'400; break;
    default: return std::nullopt;
  }
  text.remove_suffix(1);
  const auto number = base::parse_number<std::int64_t>(text, 0, now / unit);
  if (!number) return std::nullopt;
  return now - *number * unit;
}

const Group& audit_commands() {
  using Takes = Flag::Takes;
  static const Group kGroup{
      "audit",
      kAuditUsage,
      {{"",
        {{{"--since", Takes::OneValue}, {"--count", Takes::OneValue}, {"--follow"}}, {}},
        audit}}};
  return kGroup;
}

}  // namespace svc::ctl
