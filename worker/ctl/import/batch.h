// Batch: lines of one kind that share a round trip to the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctl/import/catalog_line.h"
#include "ctl/import/line_file.h"
#include "ctl/store.h"

namespace svc::ctl {

// A line, and the stored values that decide how it is checked or written.
struct Pending {
  LineFile::Line at;
  CatalogLine line;
  Name name;
  std::vector<std::string> keys{};                        // the first is that of its record
  std::vector<std::optional<std::string_view>> stored{};  // of these keys, after read()
};

class Batch {
 public:
  static constexpr std::size_t kMostRecords = 1024;

  std::vector<Pending> all;

  Pending& add(const LineFile::Line& at, CatalogLine line);
  // Returns true if the records are enough for a round trip and an fsync of the store, and few
  // enough to react to Ctrl-C immediately. A plain password takes a sixth of a second to hash, so
  // with `hashes` it ends its batch.
  bool is_full(bool hashes = false) const;
  // Reads the values of all keys. They are valid as long as the batch.
  void read(const Store& store);

 private:
  std::uint64_t bytes_ = 0;
  std::optional<redis::Reply> reply_;
};

// Reads the values of these keys in one round trip.
redis::Reply read_all(const Store& store, const std::vector<std::string>& keys);

}  // namespace svc::ctl
