// listing: prints the catalog records of one kind: either all, in the order of
// the store, as they are read; or one page in the order of their ids. Holds at
// most a batch and a page of records in memory. Listing all also keeps one hash
// per key.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ctl/command.h"
#include "stores/record_scan.h"

namespace svc::ctl {

// The order of the ids: hashed ids as text, the others as numbers.
enum class Ids { Text, Numbers };

// The flags of every command that calls list_records().
inline constexpr std::size_t kMostOnAPage = 10'000;
inline Flag limit_flag() {
  return {.name = "--limit",
          .takes = Takes::integer("N", 1, kMostOnAPage),
          .help = "print the first N in the order of their ids"};
}
inline Flag after_flag() {
  return {.name = "--after",
          .takes = Takes::text("ID"),
          .help = "continue after this id; needs --limit"};
}

struct Page {
  std::size_t limit = 0;  // 0: all records
  std::string after;      // last id of the previous page; "" for the first page
};

// Reads --limit and --after. Refuses --after without --limit.
base::Result<Page, std::string> read_page(const Arguments& arguments);

// Reads and prints the records of one kind.
class Listed {
 public:
  virtual ~Listed() = default;
  // Reads a record. Returns true if it belongs to the list; false if not, or if
  // it cannot be read.
  virtual bool take(const stores::StoredRecord& record) = 0;
  // Prints the record of the last take().
  virtual void print() = 0;

  // Reports on standard error that a record cannot be read.
  void cannot_read(const stores::StoredRecord& record, const std::string& why);
  bool all_readable() const { return all_readable_; }

 private:
  bool all_readable_ = true;
};

// Lists the records whose keys begin with `prefix`; the rest of a key is the
// id. If the list is empty, prints `none` on standard error, except with
// --json. Refuses at the end if a record could not be read.
Outcome list_records(const Arguments& arguments, const Context& context, const std::string& prefix,
                     Ids ids, const Page& page, Listed& listed, std::string_view none);

}  // namespace svc::ctl
