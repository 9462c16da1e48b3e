// Batch: lines of one kind that share a round trip to the store.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctl/import/catalog_line.h"
#include "ctl/import/line_file.h"
#include "ctl/store.h"
#include "media/site_rules.h"

namespace svc::ctl {

// A line, and the stored values that decide how it is checked or written.
struct Pending {
  LineFile::Line at;
  CatalogLine line;
  Name name;
  std::vector<std::string> keys{};                        // the first is that of its record
  std::vector<std::optional<std::string_view>> stored{};  // at these keys, after read()
  // The stored text of its record.
  std::string_view before() const { return read_again ? *read_again : stored[0].value_or(""); }

  // Set by ImportWrite: the record to write, and the facts that it needs of the stored record.
  std::string value{};
  std::optional<std::string> read_again{};  // its record, if another client has changed it
  std::optional<media::Media> former{};
  media::SiteRule former_rule{};  // an account's; everywhere if that is missing or unreadable
  std::string former_email{};
  bool has_new_password = false;
};

class Batch {
 public:
  static constexpr std::size_t kMostRecords = 1024;

  std::vector<Pending> all;

  Pending& add(const LineFile::Line& at, CatalogLine line);
  // Returns true if the records are enough for a round trip and an fsync of the store, and few
  // enough to react to Ctrl-C immediately. A plain password, which takes a sixth of a second to
  // hash, ends its batch.
  bool is_full() const;
  // Reads the values of all keys. They are valid as long as the batch.
  void read(const Store& store);

 private:
  std::uint64_t bytes_ = 0;
  std::optional<redis::Reply> reply_;
};

using Lines = std::vector<LineFile::Line>;

// Has `take` add the lines to batches, in their order, and `use` each batch, with the number of
// lines up to its end. Returns false as soon as `use` does.
bool in_batches(const Lines& lines, const std::function<void(const LineFile::Line&, Batch&)>& take,
                const std::function<bool(Batch&, std::size_t end)>& use);

}  // namespace svc::ctl
