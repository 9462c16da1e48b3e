#include "stores/catalog/statistics.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/number.h"
#include "base/unavailable.h"
#include "base/unreadable.h"
#include "stores/catalog/statistics.lua.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using viewing::Counts;
using viewing::Subject;

constexpr std::string_view kTotal = "total";
constexpr std::size_t kDate = 8;                         // characters of yyyymmdd
constexpr std::string_view kSubjectsAtOnce = "50";       // subjects per step of clean_up()
constexpr std::string_view kVisitorSeconds = "2592000";  // 30 days, should clean_up() not run

// Of a link, which lasts for 366 days at most, since it was opened last.
constexpr std::string_view kOpeningSeconds = "34560000";  // 400 days

std::optional<sys_days> day_in(std::string_view text) {
  if (text.size() < kDate) return std::nullopt;
  const auto year = base::parse_number<int>(text.substr(0, 4), 1970, 9999);
  const auto month = base::parse_number<unsigned>(text.substr(4, 2), 1U, 12U);
  const auto day = base::parse_number<unsigned>(text.substr(6, 2), 1U, 31U);
  if (!year || !month || !day) return std::nullopt;
  return sys_days(std::chrono::year(*year) / std::chrono::month(*month) / std::chrono::day(*day));
}

std::optional<media::HashedId> media_of(std::string_view subject) {
  constexpr std::string_view kMedia = "media:";
  if (!subject.starts_with(kMedia)) return std::nullopt;
  return media::HashedId::parse(subject.substr(kMedia.size()));
}

Counts read_counts(const std::string& key, std::optional<std::string_view> text) {
  if (!text) return {};
  const auto counts = viewing::from_bytes(*text);
  if (!counts) corrupt_record(key, "it is not counts of version 1");
  return *counts;
}

// For sums over media: one whose counts cannot be read counts as never watched.
Counts counts_or_none(const std::string& key, std::optional<std::string_view> text) {
  try {
    return read_counts(key, text);
  } catch (const base::Unreadable&) {
    return {};  // it is logged
  }
}

}  // namespace

std::string stats_date(sys_days day) {
  const std::chrono::year_month_day date(day);
  char text[32];
  std::snprintf(text, sizeof text, "%04d%02u%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text;
}

loop::Task<Statistics::Pieces> Statistics::pieces(Subject subject) {
  const std::string key = keys::stats_pieces(subject.key());
  redis::Store::Call call = store_.read({"HGETALL", key});
  const redis::Reply reply = co_await call;
  Pieces sums;
  for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
    const auto day = day_in(reply.at(i).text().value_or(""));
    if (day) sums[*day] += read_counts(key, reply.at(i + 1).text());
  }
  redis::Store::Calls calls(store_);
  for (const auto& each : sums)
    calls.read({"PFCOUNT", keys::stats_visitors(subject.key(), stats_date(each.first))});
  for (auto& each : sums) {
    const redis::Reply visitors = co_await OrAbsent{calls.next()};
    each.second.visitors += static_cast<std::uint64_t>(visitors.integer());
  }
  co_return sums;
}

loop::Task<Counts> Statistics::total(Subject subject) {
  const std::string key = keys::stats_rows(subject.key());
  redis::Store::Call call = store_.read({"HGET", key, kTotal});
  loop::Task<Pieces> reading = pieces(subject);
  const redis::Reply reply = co_await call;
  const Pieces rest = co_await reading;
  Counts sum = read_counts(key, reply.text());
  for (const auto& each : rest) sum += each.second;
  co_return sum;
}

loop::Task<std::vector<Counts>> Statistics::totals(std::vector<media::HashedId> medias) {
  redis::Store::Calls rows(store_);
  redis::Store::Calls pieces(store_);
  for (const media::HashedId& id : medias) {
    rows.read({"HGET", keys::stats_rows(Subject(id).key()), kTotal});
    pieces.read({"HGETALL", keys::stats_pieces(Subject(id).key())});
  }
  std::vector<Counts> sums;
  for (const media::HashedId& id : medias) {
    const redis::Reply total = co_await OrAbsent{rows.next()};
    sums.push_back(counts_or_none(keys::stats_rows(Subject(id).key()), total.text()));
    const redis::Reply rest = co_await OrAbsent{pieces.next()};
    for (std::size_t k = 1; k < rest.size(); k += 2)
      sums.back() += counts_or_none(keys::stats_pieces(Subject(id).key()), rest.at(k).text());
  }
  co_return sums;
}

loop::Task<std::vector<viewing::Day>> Statistics::days(Subject subject, sys_days first,
                                                       sys_days last) {
  const std::string key = keys::stats_rows(subject.key());
  std::vector<viewing::Day> result;
  std::vector<std::string> words{"HMGET", key};
  for (sys_days day = first; day <= last; day += std::chrono::days(1)) {
    result.push_back({day, {}});
    words.push_back(stats_date(day));
  }
  if (result.empty()) co_return result;
  const std::vector<std::string_view> views(words.begin(), words.end());
  redis::Store::Call call = store_.read(views);
  loop::Task<Pieces> reading = pieces(subject);
  const redis::Reply reply = co_await call;
  const Pieces rest = co_await reading;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].counts = read_counts(key, reply.at(i).text());
    const auto more = rest.find(result[i].day);
    if (more != rest.end()) result[i].counts += more->second;
  }
  co_return result;
}

loop::Task<std::vector<std::vector<viewing::Day>>> Statistics::days_of(
    std::vector<media::HashedId> medias, sys_days first, sys_days last) {
  std::vector<sys_days> all;
  std::vector<std::string> dates;
  for (sys_days day = first; day <= last; day += std::chrono::days(1)) {
    all.push_back(day);
    dates.push_back(stats_date(day));
  }
  std::vector<std::vector<viewing::Day>> result(medias.size());
  if (dates.empty()) co_return result;
  redis::Store::Calls rows(store_);
  redis::Store::Calls pieces(store_);
  for (const media::HashedId& id : medias) {
    const std::string key = keys::stats_rows(Subject(id).key());
    std::vector<std::string_view> words{"HMGET", key};
    words.insert(words.end(), dates.begin(), dates.end());
    rows.read(words);
    pieces.read({"HGETALL", keys::stats_pieces(Subject(id).key())});
  }
  for (std::size_t i = 0; i < medias.size(); ++i) {
    const redis::Reply row = co_await OrAbsent{rows.next()};
    const redis::Reply rest = co_await OrAbsent{pieces.next()};
    Pieces sums;
    const std::string key = keys::stats_rows(Subject(medias[i]).key());
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (row.at(k).text()) sums[all[k]] += counts_or_none(key, row.at(k).text());
    }
    const std::string pieces_key = keys::stats_pieces(Subject(medias[i]).key());
    for (std::size_t k = 0; k + 1 < rest.size(); k += 2) {
      const auto day = day_in(rest.at(k).text().value_or(""));
      if (day && *day >= first && *day <= last)
        sums[*day] += counts_or_none(pieces_key, rest.at(k + 1).text());
    }
    for (const auto& each : sums) result[i].push_back({each.first, each.second});
  }
  co_return result;
}

loop::Task<std::vector<viewing::Day>> Statistics::kept_days(Subject subject) {
  const std::string key = keys::stats_rows(subject.key());
  redis::Store::Call call = store_.read({"HGETALL", key});
  loop::Task<Pieces> reading = pieces(subject);
  const redis::Reply reply = co_await call;
  Pieces sums = co_await reading;
  for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
    const auto day = day_in(reply.at(i).text().value_or(""));
    if (day) sums[*day] += read_counts(key, reply.at(i + 1).text());
  }
  std::vector<viewing::Day> result;
  for (const auto& each : sums) result.push_back({each.first, each.second});
  co_return result;
}

loop::Task<std::vector<media::HashedId>> Statistics::most_played(media::AccountId account,
                                                                 std::size_t count) {
  const std::string last = std::to_string(static_cast<std::int64_t>(count) - 1);
  redis::Store::Call call = store_.read({"ZRANGE", keys::stats_plays(account), "0", last, "REV"});
  const redis::Reply reply = co_await OrAbsent{call};
  std::vector<media::HashedId> result;
  for (std::size_t i = 0; i < reply.size(); ++i) {
    if (auto id = media::HashedId::parse(reply.at(i).text().value_or("")))
      result.push_back(std::move(*id));
  }
  co_return result;
}

void Statistics::count_opening(std::string_view media, std::int64_t link) {
  const std::string key = keys::stats_openings(media);
  store_.send_and_forget({"HINCRBY", key, std::to_string(link), "1"});
  store_.send_and_forget({"EXPIRE", key, kOpeningSeconds});
}

loop::Task<viewing::Openings> Statistics::openings(media::HashedId media) {
  const std::string key = keys::stats_openings(media.value());
  redis::Store::Call call = store_.read({"HGETALL", key});
  const redis::Reply reply = co_await OrAbsent{call};
  viewing::Openings openings;
  for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
    const auto link = base::parse_number<std::int64_t>(reply.at(i).text().value_or(""), 1);
    const auto count = base::parse_number<std::int64_t>(reply.at(i + 1).text().value_or(""), 1);
    if (link && count) openings[*link] = *count;
  }
  co_return openings;
}

loop::Task<> Statistics::keep_openings(media::HashedId media, std::vector<std::int64_t> links) {
  const std::string key = keys::stats_openings(media.value());
  redis::Store::Call call = store_.read({"HKEYS", key});
  const redis::Reply fields = co_await OrAbsent{call};
  std::vector<std::string> others{"HDEL", key};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string field(fields.at(i).text().value_or(""));
    const auto link = base::parse_number<std::int64_t>(field, 1);
    if (!link || std::ranges::find(links, *link) == links.end()) others.push_back(field);
  }
  if (others.size() == 2) co_return;
  const std::vector<std::string_view> views(others.begin(), others.end());
  redis::Store::Call deleting = store_.command(views);
  co_await deleting;
}

loop::Task<std::vector<std::string>> Statistics::keys_of(media::HashedId media) {
  std::vector<std::string> names = co_await keys_of_subject(Subject(media));
  names.push_back(keys::stats_openings(media.value()));
  co_return names;
}

loop::Task<std::vector<std::string>> Statistics::keys_of(media::AccountId account) {
  return keys_of_subject(Subject(account));
}

loop::Task<std::vector<std::string>> Statistics::keys_of_subject(Subject subject) {
  std::vector<std::string> names{keys::stats_pieces(subject.key()),
                                 keys::stats_rows(subject.key())};
  redis::Store::Call call = store_.read({"HKEYS", names.front()});
  const redis::Reply fields = co_await OrAbsent{call};
  std::set<std::chrono::sys_days> days;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (const auto day = day_in(fields.at(i).text().value_or(""))) days.insert(*day);
  }
  for (const std::chrono::sys_days day : days)
    names.push_back(keys::stats_visitors(subject.key(), stats_date(day)));
  co_return names;
}

loop::Task<std::vector<Statistics::Stored>> Statistics::write(std::vector<Piece> pieces) {
  enum class Needed : std::uint8_t { No, Yes, IsPiece };
  struct Sent {
    std::size_t piece;
    Needed needed;
  };
  redis::Store::Calls calls(store_);
  std::vector<Sent> sent;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    const std::string date = stats_date(piece.day);
    const auto send = [&](const std::vector<std::string_view>& words, Needed needed = Needed::Yes) {
      calls.command(words);
      sent.push_back({i, needed});
    };
    // First, so that no piece is forgotten.
    const std::string day = std::to_string(piece.day.time_since_epoch().count());
    const std::string member = date + " " + piece.subject.key();
    send({"ZADD", keys::kStatsOpen, day, member});
    const std::string visitors = keys::stats_visitors(piece.subject.key(), date);
    if (!piece.visitors.empty()) {
      std::vector<std::string_view> words{"PFADD", visitors};
      words.insert(words.end(), piece.visitors.begin(), piece.visitors.end());
      send(words);
      send({"EXPIRE", visitors, kVisitorSeconds, "NX"}, Needed::No);
    }
    const std::string field = date + " " + piece.name;
    send({"HSET", keys::stats_pieces(piece.subject.key()), field, piece.counts}, Needed::IsPiece);
    if (piece.account && piece.plays > 0) {
      const std::string plays = std::to_string(piece.plays);
      send({"ZINCRBY", keys::stats_plays(*piece.account), plays, piece.media.value()}, Needed::No);
    }
  }
  std::vector<Stored> stored(pieces.size(), Stored::Replaced);
  for (const Sent& each : sent) {
    bool is_done = true;
    try {
      const redis::Reply reply = co_await calls.next();
      if (each.needed == Needed::IsPiece && reply.integer() == 1 &&
          stored[each.piece] == Stored::Replaced)
        stored[each.piece] = Stored::Added;
    } catch (const redis::ErrorReply& error) {
      if (!std::exchange(said_refused_, true))
        base::log::warn("store.refused",
                        {{"store", store_.address().to_text()}, {"reason", error.what()}});
      is_done = false;
    } catch (const base::Unavailable&) {
      is_done = false;
    }
    if (!is_done && each.needed != Needed::No) stored[each.piece] = Stored::Unknown;
  }
  if (std::ranges::count(stored, Stored::Unknown) == 0) said_refused_ = false;
  co_return stored;
}

loop::Task<bool> Statistics::add_up(std::string day, std::string subject) {
  const std::string pieces_key = keys::stats_pieces(subject);
  const std::string rows_key = keys::stats_rows(subject);
  const std::string visitors_key = keys::stats_visitors(subject, day);
  redis::Store::Calls calls(store_);
  calls.read({"HGETALL", pieces_key});
  calls.read({"HMGET", rows_key, day, kTotal});
  calls.read({"PFCOUNT", visitors_key});
  const auto media = media_of(subject);
  if (media) calls.read({"EXISTS", keys::media(*media)});
  const redis::Reply pieces = co_await RecordRead(calls.next(), pieces_key);
  const redis::Reply rows = co_await RecordRead(calls.next(), rows_key);
  const redis::Reply visitors = co_await RecordRead(calls.next(), visitors_key);
  bool exists = true;
  if (media) {
    const redis::Reply found = co_await calls.next();
    exists = found.integer() > 0;
  }
  if (!exists) {  // deleted while it was watched
    for (const std::string& key : {pieces_key, rows_key, visitors_key}) {
      redis::Store::Call deletion = store_.repeatable({"DEL", key}, redis::Durability::Primary);
      co_await deletion;
    }
    redis::Store::Call forgotten =
        store_.repeatable({"ZREM", keys::kStatsKept, subject}, redis::Durability::Primary);
    co_await forgotten;
    co_return true;
  }
  Counts more;
  std::vector<std::string> of_day;
  for (std::size_t i = 0; i + 1 < pieces.size(); i += 2) {
    const std::string_view field = pieces.at(i).text().value_or("");
    if (!field.starts_with(day)) continue;
    more += read_counts(pieces_key, pieces.at(i + 1).text());
    of_day.emplace_back(field);
    of_day.emplace_back(pieces.at(i + 1).text().value_or(""));
  }
  if (of_day.empty()) co_return true;
  more.visitors += static_cast<std::uint64_t>(visitors.integer());
  Counts row = read_counts(rows_key, rows.at(0).text());
  Counts total = read_counts(rows_key, rows.at(1).text());
  functions::AddUpStatistics run{.pieces = pieces_key,
                                 .rows = rows_key,
                                 .visitors = visitors_key,
                                 .day = day,
                                 .row_before = rows.at(0).text().value_or(""),
                                 .row = viewing::to_bytes(row += more),
                                 .total_before = rows.at(1).text().value_or(""),
                                 .total = viewing::to_bytes(total += more),
                                 .read = {of_day.begin(), of_day.end()}};
  const redis::Reply added = co_await store_.call(std::move(run));
  co_return added.integer() == 1;
}

loop::Task<> Statistics::trim(std::string subject, std::string oldest) {
  const std::string key = keys::stats_rows(subject);
  redis::Store::Call call = store_.read({"HKEYS", key});
  const redis::Reply fields = co_await RecordRead(call, key);
  std::vector<std::string_view> words{"HDEL", key};
  std::string_view next;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view field = fields.at(i).text().value_or("");
    if (!day_in(field)) continue;
    if (field < oldest) words.push_back(field);
    if (field >= oldest && (next.empty() || field < next)) next = field;
  }
  if (words.size() > 2) {
    redis::Store::Call deletion = store_.repeatable(words, redis::Durability::Primary);
    co_await deletion;
  }
  redis::Store::Call noting =
      next.empty()
          ? store_.repeatable({"ZREM", keys::kStatsKept, subject}, redis::Durability::Primary)
          : store_.repeatable({"ZADD", keys::kStatsKept,
                               std::to_string(day_in(next)->time_since_epoch().count()), subject},
                              redis::Durability::Primary);
  co_await noting;
}

loop::Task<bool> Statistics::clean_up(sys_days today, sys_days oldest) {
  const auto number = [](sys_days day) { return std::to_string(day.time_since_epoch().count()); };
  const std::string settled = number(today - viewing::kSettled);
  redis::Store::Calls calls(store_);
  calls.read(
      {"ZRANGE", keys::kStatsOpen, "-inf", settled, "BYSCORE", "LIMIT", "0", kSubjectsAtOnce});
  calls.read({"ZRANGE", keys::kStatsKept, "-inf", number(oldest - std::chrono::days(1)), "BYSCORE",
              "LIMIT", "0", kSubjectsAtOnce});
  const redis::Reply open = co_await OrAbsent{calls.next()};
  const redis::Reply old = co_await OrAbsent{calls.next()};
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::string member(open.at(i).text().value_or(""));
    const auto day = day_in(member);
    bool is_unreadable = false;
    if (day && member.size() > kDate) {
      const std::string subject = member.substr(kDate + 1);
      bool is_added = false;
      try {
        std::string date = member.substr(0, kDate);
        is_added = co_await add_up(std::move(date), subject);
      } catch (const base::Unreadable&) {
        is_unreadable = true;
      }
      if (is_unreadable) {  // tomorrow again: others are not to wait for it
        redis::Store::Call later = store_.repeatable(
            {"ZADD", keys::kStatsOpen,
             number(today + std::chrono::days(1 + viewing::kSettled.count())), member},
            redis::Durability::Primary);
        co_await later;
      }
      if (!is_added) continue;  // or another worker changed them meanwhile
      redis::Store::Call kept = store_.repeatable(
          {"ZADD", keys::kStatsKept, "NX", number(*day), subject}, redis::Durability::Primary);
      co_await kept;
    }
    redis::Store::Call done =
        store_.repeatable({"ZREM", keys::kStatsOpen, member}, redis::Durability::Primary);
    co_await done;
  }
  const std::string first = stats_date(oldest);
  for (std::size_t i = 0; i < old.size(); ++i) {
    const std::string subject(old.at(i).text().value_or(""));
    bool is_unreadable = false;
    try {
      co_await trim(subject, first);
    } catch (const base::Unreadable&) {
      is_unreadable = true;
    }
    if (!is_unreadable) continue;  // else tomorrow again, as above
    redis::Store::Call later = store_.repeatable(
        {"ZADD", keys::kStatsKept, number(oldest), subject}, redis::Durability::Primary);
    co_await later;
  }
  co_return open.size() > 0 || old.size() > 0;
}

}  // namespace svc::stores
