// ImportRead: the lines that an ImportCheck let through, read again and made into records, a batch
// at a time.
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
  std::string value;        // the record; made late where it depends on what is stored
  CatalogLine line;         // users and applications only
  std::size_t number = 0;   // of the line
};

// What the store is asked for, and then sent, in one go.
struct ImportBatch {
  std::vector<Pending> records;
  std::uint64_t bytes_read = 0;  // of the file, with these
  std::size_t line = 0;          // the last that was read
};

class ImportRead {
 public:
  // Reads lines of these kinds and passes over the others. `lines` outlives the object.
  ImportRead(int file, const std::vector<CheckedLine>& lines, std::vector<Kind> kinds);

  // The next batch; without records at the end of the file, and from then on. Throws
  // std::runtime_error when the file is not any more what was checked.
  ImportBatch next();

 private:
  Pending read(std::string_view text);

  const std::vector<CheckedLine>& lines_;
  const std::vector<Kind> kinds_;
  LineReader reader_;
  text::json::Document document_;
};

}  // namespace svc::ctl
