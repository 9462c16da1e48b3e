#include "viewing/by_media.h"

#include <algorithm>
#include <utility>

#include "media/reads.h"

namespace svc::viewing {
namespace {

// The number of counts that a turn of the loop decodes.
constexpr std::size_t kCountsAtOnce = 2000;

std::uint64_t rest_of(std::uint64_t all, std::uint64_t part) { return all > part ? all - part : 0; }

}  // namespace

Sums& Sums::operator+=(const Counts& counts) {
  loads += counts.loads;
  plays += counts.plays;
  watched += counts.watched;
  return *this;
}

Counts Sums::counts() const {
  Counts counts;
  counts.loads = loads;
  counts.plays = plays;
  counts.watched = watched;
  return counts;
}

loop::Task<std::vector<WatchedMedia>> watched_medias(Statistics& statistics,
                                                     media::Catalog& catalog,
                                                     media::AccountId account,
                                                     std::chrono::sys_days first,
                                                     std::chrono::sys_days last) {
  const std::vector<media::HashedId> ids = co_await statistics.most_played(account, kMostByMedia);
  const auto days = static_cast<std::size_t>(std::max<long>((last - first).count() + 1, 1));
  const std::size_t step = std::max<std::size_t>(kCountsAtOnce / days, 1);
  std::vector<WatchedMedia> watched;
  for (std::size_t at = 0; at < ids.size(); at += step) {
    const std::vector<media::HashedId> some(
        ids.begin() + static_cast<std::ptrdiff_t>(at),
        ids.begin() + static_cast<std::ptrdiff_t>(std::min(at + step, ids.size())));
    const std::vector<std::vector<Day>> read = co_await statistics.days_of(some, first, last);
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (read[i].empty()) continue;
      WatchedMedia one{.id = some[i], .name = "", .sums = {}, .days = {}};
      for (const Day& each : read[i]) {
        Sums sums;
        one.sums += each.counts;
        one.days.push_back({each.day, sums += each.counts});
      }
      watched.push_back(std::move(one));
    }
  }
  std::vector<media::HashedId> names;
  for (const WatchedMedia& each : watched) names.push_back(each.id);
  media::Reads reads;  // responses are not cached
  const std::vector<media::Media> found =
      co_await catalog.find_medias(names, media::Detail::Embed, reads);
  // Both are in the order of `names`.
  std::vector<WatchedMedia> existing;
  std::size_t next = 0;
  for (const media::Media& media : found) {
    while (watched[next].id != media.id) ++next;
    if (media.account != account) continue;
    existing.push_back(std::move(watched[next]));
    existing.back().name = media.name;
  }
  std::ranges::sort(existing, [](const WatchedMedia& a, const WatchedMedia& b) {
    if (a.sums.plays != b.sums.plays) return a.sums.plays > b.sums.plays;
    return a.id.value() < b.id.value();
  });
  co_return existing;
}

std::vector<OfDay> medias_on(const std::vector<WatchedMedia>& medias, std::chrono::sys_days day) {
  std::vector<OfDay> found;
  for (const WatchedMedia& media : medias) {
    const auto at = std::ranges::lower_bound(media.days, day, {}, &MediaDay::day);
    if (at != media.days.end() && at->day == day) found.push_back({&media, at->sums});
  }
  return found;
}

std::string to_csv(const std::vector<Day>& account, const std::vector<WatchedMedia>& medias,
                   LineEnd end) {
  std::vector<std::string> names;
  for (const WatchedMedia& each : medias) {
    std::string& name = names.emplace_back(each.id.value() + ',');
    append_csv_text(name, each.name);
    name += ',';
  }
  std::string csv = csv_names(Visitors::LeftOut, end, kCsvMediaNames);
  for (const Day& each : account) {
    Sums rest{each.counts.loads, each.counts.plays, each.counts.watched};
    bool has_media = false;
    for (const OfDay& one : medias_on(medias, each.day)) {
      has_media = true;
      append_csv_day(csv, {each.day, one.sums.counts()}, Visitors::LeftOut, end,
                     names[static_cast<std::size_t>(one.media - medias.data())]);
      rest.loads = rest_of(rest.loads, one.sums.loads);
      rest.plays = rest_of(rest.plays, one.sums.plays);
      rest.watched = rest_of(rest.watched, one.sums.watched);
    }
    if (!has_media || !rest.counts().empty())
      append_csv_day(csv, {each.day, rest.counts()}, Visitors::LeftOut, end, ",,");
  }
  return csv;
}

}  // namespace svc::viewing
