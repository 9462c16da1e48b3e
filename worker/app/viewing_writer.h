// ViewingWriter: writes what players have told (viewing/table.h) to the store (api-B4).
#pragma once

#include <chrono>
#include <cstdint>

#include "loop/task.h"
#include "redis/store.h"
#include "stores/catalog/catalog.h"
#include "stores/catalog/statistics.h"
#include "viewing/table.h"

namespace svc::app {

class ViewingWriter {
 public:
  // `cache`: has the salt of visitors' digests, which no backup must have. All outlive it.
  ViewingWriter(viewing::Table& table, stores::Catalog& catalog, stores::Statistics& statistics,
                redis::Store& state, redis::Store& cache)
      : table_(table), catalog_(catalog), statistics_(statistics), state_(state), cache_(cache) {}

  // Writes all that is not stored yet, unless another worker does. What cannot be written stays for
  // the next time. `now`: seconds since 1970. Never throws.
  loop::Task<> write(std::int64_t now);

 private:
  loop::Task<> share_salt(std::int64_t now);
  loop::Task<bool> write_batch(std::chrono::sys_days today);

  viewing::Table& table_;
  stores::Catalog& catalog_;
  stores::Statistics& statistics_;
  redis::Store& state_;
  redis::Store& cache_;
};

}  // namespace svc::app
