#include "stores/catalog/usage.h"

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "ctl/commands/groups.h"
#include "ctl/table.h"
#include "media/account.h"
#include "stores/keys.h"
#include "text/json.h"

namespace svc::ctl {
namespace {

constexpr std::int64_t kPresetDays = 30;
constexpr std::int64_t kMaxDays = 400;

void print_json(std::int64_t account, const std::vector<stores::Usage::Day>& days,
                std::int64_t total) {
  std::string out;
  text::json::ObjectWriter writer(out);
  writer.integer("account_id", account);
  text::json::ArrayWriter array(writer.raw("days"));
  for (const auto& day : days) {
    text::json::ObjectWriter(array.next())
        .string("date", day.date)
        .integer("manifests", day.manifests)
        .end();
  }
  array.end();
  writer.integer("manifests", total).end();
  std::cout << out << "\n";
}

Outcome usage(const Arguments& arguments, Context& context) {
  const std::int64_t account = arguments.integer_operand(0);
  const int days = static_cast<int>(arguments.integer("--days").value_or(kPresetDays));
  const redis::Reply exists =
      context.store.run(context.store.redis.read({"EXISTS", stores::keys::account({account})}));
  if (exists.integer() == 0) return Refusal{"there is no account " + std::to_string(account)};
  const auto counted =
      context.store.run(stores::Usage(context.store.redis).manifests({account}, days));
  std::int64_t total = 0;
  for (const auto& day : counted) total += day.manifests;
  if (arguments.json()) {
    print_json(account, counted, total);
    return kDone;
  }
  Table table(std::cout, {{"DATE", 10}, {"MANIFESTS"}});
  for (const auto& day : counted) {
    if (day.manifests > 0) table.row({day.date, std::to_string(day.manifests)});
  }
  std::cout << "manifests in " << days << (days == 1 ? " day: " : " days: ") << total << "\n";
  return kDone;
}

}  // namespace

const Group& usage_commands() {
  static const Group kGroup{
      .section = Section::Catalog,
      .name = "usage",
      .commands = {
          {.name = "usage",
           .summary = "Print how many HLS manifests were served for an account",
           .syntax = {.operands = {{.takes = Takes::integer("ACCOUNT", 1, media::kMaxIntegerId),
                                    .help = "the account's id"}},
                      .flags = {{.name = "--days",
                                 .takes = Takes::integer("N", 1, kMaxDays),
                                 .help = "the last N days, at most 400; 30 if not given"}},
                      .json = kJsonObject},
           .details = {"Prints each day (UTC) with at least one manifest, and the sum."},
           .only_reads = always,
           .run = usage}}};
  return kGroup;
}

}  // namespace svc::ctl
