#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctl/commands/groups.h"
#include "ctl/table.h"
#include "media/account.h"
#include "media/listings.h"
#include "media/media.h"
#include "media/reads.h"
#include "stores/catalog/catalog.h"
#include "stores/catalog/catalog_index.h"
#include "stores/catalog/statistics.h"
#include "stores/keys.h"
#include "text/json.h"
#include "text/rfc3339.h"
#include "viewing/csv.h"
#include "viewing/statistics.h"

namespace svc::ctl {
namespace {

using std::chrono::sys_days;
using viewing::Counts;
using viewing::Subject;
using viewing::Visitors;

constexpr std::int64_t kPresetStatsDays = 30;
constexpr std::int64_t kMostStatsDays = 4000;
constexpr std::size_t kMostPlayed = 10;
constexpr std::size_t kMediasAtOnce = 100;
constexpr std::string_view kCsv = "--csv";

sys_days today_of(const Context& context) {
  return std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(context.clock.now())));
}

std::string hours_of(const Counts& counts) {
  std::string text;
  text::json::append_decimal(text, counts.hours_watched());
  return text;
}

void add_counts_json(text::json::ObjectWriter& writer, const Counts& counts) {
  writer.integer("loads", static_cast<std::int64_t>(counts.loads))
      .integer("plays", static_cast<std::int64_t>(counts.plays))
      .decimal("hours_watched", counts.hours_watched());
}
void add_visitors(text::json::ObjectWriter& writer, const Counts& counts, Visitors visitors) {
  if (visitors == Visitors::Shown)
    writer.integer("visitors", static_cast<std::int64_t>(counts.visitors));
}
void add_hundredths(text::json::ObjectWriter& writer, std::string_view name,
                    const viewing::Curve& curve) {
  text::json::ArrayWriter array(writer.raw(name));
  for (const std::uint32_t plays : curve) array.next() += std::to_string(plays);
  array.end();
}

void add_days(text::json::ObjectWriter& writer, const std::vector<viewing::Day>& all,
              Visitors visitors) {
  text::json::ArrayWriter array(writer.raw("days"));
  for (const viewing::Day& each : all) {
    text::json::ObjectWriter day(array.next());
    day.string("date", text::to_full_date(each.day));
    add_counts_json(day, each.counts);
    add_visitors(day, each.counts, visitors);
    day.end();
  }
  array.end();
}

void print_days(const std::vector<viewing::Day>& all, const Counts& total, Visitors visitors) {
  const auto row = [&](std::string first, const Counts& counts) {
    std::vector<std::string> texts{std::move(first), std::to_string(counts.loads),
                                   std::to_string(counts.plays), hours_of(counts)};
    if (visitors == Visitors::Shown) texts.push_back(std::to_string(counts.visitors));
    return texts;
  };
  std::vector<Column> columns{{"DATE", 10}, {"LOADS", 8}, {"PLAYS", 8}, {"HOURS", 10}};
  if (visitors == Visitors::Shown) columns.push_back({"VISITORS"});
  Table table(std::cout, std::move(columns));
  Counts sum;
  for (const viewing::Day& each : all) {
    sum += each.counts;
    if (!each.counts.empty()) table.row(row(text::to_full_date(each.day), each.counts));
  }
  table.row(row(std::to_string(all.size()) + (all.size() == 1 ? " day" : " days"), sum));
  table.row(row("in all", total));
}

std::vector<viewing::Day> read_days(const Arguments& arguments, const Context& context,
                                    const Subject& subject) {
  const std::int64_t count = arguments.integer("--days").value_or(kPresetStatsDays);
  const sys_days last = today_of(context);
  stores::Statistics statistics(context.store.redis);
  return context.store.run(statistics.days(subject, last - std::chrono::days(count - 1), last));
}

// A printed form at a time.
std::optional<std::string> two_forms(const Arguments& arguments) {
  if (!arguments.json() || !arguments.has(kCsv)) return std::nullopt;
  return "--json and --csv exclude each other";
}

Outcome media_stats(const Arguments& arguments, Context& context) {
  if (const auto why = two_forms(arguments)) return wrong_call(context, *why);
  const auto id = media::HashedId::parse(arguments.operand(0));
  if (!id) return Refusal{"not a hashed id: " + arguments.operand(0)};
  stores::Catalog catalog(context.store.redis);
  media::Reads reads;
  const auto media = context.store.run(catalog.find_media(*id, media::Detail::Embed, reads));
  if (!media) return Refusal{"there is no media " + id->value()};
  const Subject subject(*id);
  const std::vector<viewing::Day> all = read_days(arguments, context, subject);
  if (arguments.has(kCsv)) {
    std::cout << viewing::to_csv(all, Visitors::Shown, viewing::LineEnd::Lf);
    return kDone;
  }
  const Counts total = context.store.run(stores::Statistics(context.store.redis).total(subject));
  if (!arguments.json()) {
    print_days(all, total, Visitors::Shown);
    return kDone;
  }
  std::string out;
  text::json::ObjectWriter writer(out);
  writer.string("hashed_id", id->value());
  add_counts_json(writer, total);
  writer.decimal("play_rate", total.play_rate()).decimal("engagement", total.engagement());
  add_visitors(writer, total, Visitors::Shown);
  add_days(writer, all, Visitors::Shown);
  add_hundredths(writer, "seen", total.seen);
  add_hundredths(writer, "seen_again", total.again);
  writer.end();
  std::cout << out << "\n";
  return kDone;
}

struct PlayedMedia {
  media::Media media;
  Counts counts;
};
// Those that exist.
std::vector<PlayedMedia> most_played(const Context& context, media::AccountId account) {
  stores::Statistics statistics(context.store.redis);
  const auto ids = context.store.run(statistics.most_played(account, kMostPlayed));
  const auto counts = context.store.run(statistics.totals(ids));
  stores::Catalog catalog(context.store.redis);
  std::vector<PlayedMedia> found;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    media::Reads reads;
    auto media = context.store.run(catalog.find_media(ids[i], media::Detail::Embed, reads));
    if (media && media->account == account) found.push_back({*std::move(media), counts[i]});
  }
  return found;
}

std::optional<std::string> why_no_account(const Context& context, media::AccountId account) {
  const redis::Reply exists =
      context.store.run(context.store.redis.read({"EXISTS", stores::keys::account(account)}));
  if (exists.integer() > 0) return std::nullopt;
  return "there is no account " + std::to_string(account.value());
}

Outcome account_stats(const Arguments& arguments, Context& context) {
  if (const auto why = two_forms(arguments)) return wrong_call(context, *why);
  const media::AccountId account{arguments.integer_operand(0)};
  if (const auto why = why_no_account(context, account)) return Refusal{*why};
  const Subject subject(account);
  const std::vector<viewing::Day> all = read_days(arguments, context, subject);
  if (arguments.has(kCsv)) {
    std::cout << viewing::to_csv(all, Visitors::LeftOut, viewing::LineEnd::Lf);
    return kDone;
  }
  const Counts total = context.store.run(stores::Statistics(context.store.redis).total(subject));
  const std::vector<PlayedMedia> played = most_played(context, account);
  if (!arguments.json()) {
    print_days(all, total, Visitors::LeftOut);
    if (played.empty()) return kDone;
    std::cout << "\n";
    Table table(std::cout, {{"MOST PLAYED", 11}, {"PLAYS", 8}, {"HOURS", 10}, {"NAME"}});
    for (const PlayedMedia& each : played)
      table.row({each.media.id.value(), std::to_string(each.counts.plays), hours_of(each.counts),
                 each.media.name});
    return kDone;
  }
  std::string out;
  text::json::ObjectWriter writer(out);
  writer.integer("account_id", account.value());
  add_counts_json(writer, total);
  add_days(writer, all, Visitors::LeftOut);
  text::json::ArrayWriter array(writer.raw("most_played"));
  for (const PlayedMedia& each : played) {
    text::json::ObjectWriter media(array.next());
    media.string("hashed_id", each.media.id.value()).string("name", each.media.name);
    add_counts_json(media, each.counts);
    media.end();
  }
  array.end();
  writer.end();
  std::cout << out << "\n";
  return kDone;
}

Outcome export_stats(const Arguments& arguments, Context& context) {
  const media::AccountId account{arguments.integer_operand(0)};
  if (const auto why = why_no_account(context, account)) return Refusal{*why};
  stores::CatalogIndex index(context.store.redis);
  stores::Statistics statistics(context.store.redis);
  std::cout << viewing::csv_names(Visitors::Shown, viewing::LineEnd::Lf, viewing::kCsvMediaNames);
  media::MediaQuery query{.order = {.count = kMediasAtOnce}};
  for (bool has_more = true; has_more;) {
    const auto page = context.store.run(index.medias(account, query));
    has_more = page.size() == kMediasAtOnce;
    if (has_more) query.from = index.place_of(page.back());
    for (const media::Media& media : page) {
      std::string before = media.id.value() + ",";
      viewing::append_csv_text(before, media.name);
      before += ',';
      std::string lines;
      for (const viewing::Day& day : context.store.run(statistics.kept_days(Subject(media.id))))
        viewing::append_csv_day(lines, day, Visitors::Shown, viewing::LineEnd::Lf, before);
      std::cout << lines;
    }
  }
  return kDone;
}

Flag days_flag() {
  return {.name = "--days",
          .takes = Takes::integer("N", 1, kMostStatsDays),
          .help = "the last N days, at most 4000; 30 if not given"};
}
Flag csv_flag() {
  return {.name = kCsv, .help = "print the days as comma-separated values (RFC 4180)"};
}
Operand account_operand() {
  return {.takes = Takes::integer("ID", 1, media::kMaxIntegerId), .help = "the account's id"};
}

Command media_command() {
  return {.name = "stats media",
          .summary = "Print how often a media was watched",
          .syntax = {.operands = {{.takes = Takes::text("ID"), .help = "the media's hashed id"}},
                     .flags = {days_flag(), csv_flag()},
                     .json = kJsonObject},
          .details = {"Prints each day (UTC) with views, the sum of these days, and the sum of all "
                      "days, also of those that are no longer kept (stats-days). A load is a "
                      "player on a page, a play a load that played. Visitors are added up per day.",
                      "--json and --csv have the days without views, too. --json has the rates, "
                      "and for each hundredth of the media how many plays saw it (seen) and saw it "
                      "more than once (seen_again)."},
          .only_reads = always,
          .run = media_stats};
}

Command account_command() {
  return {
      .name = "stats account",
      .summary = "Print how often the media of an account were watched",
      .syntax = {.operands = {account_operand()},
                 .flags = {days_flag(), csv_flag()},
                 .json = kJsonObject},
      .details = {"Prints each day (UTC) with views, the sum of these days, the sum of all days, "
                  "and the media that were played most. Media that were deleted stay in the "
                  "sums."},
      .only_reads = always,
      .run = account_stats};
}

Command export_command() {
  return {.name = "stats export",
          .summary = "Print every media and day of an account that has views, as CSV",
          .syntax = {.operands = {account_operand()}},
          .details = {"Comma-separated values (RFC 4180) of all days that are kept (stats-days), "
                      "media by media, for a customer who leaves. A name that a spreadsheet would "
                      "run as a formula has an apostrophe before it."},
          .only_reads = always,
          .run = export_stats};
}

}  // namespace

const Group& stats_commands() {
  static const Group kGroup{.section = Section::Catalog,
                            .name = "stats",
                            .subjects = "How often media are watched",
                            .commands = {media_command(), account_command(), export_command()}};
  return kGroup;
}

}  // namespace svc::ctl
