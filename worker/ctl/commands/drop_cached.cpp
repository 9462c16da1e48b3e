#include "ctl/commands/drop_cached.h"

#include <iostream>

#include "base/unavailable.h"
#include "ctl/printable.h"
#include "stores/catalog/renderings.h"

namespace svc::ctl {

void drop_cached(const Context& context, const std::vector<media::HashedId>& changed) {
  if (context.cache == nullptr) return;
  try {
    context.store.run(stores::drop_renderings(*context.cache, changed));
  } catch (const base::Unavailable& outage) {
    std::cerr << "cached renderings were not dropped: " << printable(outage.what())
              << "; they expire, and workers do not use them\n";
  }
}

}  // namespace svc::ctl
