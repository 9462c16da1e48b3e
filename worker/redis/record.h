// record: what a store does with a record that it cannot read.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "text/json.h"
#include "text/json_record.h"

namespace svc::redis {

// A record that cannot be read is an outage of that record: a 503, never a wrong 404. Throws
// base::Unavailable, and says so in the log at most once a second. `why` names keys and limits,
// never a value.
[[noreturn]] void corrupt_record(const std::string& key, const std::string& why);

// Logs that a record cannot be read, at most once a second. For lists, which leave the record out.
void log_corrupt_record(const std::string& key, std::string_view why);

template <class T>
T must_read(const std::string& key, base::Result<T, std::string> parsed) {
  if (!parsed) corrupt_record(key, parsed.error());
  return std::move(*parsed);
}

// The record that `text` is, as `from_record` reads it. Throws as corrupt_record().
template <class FromRecord>
auto read_record(text::json::Document& document, const std::string& key, std::string_view text,
                 FromRecord from_record) {
  const auto value = document.parse(text, text::json::Origin::Ours);
  if (!value) corrupt_record(key, value.error());
  text::JsonRecord record(*value);
  return must_read(key, from_record(record));
}

}  // namespace svc::redis
