// record: how stores treat a record that cannot be parsed.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/unreadable.h"
#include "text/json.h"
#include "text/json_record.h"

namespace svc::stores {

// Throws base::Unreadable, so the request fails with 503, not with a wrong 404.
// Logs that at most once a second. `why` names keys and limits, never a value.
[[noreturn]] void corrupt_record(const std::string& key, const std::string& why);

// Logs that a record cannot be parsed, at most once a second. For lists, which
// omit such a record.
void log_corrupt_record(const std::string& key, std::string_view why);

template <class T>
T must_read(const std::string& key, base::Result<T, std::string> parsed) {
  if (!parsed) corrupt_record(key, parsed.error());
  return std::move(*parsed);
}

// Returns what `from_record` makes of `text`. Throws like corrupt_record() if
// the text cannot be parsed.
template <class FromRecord>
auto read_record(text::json::Document& document, const std::string& key, std::string_view text,
                 FromRecord from_record) {
  return must_read(key, text::parse_record(document, text, from_record));
}

}  // namespace svc::stores
