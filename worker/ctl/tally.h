// tally: live grants and tokens of a client, contact or account, for commands
// that end or suspend them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ctl/command.h"
#include "ctl/progress_bar.h"
#include "ctl/report.h"
#include "stores/access/grant_inspection.h"

namespace svc::ctl {

struct Tally {
  std::vector<stores::LiveGrant> grants;
  std::int64_t access_tokens = 0;
  std::int64_t refresh_tokens = 0;

  std::int64_t count() const { return static_cast<std::int64_t>(grants.size()); }
};

// Counts the live grants and tokens of `of`, a client, contact or account.
// Scans the whole store and shows a progress bar.
template <class Of>
Tally tally_of(stores::GrantInspection& inspection, const Context& context, const Of& of) {
  Tally tally;
  ProgressBar bar("searching", kWholeStore);
  inspection.report_to(
      [&bar](double done, std::size_t found) { bar.update(part_of_store(done), found); });
  tally.grants = context.store.run(inspection.grants_of(of));
  inspection.report_to(nullptr);
  for (const stores::LiveGrant& grant : tally.grants) {
    tally.access_tokens += grant.access_tokens;
    tally.refresh_tokens += grant.refresh_tokens;
  }
  return tally;
}

inline void add_tally(Report& report, const Tally& tally) {
  report.integer("grants", tally.count())
      .integer("access_tokens", tally.access_tokens)
      .integer("refresh_tokens", tally.refresh_tokens);
}

}  // namespace svc::ctl
