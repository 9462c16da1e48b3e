// listing: prints the records of one kind of the catalog. All of them in the order of the store, as
// they are read; or a page of them in the order of their ids. No more than a batch, or a page, of
// records is in memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ctl/command.h"
#include "redis/record_scan.h"

namespace svc::ctl {

// Hashed ids are ordered as text, the others as numbers.
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
  std::string after;      // the last id of the page before; "" for the first page
};

// Reads --limit and --after. Refuses --after without --limit.
base::Result<Page, std::string> read_page(const Arguments& arguments);

// The records of one kind, as a command shows them.
class Listed {
 public:
  virtual ~Listed() = default;
  // Reads a record. Returns true if it is to be listed; false also if it cannot be read.
  virtual bool take(const redis::StoredRecord& record) = 0;
  // Prints the record that take() read last.
  virtual void print() = 0;

  // Prints on standard error that a record cannot be read.
  void cannot_read(const redis::StoredRecord& record, const std::string& why);
  bool all_readable() const { return all_readable_; }

 private:
  bool all_readable_ = true;
};

// Lists the records whose keys begin with `prefix`; the rest of a key is the id. `none` is printed
// on standard error if the list is empty, except with --json. Refuses at the end if a record could
// not be read.
Outcome list_records(const Arguments& arguments, const Context& context, const std::string& prefix,
                     Ids ids, const Page& page, Listed& listed, std::string_view none);

}  // namespace svc::ctl
