// read_back: the gate of every stored record. What its reader refuses, or reads as another record,
// is never written: it would fail each later request for it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/unwritable.h"
#include "text/json.h"
#include "text/json_record.h"

namespace svc::text {

// Returns `written`, which `write` made, if `read` returns a record of which `write` makes the same
// text. Otherwise throws base::Unwritable.
template <class Read, class Write>
std::string read_back(std::string written, const Read& read, const Write& write) {
  const auto record = read(std::string_view(written));
  if (!record) throw base::Unwritable(record.error());
  if (write(*record) != written)
    throw base::Unwritable("the record would not be read as it is written");
  return written;
}

// The same of a record of one line. `read` takes a JsonRecord.
template <class Read, class Write>
std::string read_back_line(std::string written, const Read& read, const Write& write) {
  json::Document document;
  const auto value = document.parse(written, json::Origin::Ours);
  if (!value) throw base::Unwritable(value.error());
  const auto read_line = [&](std::string_view /*line*/) {
    JsonRecord record(*value);
    return read(record);
  };
  return read_back(std::move(written), read_line, write);
}

}  // namespace svc::text
