// views: writes counts of views as the pools do.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rules/site.h"
#include "rules/stores.h"
#include "stores/catalog/statistics.h"
#include "text/rfc3339.h"
#include "viewing/counts.h"
#include "viewing/statistics.h"

namespace svc::rules {

inline viewing::Counts views(std::uint64_t loads, std::uint64_t plays, std::uint64_t seconds) {
  viewing::Counts counts;
  counts.loads = loads;
  counts.plays = plays;
  counts.watched = seconds * 1000;
  return counts;
}

class Views {
 public:
  explicit Views(Site& site) : site_(site) {}

  // The day that was `ago` days before today, of the site's clock.
  std::chrono::sys_days day(int ago) const {
    const std::chrono::sys_seconds now{std::chrono::seconds(site_.now())};
    return std::chrono::floor<std::chrono::days>(now) - std::chrono::days(ago);
  }
  std::string date(int ago) const { return text::to_full_date(day(ago)); }

  void add(const viewing::Subject& subject, const viewing::Counts& counts, int ago = 0,
           std::vector<std::string> visitors = {}) {
    write({subject, day(ago), next(), viewing::to_bytes(counts), std::move(visitors)});
  }
  // Adds counts of a media and of its account, whose media by plays are then in order.
  void add(const media::HashedId& media, media::AccountId account, const viewing::Counts& counts,
           int ago = 0, std::vector<std::string> visitors = {}) {
    add(viewing::Subject(account), counts, ago);
    write({viewing::Subject(media), day(ago), next(), viewing::to_bytes(counts),
           std::move(visitors), account, media, counts.plays});
  }

 private:
  std::string next() { return "table-" + std::to_string(++pieces_); }
  void write(stores::Statistics::Piece piece) {
    stores::Statistics store(site_.stores().redis());
    std::vector<stores::Statistics::Piece> pieces;
    pieces.push_back(std::move(piece));
    EXPECT_EQ(site_.stores().run(store.write(std::move(pieces))),
              std::vector{stores::Statistics::Stored::Added});
  }

  Site& site_;
  int pieces_ = 0;
};

}  // namespace svc::rules
