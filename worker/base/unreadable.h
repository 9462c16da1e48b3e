// Unreadable: the store answered, with a record that cannot be parsed. Asking
// again does not help, so work that waits for an unavailable store does not
// retry.
//
// The router catches it and responds 503: the record may exist, so a 404 would
// be wrong. Its text may be logged, but is never sent to a client.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace svc::base {

class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::string_view kForeignType = "its key has another type";

// Logs that a record cannot be read (record.corrupt), at most once per hour and process. `why`
// names limits, never a value.
void log_unreadable(const std::string& key, std::string_view why);

}  // namespace svc::base
