// StatsPages: how often media were watched, with diagrams. pages-W130, pages-W131.
//
//   /settings/accounts/<account>/media/<id>/stats    of a media
//   /settings/accounts/<account>/stats               of the account
//
// With `days`, the last 7, 30 (if it is absent), 90 or 365 days (UTC), compared with as many days
// before them. With `format=csv`, these days as comma-separated values.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/number.h"
#include "base/settings_paths.h"
#include "loop/all.h"
#include "pages/settings/chart.h"
#include "pages/settings/library.h"
#include "text/json.h"
#include "text/rfc3339.h"
#include "viewing/by_media.h"
#include "viewing/counts.h"
#include "viewing/csv.h"

namespace svc::pages {
namespace {

using std::chrono::sys_days;
using viewing::Counts;
using viewing::Visitors;

constexpr std::array<int, 4> kPeriods{7, 30, 90, 365};
constexpr int kUsualPeriod = 30;
constexpr std::size_t kMostPlayed = 10;
constexpr std::size_t kTableParts = 10;
constexpr std::int64_t kDaySeconds = 86'400;

// The values of the query.
struct Wanted {
  int period = kUsualPeriod;
  sys_days first;
  sys_days last;
  bool is_csv = false;
};
Wanted wanted_of(const SettingsContext& context) {
  const text::Form form = text::Form::parse(context.request.query);
  Wanted wanted;
  const int given = base::parse_number<int>(form.find("days").value_or("")).value_or(0);
  if (std::ranges::find(kPeriods, given) != kPeriods.end()) wanted.period = given;
  wanted.last = sys_days(std::chrono::days(context.now / kDaySeconds));
  wanted.first = wanted.last - std::chrono::days(wanted.period - 1);
  wanted.is_csv = form.find("format") == "csv";
  return wanted;
}

// The sums since counting began, the days that are asked for, and the days before them.
struct Read {
  Counts total;
  std::vector<viewing::Day> days;
  Counts sum;     // during the days
  Counts before;  // during as many days before them
};
loop::Task<Read> read_counts(viewing::Statistics& statistics, viewing::Subject subject,
                             Wanted wanted) {
  const sys_days first = wanted.first - std::chrono::days(wanted.period);
  auto reading = loop::all(statistics.total(subject), statistics.days(subject, first, wanted.last));
  const auto read = co_await reading;
  const auto& [total, days] = read;
  Read result;
  result.total = total;
  for (const viewing::Day& each : days) {
    (each.day < wanted.first ? result.before : result.sum) += each.counts;
    if (each.day >= wanted.first) result.days.push_back(each);
  }
  co_return result;
}

http::Response csv_response(std::string csv, const std::string& name, const Wanted& wanted) {
  http::Response response;
  response.content_type = viewing::kCsvType;
  response.body = std::move(csv);
  response.with("Cache-Control", "no-store").with("X-Content-Type-Options", "nosniff");
  response.with("Content-Disposition", "attachment; filename=\"statistics-" + name + "-" +
                                           text::to_full_date(wanted.first) + "-to-" +
                                           text::to_full_date(wanted.last) + ".csv\"");
  return response;
}

std::int64_t number_of(std::uint64_t count) { return static_cast<std::int64_t>(count); }
std::string count_text(std::uint64_t count) { return with_separators(number_of(count)); }

// "<1%": more than none.
std::string percent_text(double share) {
  const auto percent = std::llround(share * 100);
  return percent == 0 && share > 0 ? "<1%" : std::to_string(percent) + "%";
}

// "0.25", "12.5", "1,234"; "<0.01": more than none
std::string hours_text(double hours) {
  constexpr double kWhole = 100;
  constexpr double kLeast = 0.01;
  if (hours > 0 && hours < kLeast / 2) return "<0.01";
  if (hours >= kWhole) return with_separators(std::llround(hours));
  std::string text;
  text::json::append_decimal(text, std::round(hours * 100) / 100);
  return text;
}

std::string day_text(sys_days day) {
  const std::int64_t time = std::int64_t{day.time_since_epoch().count()} * kDaySeconds;
  const std::string text = full_time(time);
  return text.substr(0, text.find(','));
}

// "up 12% from 806", "as before"
std::string change_text(double now, double before, const std::string& before_text) {
  if (now == before) return "as before";
  if (before == 0) return "none before";
  // Not 100 while some are left.
  const auto percent =
      std::max<long long>(std::llround((now - before) / before * 100), now > 0 ? -99 : -100);
  const std::string way = now > before ? "up " : "down ";
  constexpr long long kMostPercent = 1000;
  if (percent > kMostPercent || percent == 0) return way + "from " + before_text;
  return way + std::to_string(std::abs(percent)) + "% from " + before_text;
}
// The change of a share.
std::string points_text(double now, double before) {
  const std::string text = percent_text(before);
  if (text == percent_text(now)) return "as before";
  return (now > before ? "up from " : "down from ") + text;
}

void show_number(Values& body, std::string_view name, const std::string& number,
                 const std::string& change) {
  body.show_with("NUMBER").set("NAME", name).set("VALUE", number).set("CHANGE", change);
}
void show_count(Values& body, std::string_view name, std::uint64_t now, std::uint64_t before) {
  show_number(
      body, name, count_text(now),
      change_text(static_cast<double>(now), static_cast<double>(before), count_text(before)));
}
// The numbers of the days, each compared with the days before them.
void show_sums(Values& body, const Read& read, const Wanted& wanted) {
  const Counts& now = read.sum;
  const Counts& before = read.before;
  body.set("LENGTH", std::to_string(wanted.period));
  body.set("ALL_PLAYS", counted(number_of(read.total.plays), "play", "plays"))
      .set("ALL_HOURS", hours_text(read.total.hours_watched()));
  show_count(body, "Plays", now.plays, before.plays);
  show_number(
      body, "Hours watched", hours_text(now.hours_watched()),
      change_text(now.hours_watched(), before.hours_watched(), hours_text(before.hours_watched())));
  show_count(body, "Loads", now.loads, before.loads);
  show_number(body, "Plays per load", percent_text(now.play_rate()),
              points_text(now.play_rate(), before.play_rate()));
}

void show_periods(Values& body, const std::string& path, const Wanted& wanted) {
  for (const int period : kPeriods) {
    const std::string name = std::to_string(period) + " days";
    Values one = body.show_with("PERIOD");
    if (period == wanted.period) {
      one.show_with("HERE").set("NAME", name);
    } else {
      one.show_with("OTHER")
          .set("NAME", name)
          .set("PATH", path + "?days=" + std::to_string(period));
    }
  }
}

// "Plays per day, 3 March 2026 to 9 March 2026: 12 in all, most on 4 March 2026 (5)"
std::string label_of(std::string_view caption, const std::vector<viewing::Day>& all,
                     const std::vector<double>& values, const std::string& sum,
                     std::string (*text_of)(double)) {
  std::string label = std::string(caption) + ", " + day_text(all.front().day) + " to " +
                      day_text(all.back().day) + ": " + sum + " in all";
  const auto most = std::ranges::max_element(values);
  if (*most <= 0) return label;
  const auto index = static_cast<std::size_t>(most - values.begin());
  return label + ", most on " + day_text(all[index].day) + " (" + text_of(*most) + ")";
}

// "950", "1.2k": next to a bar.
std::string short_text(double value) {
  constexpr double kMany = 1000;
  if (value < kMany) return hours_text(value);
  std::string text;
  text::json::append_decimal(text, std::round(value / 100) / 10);
  return text + "k";
}

// Shows the values of the bars: next to each if there is room, otherwise at the pointer.
void show_values(Values& chart, const std::vector<viewing::Day>& all,
                 const std::vector<double>& values, double top, std::string (*text_of)(double)) {
  constexpr std::size_t kFew = 7;
  constexpr std::size_t kSome = 30;
  constexpr double kWhole = 100;  // percent
  const std::size_t size = values.size();
  Values shown = chart.show_with("VALUES");
  shown.set("SIZE", size <= kFew ? "few" : size <= kSome ? "some" : "many");
  const double width = kWhole / static_cast<double>(size);
  const auto percent = [](double value) {
    std::string text;
    text::json::append_decimal(text, std::round(value * 100) / 100);
    return text;
  };
  for (std::size_t i = 0; i < size; ++i) {
    Values one = shown.show_with("VALUE");
    const double left = width * static_cast<double>(i);
    one.set("WORDS", day_text(all[i].day) + ": " + text_of(values[i]))
        .set("LEFT", percent(left))
        .set("SPAN", percent(width));
    if (size > kSome || values[i] <= 0) continue;
    one.show_with("TEXT")
        .set("CENTRE", percent(left + width / 2))
        .set("HEIGHT", percent(kWhole * (1 - std::min(1.0, values[i] / top))))
        .set("NUMBER", short_text(values[i]));
  }
}

void show_days_chart(Values& body, std::string_view name, std::string_view caption,
                     const std::vector<viewing::Day>& all, const std::vector<double>& values,
                     double least_top, const std::string& sum, std::string (*text_of)(double)) {
  const double top = top_of_scale(*std::ranges::max_element(values), least_top);
  Values chart = body.include(name, "chart.tpl");
  chart.set("CAPTION", std::string(caption))
      .set("LABEL", label_of(caption, all, values, sum, text_of))
      .set("TOP", text_of(top))
      .set("HALF", text_of(top / 2))
      .set("WIDTH", static_cast<long>(values.size()))
      .set("FIRST", day_text(all.front().day))
      .set("LAST", day_text(all.back().day));
  chart.show_with("BARS").set("PATH", bars_path(values, top));
  show_values(chart, all, values, top, text_of);
}

std::string whole_text(double number) { return with_separators(std::llround(number)); }

// Charts and a table of the days, or a sentence. `path`: of the page.
void show_days(Values& body, const std::string& path, const Wanted& wanted,
               const std::vector<viewing::Day>& all, Visitors visitors) {
  Values section = body.include("BY_DAY", "stats_days.tpl");
  section.set("CSV", path + "?days=" + std::to_string(wanted.period) + "&format=csv");
  Counts sum;
  std::vector<double> plays;
  std::vector<double> hours;
  for (const viewing::Day& each : all) {
    sum += each.counts;
    plays.push_back(static_cast<double>(each.counts.plays));
    hours.push_back(each.counts.hours_watched());
  }
  if (sum.empty()) {
    section.show_with("QUIET").set("LENGTH", std::to_string(all.size()) + " days");
    return;
  }
  constexpr double kLeastPlays = 2;
  constexpr double kLeastHours = 0.02;
  Values days = section.show_with("DAYS");
  show_days_chart(days, "PLAYS_CHART", "Plays per day", all, plays, kLeastPlays,
                  count_text(sum.plays), whole_text);
  show_days_chart(days, "HOURS_CHART", "Hours watched per day", all, hours, kLeastHours,
                  hours_text(sum.hours_watched()), hours_text);
  if (visitors == Visitors::Shown) days.show("VISITORS_NAME");
  for (const viewing::Day& each : all) {
    Values row = days.show_with("DAY");
    row.set("DATE", text::to_full_date(each.day))
        .set("LOADS", count_text(each.counts.loads))
        .set("PLAYS", count_text(each.counts.plays))
        .set("HOURS", hours_text(each.counts.hours_watched()));
    if (visitors == Visitors::Shown)
      row.show_with("VISITORS").set("COUNT", count_text(each.counts.visitors));
  }
}

double mean_of(const std::vector<double>& values, std::size_t part) {
  const std::size_t size = values.size() / kTableParts;
  double sum = 0;
  for (std::size_t i = part * size; i < (part + 1) * size; ++i) sum += values[i];
  return sum / static_cast<double>(size);
}

// "0:12", or "0:01.6" of a short media, whose tenth parts would be equal in whole seconds.
std::string time_of_part(double duration, double part) {
  constexpr double kShort = 60;         // seconds
  constexpr std::int64_t kTenth = 100;  // milliseconds
  if (duration >= kShort) return duration_text(duration * part);
  return position_text(std::llround(duration * part * 10) * kTenth);
}

// Which parts of the media the plays saw.
void show_engagement(Values& body, const Counts& counts, const media::Media& media) {
  if (counts.plays == 0) return;
  const auto share = [&](std::uint32_t plays) {
    return std::min(1.0, plays / static_cast<double>(counts.plays));
  };
  std::vector<double> seen;
  std::vector<double> again;
  for (std::size_t i = 0; i < viewing::kParts; ++i) {
    seen.push_back(share(counts.seen.at(i)));
    again.push_back(share(counts.again.at(i)));
  }
  const auto place = [&](double part) {
    return media.duration ? duration_text(*media.duration * part) : percent_text(part);
  };
  Values engagement = body.show_with("ENGAGEMENT");
  Values chart = engagement.include("CURVE", "chart.tpl");
  chart.set("CAPTION", "Share of the plays that saw each part")
      .set("LABEL", "Share of the " + counted(number_of(counts.plays), "play", "plays") +
                        " that saw each part: " + percent_text(seen.front()) + " the beginning, " +
                        percent_text(seen.at(viewing::kParts / 2)) + " the middle, " +
                        percent_text(seen.back()) + " the end")
      .set("TOP", "100%")
      .set("HALF", "50%")
      .set("WIDTH", static_cast<long>(viewing::kParts))
      .set("FIRST", place(0))
      .set("MIDDLE", place(0.5))
      .set("LAST", place(1));
  chart.show_with("AREA").set("PATH", area_path(seen, 1)).set("CLASS", "seen");
  chart.show_with("AREA").set("PATH", area_path(again, 1)).set("CLASS", "again");
  for (std::size_t part = 0; part < kTableParts; ++part) {
    const double tenth = 1.0 / kTableParts;
    const auto edge = [&](std::size_t parts) {
      const double of_all = static_cast<double>(parts) * tenth;
      return media.duration ? time_of_part(*media.duration, of_all) : percent_text(of_all);
    };
    engagement.show_with("PART")
        .set("FROM", edge(part))
        .set("TO", edge(part + 1))
        .set("SEEN", percent_text(mean_of(seen, part)))
        .set("AGAIN", percent_text(mean_of(again, part)));
  }
}

class MediaStatsPage : public MediaPages {
  using MediaPages::MediaPages;

  loop::Task<http::Response> page(const OfMedia& subject) override {
    return subject.sent != nullptr ? at_once(only_by_form(subject)) : show(subject);
  }

  loop::Task<http::Response> show(const OfMedia& subject) {
    const media::Media& media = subject.media;
    const Wanted wanted = wanted_of(subject);
    viewing::Subject of_media(media.id);
    const Read read = co_await read_counts(library_.statistics, std::move(of_media), wanted);
    if (wanted.is_csv)
      co_return csv_response(viewing::to_csv(read.days, Visitors::Shown, viewing::LineEnd::Crlf),
                             media.id.value(), wanted);
    SettingsPage page(parts_, subject, title_with("Statistics", media), "media_stats.tpl");
    Values& body = page.body();
    show_way_back(body, subject);
    if (read.total.empty()) {
      body.show("NOTHING");
    } else {
      Values counted = body.show_with("COUNTED");
      const std::string path(subject.request.path);
      show_periods(counted, path, wanted);
      show_sums(counted, read, wanted);
      show_number(counted, "Engagement", percent_text(read.sum.engagement()),
                  points_text(read.sum.engagement(), read.before.engagement()));
      show_count(counted, "Visitors", read.sum.visitors, read.before.visitors);
      show_days(counted, path, wanted, read.days, Visitors::Shown);
      show_engagement(counted, read.sum, media);
    }
    co_return page.answer();
  }
};

class AccountStatsPage : public LibraryPages {
  using LibraryPages::LibraryPages;

  loop::Task<http::Response> page(const InLibrary& in) override {
    return in.sent != nullptr ? at_once(only_by_form(in)) : show(in);
  }

  loop::Task<http::Response> show(const InLibrary& in) {
    const media::AccountId account = in.account.id;
    const Wanted wanted = wanted_of(in);
    auto reading = loop::all(read_counts(library_.statistics, viewing::Subject(account), wanted),
                             viewing::watched_medias(library_.statistics, library_.catalog, account,
                                                     wanted.first, wanted.last));
    const auto both = co_await reading;
    const auto& [read, medias] = both;
    if (wanted.is_csv)
      co_return csv_response(viewing::to_csv(read.days, medias, viewing::LineEnd::Crlf),
                             std::to_string(account.value()), wanted);
    SettingsPage page(parts_, in, "Statistics", "account_stats.tpl");
    Values& body = page.body();
    body.set("LIST", in.medias).set("ACCOUNT", in.account_name());
    if (read.total.empty()) {
      body.show("NOTHING");
    } else {
      Values counted = body.show_with("COUNTED");
      show_periods(counted, in.stats, wanted);
      show_sums(counted, read, wanted);
      show_days(counted, in.stats, wanted, read.days, Visitors::LeftOut);
      show_most_played(counted, in, medias);
    }
    co_return page.answer();
  }

  static void show_most_played(Values& body, const InLibrary& in,
                               const std::vector<viewing::WatchedMedia>& medias) {
    if (medias.empty()) return;
    Values most = body.show_with("MOST");
    for (std::size_t i = 0; i < std::min(medias.size(), kMostPlayed); ++i) {
      most.show_with("FILM")
          .set("NAME", shown_name(medias[i].name))
          .set("PATH", base::paths::kMediaStatsPage.with(std::to_string(in.account.id.value()),
                                                         medias[i].id.value()))
          .set("PLAYS", count_text(medias[i].sums.plays))
          .set("HOURS", hours_text(medias[i].sums.counts().hours_watched()));
    }
  }
};

}  // namespace

OwnedPage media_stats_page(const SettingsParts& parts) {
  return std::make_unique<MediaStatsPage>(parts);
}
OwnedPage account_stats_page(const SettingsParts& parts) {
  return std::make_unique<AccountStatsPage>(parts);
}

}  // namespace svc::pages
