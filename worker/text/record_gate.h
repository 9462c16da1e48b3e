// record_gate: checks every record before it is written. It refuses a record that is larger than
// its kind allows, and a record that its reader refuses or reads as another record: each later
// request for it would fail.
//
// A kind of record describes itself to the gate:
//
//   static constexpr std::size_t kLimit;                             // bytes as stored
//   static std::string write(const Record&);
//   static base::Result<Record, std::string> read(std::string_view);
//   // Calls visit(name, write, is_same) for each field: write(ObjectWriter&, const Record&) adds
//   // the field alone, is_same(const Record&, const Record&) compares it.
//   static void for_each_field(const auto& visit);
//   // Names of fields by which a record above the limit may grow: they have limits of their own.
//   static constexpr std::array kMayGrow;
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/unwritable.h"
#include "text/json.h"

namespace svc::text {

// Numbers are stored with up to three decimals.
inline bool is_same_number(const std::optional<double>& written,
                           const std::optional<double>& read) {
  if (!written || !read) return !written && !read;
  return std::abs(*written - *read) < 0.001;
}

template <class Write, class Record>
std::string write_alone(const Write& write, const Record& record) {
  std::string out;
  json::ObjectWriter json(out);
  write(json, record);
  json.end();
  return out;
}

// Returns the field that takes the most bytes, of those by which the record has grown.
template <class Kind, class Record>
std::string_view field_that_grew(const Record& record, const Record* before) {
  std::string_view field;
  std::ptrdiff_t most = -1;
  Kind::for_each_field([&](std::string_view name, const auto& write, const auto& /*is_same*/) {
    auto bytes = static_cast<std::ptrdiff_t>(write_alone(write, record).size());
    if (before != nullptr) bytes -= static_cast<std::ptrdiff_t>(write_alone(write, *before).size());
    if (bytes <= most) return;
    most = bytes;
    field = name;
  });
  return field;
}

template <class Kind, class Record>
std::size_t size_of_others(const Record& record) {
  std::size_t bytes = 0;
  Kind::for_each_field([&](std::string_view name, const auto& write, const auto& /*is_same*/) {
    if (std::ranges::find(Kind::kMayGrow, name) == Kind::kMayGrow.end())
      bytes += write_alone(write, record).size();
  });
  return bytes;
}

// Returns the text to store. `before`: the stored record that it replaces. An earlier version's
// record above the limit may be replaced if the new record, without the fields that may grow, is
// not larger. Throws base::Unwritable.
template <class Kind, class Record>
std::string pass_gate(const Record& record, const Record* before) {
  std::string written = Kind::write(record);
  if (written.size() > Kind::kLimit &&
      (before == nullptr || size_of_others<Kind>(record) > size_of_others<Kind>(*before))) {
    throw base::Unwritable(std::string(field_that_grew<Kind>(record, before)) +
                           " must be shorter: with it, the record has " +
                           std::to_string(written.size()) + " bytes as stored, of at most " +
                           std::to_string(Kind::kLimit));
  }
  const auto again = Kind::read(written);
  if (!again) {
    Kind::for_each_field([&](std::string_view name, const auto& write, const auto& /*is_same*/) {
      json::Document document;
      if (!document.parse(write_alone(write, record), json::Origin::Ours))
        throw base::Unwritable(std::string(name) + " must have a value that JSON has");
    });
    throw base::Unwritable(again.error());
  }
  Kind::for_each_field([&](std::string_view name, const auto& /*write*/, const auto& is_same) {
    if (!is_same(record, *again))
      throw base::Unwritable(std::string(name) + " would not be read as it is written");
  });
  return written;
}

}  // namespace svc::text
