// ImportRead: reads the lines that an ImportCheck accepted again, and makes records of them, in
// batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ctl/import/check.h"

namespace svc::ctl {

struct Pending {
  Kind kind = Kind::Account;
  std::string key;
  std::string tombstone{};  // key of an application's tombstone
  std::string value;        // the record; made later if it depends on the stored record
  CatalogLine line;         // users and applications only
  std::size_t number = 0;   // the line's number
};

// Records that are read from the store together, and then written together.
struct ImportBatch {
  std::vector<Pending> records;
  std::uint64_t bytes_read = 0;  // of the file, up to the end of these lines
  std::size_t line = 0;          // number of the last line that was read
};

class ImportRead {
 public:
  // Reads lines of these kinds and skips the others. `lines` must outlive the object.
  ImportRead(int file, const std::vector<CheckedLine>& lines, std::vector<Kind> kinds);

  // Returns the next batch; a batch without records at and after the end of the file. Throws
  // std::runtime_error if the file has changed since the check.
  ImportBatch next();

 private:
  Pending read(std::string_view text);

  const std::vector<CheckedLine>& lines_;
  const std::vector<Kind> kinds_;
  LineReader reader_;
  text::json::Document document_;
};

}  // namespace svc::ctl
