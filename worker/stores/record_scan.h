// RecordScan: reads all records of one kind, a batch at a time. Memory is bounded by a batch,
// however many records there are. Only for svcctl: workers may not scan.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redis/scan.h"
#include "redis/store.h"

namespace svc::stores {

struct StoredRecord {
  std::string key;
  std::string text;  // empty if the value is not a string
};

class RecordScan {
 public:
  // Reads all keys that begin with `prefix`.
  RecordScan(redis::Store& store, const std::string& prefix, redis::Scan::Repeats repeats);

  // Returns the next keys; empty at the end.
  loop::Task<std::vector<std::string>> next_keys() { return scan_.next(); }
  // Returns the next batch of records; nothing at the end. A record that was deleted in between is
  // left out, so a batch may be empty.
  loop::Task<std::optional<std::vector<StoredRecord>>> next();

  double fraction_done() const { return scan_.fraction_done(); }

 private:
  redis::Store& store_;
  redis::Scan scan_;
};

// The records of these keys that exist, in the order of the keys. Throws base::Unavailable.
loop::Task<std::vector<StoredRecord>> read_records(redis::Store& store,
                                                   std::vector<std::string> keys);

}  // namespace svc::stores
