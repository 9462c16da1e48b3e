#include "endpoints/api/stats.h"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "endpoints/list_query.h"
#include "http/api_error.h"
#include "oauth/operation.h"
#include "text/form.h"
#include "text/json.h"
#include "text/rfc3339.h"
#include "viewing/csv.h"

namespace svc::endpoints {
namespace {

using std::chrono::sys_days;

constexpr std::string_view kStartDate = "start_date";
constexpr std::string_view kEndDate = "end_date";
constexpr std::string_view kFormat = "format";
constexpr std::string_view kCsv = "csv";
constexpr std::chrono::days kMostDays{366};
constexpr std::size_t kMediasPerRead = 1000;

constexpr std::string_view kAccountStatsRecord = "AccountStatistics";
constexpr std::string_view kProjectStatsRecord = "ProjectStatistics";
constexpr std::string_view kMediaStatsRecord = "MediaStatistics";
constexpr std::string_view kDayStatsRecord = "DayStatistics";
constexpr std::string_view kAccountDayRecord = "AccountDayStatistics";
constexpr std::string_view kEngagementRecord = "Engagement";
constexpr std::string_view kPercentsRecord = "MediaPercentages";
constexpr std::string_view kPercentsOfMedia = "PercentagesOfMedia";

std::int64_t number_of(std::uint64_t count) { return static_cast<std::int64_t>(count); }
std::int64_t percent_of(double share) { return std::llround(share * 100); }

// The fields of each record of sums.
void add_sums(text::json::ObjectWriter& writer, const viewing::Counts& counts) {
  writer.integer("load_count", number_of(counts.loads))
      .integer("play_count", number_of(counts.plays))
      .decimal("hours_watched", counts.hours_watched());
}
std::vector<DescribedField> describe_sums() {
  return {
      {"load_count", integer_schema(0), "How often a player was loaded with it."},
      {"play_count", integer_schema(0), "How often it was played: at most once per load."},
      {"hours_watched", number_schema(0), "Hours that were played. A repeated part counts twice."}};
}
DescribedField describe_engagement_field() {
  return {"engagement", number_schema(0, 1),
          "The mean share of the media that those who played it saw."};
}
Schema curve_schema() { return array_of(integer_schema(0), viewing::kParts, viewing::kParts); }

void add_curve(text::json::ObjectWriter& writer, std::string_view key,
               const viewing::Curve& curve) {
  text::json::ArrayWriter array(writer.raw(key));
  for (const std::uint32_t sessions : curve) array.next() += std::to_string(sessions);
  array.end();
}

std::string media_stats_json(const viewing::Counts& counts) {
  std::string json;
  text::json::ObjectWriter writer(json);
  add_sums(writer, counts);
  writer.decimal("play_rate", counts.play_rate())
      .decimal("engagement", counts.engagement())
      .integer("visitors", number_of(counts.visitors));
  text::json::ArrayWriter(writer.raw("actions")).end();
  writer.end();
  return json;
}

std::string engagement_json(const viewing::Counts& counts) {
  std::string json;
  text::json::ObjectWriter writer(json);
  writer.decimal("engagement", counts.engagement());
  add_curve(writer, "engagement_data", counts.seen);
  add_curve(writer, "rewatch_data", counts.again);
  writer.end();
  return json;
}

std::string percents_json(const viewing::Counts& counts) {
  std::string json;
  text::json::ObjectWriter writer(json);
  text::json::ObjectWriter(writer.raw("stats"))
      .integer("pageLoads", number_of(counts.loads))
      .integer("visitors", number_of(counts.visitors))
      .integer("percentOfVisitorsClickingPlay", percent_of(counts.play_rate()))
      .integer("plays", number_of(counts.plays))
      .integer("averagePercentWatched", percent_of(counts.engagement()))
      .end();
  writer.end();
  return json;
}

ApiOperation describe_read(std::string_view id, std::string_view summary, std::string_view record,
                           std::string_view missing) {
  ApiOperation get{.method = "GET", .id = id, .summary = summary};
  get.needs = &oauth::kReadStatistics;
  get.response = json_response(200, "The statistics.", a_record(record));
  if (!missing.empty()) get.refusals = {{404, std::string(missing)}};
  return get;
}

// The day before it is a date, too.
constexpr sys_days kFirstDay{std::chrono::days(1)};

// Returns nullopt if the parameter is absent. The refusal is a sentence.
base::Result<std::optional<sys_days>, std::string> read_date(const text::Form& form,
                                                             std::string_view name) {
  const auto given = given_once(form, name);
  if (!given) return base::Refusal{given.error()};
  if (!*given) return std::optional<sys_days>();
  const auto day = text::day_of_full_date(**given);
  if (!day || *day < kFirstDay)
    return base::Refusal{std::string(name) +
                         " must be a date as yyyy-mm-dd, such as 2026-03-01, from 1970-01-02 on"};
  return day;
}

struct DayRange {
  sys_days first;
  sys_days last;
};
base::Result<DayRange, std::string> read_days(const text::Form& form, sys_days today) {
  const auto first = read_date(form, kStartDate);
  if (!first) return base::Refusal{first.error()};
  const auto last = read_date(form, kEndDate);
  if (!last) return base::Refusal{last.error()};
  DayRange range{{}, last->value_or(today)};
  range.first = first->value_or(range.last - std::chrono::days(1));
  const std::string end = std::string(kEndDate) + ", which is " + text::to_full_date(range.last) +
                          (*last ? "" : " (today) if it is absent");
  if (range.last < range.first)
    return base::Refusal{end + ", must not be before " + std::string(kStartDate) + ", " +
                         text::to_full_date(range.first)};
  if (range.last - range.first >= kMostDays)
    return base::Refusal{"from " + std::string(kStartDate) + " to " + end + ", must be at most " +
                         std::to_string(kMostDays.count()) + " days, and are " +
                         std::to_string((range.last - range.first).count() + 1)};
  return range;
}

sys_days today_of(const base::WallClock& time) {
  return std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds{std::chrono::seconds(time.now())});
}

ApiOperation describe_days(std::string_view id, std::string_view summary, std::string_view record,
                           std::string_view missing) {
  ApiOperation get = describe_read(id, summary, record, missing);
  get.about =
      "Days are those of UTC. At most " + std::to_string(kMostDays.count()) +
      " of them, also those without views. Days before those that the operator keeps are 0.";
  get.response = json_response(200, "The days, oldest first.",
                               array_of(a_record(record), 1, kMostDays.count()));
  get.query = {
      {std::string(kStartDate), text_schema("date"),
       "The first day, as yyyy-mm-dd; the day before `end_date` if it is absent.", false},
      {std::string(kEndDate), text_schema("date"), "The last day; today if it is absent.", false}};
  return get;
}
DescribedRecord describe_day(std::string_view name, std::string about) {
  DescribedRecord record{std::string(name), std::move(about), describe_sums()};
  record.fields.insert(record.fields.begin(), {"date", text_schema("date"), "The day, in UTC."});
  return record;
}

std::string days_json(const std::vector<viewing::Day>& days) {
  std::string json;
  text::json::ArrayWriter array(json);
  for (const viewing::Day& each : days) {
    text::json::ObjectWriter writer(array.next());
    writer.string("date", text::to_full_date(each.day));
    add_sums(writer, each.counts);
    writer.end();
  }
  array.end();
  return json;
}

}  // namespace

Described AccountStats::describe() {
  return {{describe_read("getAccountStatistics", "Read the statistics of the account",
                         kAccountStatsRecord, "")},
          {{std::string(kAccountStatsRecord),
            "How often the media of the account were watched, also those that were deleted.",
            describe_sums()}}};
}

loop::Task<http::Response> AccountStats::answer(const http::Request& request) {
  const auto issued = co_await admit(request, oauth::kReadStatistics.any_of());
  if (!issued) co_return issued.error();
  if (form_ == Form::ByDate) co_return co_await by_date(issued->account, request.query);
  const viewing::Subject subject(issued->account);
  const viewing::Counts counts = co_await statistics_.total(subject);
  std::string json;
  text::json::ObjectWriter writer(json);
  add_sums(writer, counts);
  writer.end();
  co_return http::in_json(std::move(json));
}

Described AccountStats::describe_by_date() {
  ApiOperation get = describe_days(
      "listAccountStatistics", "Read the statistics of the account by day", kAccountDayRecord, "");
  get.query.push_back({std::string(kFormat), text_schema(),
                       "`csv`: the days as comma-separated values, each a line after that of the "
                       "names: `loads` is `load_count`, and `plays` is `play_count`.",
                       false});
  get.response.types.emplace_back("text/csv", text_schema());
  return {{get},
          {describe_day(kAccountDayRecord,
                        "How often the media of the account were watched on a day, also those "
                        "that were deleted.")}};
}

loop::Task<http::Response> AccountStats::by_date(media::AccountId account, std::string_view query) {
  const text::Form form = text::Form::parse(query);
  const auto range = read_days(form, today_of(time_));
  if (!range) co_return http::api_error(400, range.error());
  const auto format = given_once(form, kFormat);
  if (!format) co_return http::api_error(400, format.error());
  if (*format && **format != kCsv) co_return http::api_error(400, "format must be csv, or absent");
  const viewing::Subject subject(account);
  const std::vector<viewing::Day> days =
      co_await statistics_.days(subject, range->first, range->last);
  http::Response response = http::in_json("");
  if (*format) {
    response.content_type = viewing::kCsvType;
    response.body = viewing::to_csv(days, viewing::Visitors::LeftOut, viewing::LineEnd::Crlf);
  } else {
    response.body = days_json(days);
  }
  co_return response;
}

Described ProjectStats::describe() {
  DescribedRecord record{std::string(kProjectStatsRecord),
                         "How often the media that are in the project were watched.",
                         describe_sums()};
  record.fields.push_back({"number_of_videos", integer_schema(0), "How many videos it has."});
  return {{describe_read("getProjectStatistics", "Read the statistics of a project",
                         kProjectStatsRecord, kNoProject)},
          {record}};
}

loop::Task<http::Response> ProjectStats::answer_own(const http::Request&, const oauth::Issued&,
                                                    media::Project& project) {
  const Sums sums = co_await sums_of(project);
  std::string json;
  text::json::ObjectWriter writer(json);
  add_sums(writer, sums.counts);
  writer.integer("number_of_videos", sums.videos).end();
  co_return http::in_json(std::move(json), project.id.value());
}

loop::Task<ProjectStats::Sums> ProjectStats::sums_of(const media::Project& project) {
  Sums sums;
  std::string place;
  for (bool has_more = true; has_more;) {
    std::vector<media::ListedMedia> page =
        co_await listings_.listed(project.account, project.id, place, kMediasPerRead);
    has_more = page.size() == kMediasPerRead;
    if (has_more) place = page.back().place;
    std::vector<media::HashedId> ids;
    for (media::ListedMedia& each : page) {
      if (each.is_video()) ++sums.videos;
      ids.push_back(std::move(each.id));
    }
    const std::vector<viewing::Counts> all = co_await statistics_.totals(std::move(ids));
    for (const viewing::Counts& counts : all) sums.counts += counts;
  }
  co_return sums;
}

Described MediaStats::describe() {
  DescribedRecord record{std::string(kMediaStatsRecord), "How often a media was watched.",
                         describe_sums()};
  record.fields.push_back({"play_rate", number_schema(0, 1), "Plays per load."});
  record.fields.push_back(describe_engagement_field());
  record.fields.push_back({"visitors", integer_schema(0),
                           "The visitors of each day, added up. One who comes on two days counts "
                           "twice: visitors are not recognised after midnight (UTC)."});
  record.fields.push_back({"actions", array_of(text_schema(), 0, 0), "There are none."});
  return {{describe_read("getMediaStatistics", "Read the statistics of a media", kMediaStatsRecord,
                         kNoMedia)},
          {record}};
}

Described MediaStats::describe_by_date() {
  return {{describe_days("listMediaStatistics", "Read the statistics of a media by day",
                         kDayStatsRecord, kNoMedia)},
          {describe_day(kDayStatsRecord, "How often a media was watched on a day.")}};
}

Described MediaStats::describe_engagement() {
  return {{describe_read("getEngagement", "Read which parts of a media were watched",
                         kEngagementRecord, kNoMedia)},
          {{std::string(kEngagementRecord),
            "Which parts of a media were watched.",
            {describe_engagement_field(),
             {"engagement_data", curve_schema(),
              "For each hundredth of the media, how many plays saw it."},
             {"rewatch_data", curve_schema(), "How many of them saw it more than once."}}}}};
}

Described MediaStats::describe_percents() {
  return {{describe_read("getMediaPercentages", "Read the statistics of a media in percent",
                         kPercentsOfMedia, kNoMedia)},
          {{std::string(kPercentsOfMedia),
            "How often a media was watched.",
            {{"stats", a_record(kPercentsRecord), "The numbers."}}},
           {std::string(kPercentsRecord),
            "How often a media was watched, in whole percent.",
            {{"pageLoads", integer_schema(0), "How often a player was loaded with it."},
             {"visitors", integer_schema(0), "The visitors of each day, added up."},
             {"percentOfVisitorsClickingPlay", integer_schema(0, 100), "Plays per load."},
             {"plays", integer_schema(0), "How often it was played: at most once per load."},
             {"averagePercentWatched", integer_schema(0, 100),
              "The mean share of the media that those who played it saw."}}}}};
}

loop::Task<http::Response> MediaStats::answer_own(const http::Request& request,
                                                  const oauth::Issued&, media::Media& media) {
  const viewing::Subject subject(media.id);
  if (form_ == Form::ByDate) {
    const text::Form form = text::Form::parse(request.query);
    const auto range = read_days(form, today_of(time_));
    if (!range) co_return http::api_error(400, range.error());
    const std::vector<viewing::Day> days =
        co_await statistics_.days(subject, range->first, range->last);
    co_return http::in_json(days_json(days), media.id.value());
  }
  const viewing::Counts counts = co_await statistics_.total(subject);
  std::string json = form_ == Form::Whole        ? media_stats_json(counts)
                     : form_ == Form::Engagement ? engagement_json(counts)
                                                 : percents_json(counts);
  co_return http::in_json(std::move(json), media.id.value());
}

}  // namespace svc::endpoints
