#include "ctl/commands/audit.h"

#include <array>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "base/number.h"
#include "ctl/commands/names.h"
#include "ctl/printable.h"
#include "loop/task.h"
#include "stores/audit_trail.h"
#include "text/json.h"
#include "text/rfc3339.h"

namespace svc::ctl {
namespace {

constexpr std::int64_t kPreset = 50;
constexpr std::int64_t kMostCount = 1'000'000;

// The fields that contain an id, each with the JSON key of its name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNamed{
    std::pair("client", "client_name"), std::pair("account", "account_name"),
    std::pair("contact", "contact_email")};

const std::string& name_in(const Names::Of& names, std::string_view field) {
  if (field == "client") return names.client;
  return field == "account" ? names.account : names.contact;
}

void print_json(const stores::AuditEntry& entry, const Names::Of& names) {
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
  for (const auto& [field, key] : kNamed) {
    if (const std::string& name = name_in(names, field); !name.empty()) writer.string(key, name);
  }
  writer.end();
  std::cout << out << "\n";
}

void print_plain(const stores::AuditEntry& entry, const Names::Of& names) {
  std::string line = text::to_rfc3339(entry.time) + "  " + printable(entry.field("what"));
  for (const auto& [field, key] : kNamed) {
    const auto value = entry.field(field);
    if (value.empty()) continue;
    line += "  " + std::string(field) + " " + printable(value);
    if (const std::string& name = name_in(names, field); !name.empty())
      line += " \"" + printable(name) + "\"";
  }
  if (const auto address = entry.field("address"); !address.empty())
    line += "  from " + printable(address);
  if (const auto detail = entry.field("detail"); !detail.empty())
    line += "  (" + printable(detail) + ")";
  std::cout << line << "\n";
}

// Returns false if standard output is closed.
loop::Task<bool> print(const stores::AuditEntry& entry, Names& names, bool json) {
  const Names::Of names_of = co_await names.of(entry);
  if (json) {
    print_json(entry, names_of);
  } else {
    print_plain(entry, names_of);
  }
  co_return static_cast<bool>(std::cout);
}

std::vector<std::string_view> kinds() {
  std::vector<std::string_view> names;
  for (const oauth::AuditKind& kind : oauth::kAuditKinds) names.push_back(kind.name);
  return names;
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
  const std::int64_t count = arguments.integer("--count").value_or(kPreset);
  const bool json = arguments.json();
  stores::AuditTrail trail =
      arguments.has("--kind") ? stores::AuditTrail(context.store.redis, arguments.value("--kind"))
                              : stores::AuditTrail(context.store.redis);
  Names names(context.store.redis);
  // Mark before reading, so that --follow misses no entry written between the
  // two.
  context.store.run(trail.mark());
  const stores::AuditTrail::See see = [&](const stores::AuditEntry& entry) {
    return print(entry, names, json);
  };
  if (since && !arguments.has("--count")) {
    context.store.run(trail.from(*since, see));
  } else {
    context.store.run(trail.newest(count, since, see));
  }
  while (arguments.has("--follow") && std::cout) {
    std::cout << std::flush;
    const std::vector<stores::AuditEntry> entries = context.store.run(trail.wait_after());
    for (const stores::AuditEntry& entry : entries) {
      if (!context.store.run(print(entry, names, json))) break;
    }
  }
  return kDone;
}

}  // namespace

std::optional<std::int64_t> read_since(std::string_view text, std::int64_t now) {
  if (const auto time = text::seconds_of_rfc3339(text)) return time;
  const auto ago = read_span(text, now);
  if (!ago) return std::nullopt;
  return now - *ago;
}

std::optional<std::int64_t> read_span(std::string_view text, std::int64_t most) {
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
  const auto number = base::parse_number<std::int64_t>(text, 0, most / unit);
  if (!number) return std::nullopt;
  return *number * unit;
}

const Group& audit_commands() {
  static const Group kGroup{
      .section = Section::Access,
      .name = "audit",
      .commands = {
          {.name = "audit",
           .summary = "Print logins, consents, revocations, secrets shown, imports",
           .syntax =
               {.flags = {{.name = "--since",
                           .takes = Takes::text("TIME"),
                           .help = "all since then: 2026-03-01T10:00:00Z, or 15m, 2h, 7d ago"},
                          {.name = "--count",
                           .takes = Takes::integer("N", 0, kMostCount),
                           .help = "the newest N; 50 if neither is given"},
                          {.name = "--kind",
                           .takes = Takes::choice("KIND", kinds()),
                           .help = "events of this kind only; access: who may watch"},
                          {.name = "--follow", .help = "continue with new events until Ctrl-C"}},
                .json = kJsonLines},
           .details = {"The names of applications and accounts and the emails of users are the "
                       "current ones. Deleted records appear with their id only."},
           .only_reads = always,
           .run = audit}}};
  return kGroup;
}

}  // namespace svc::ctl
