// freshness: how long a response may be stored. RFC 9111 §4.2, CIMD §5.2.
#pragma once

#include <cstdint>
#include <string_view>

namespace svc::courier {

inline constexpr std::int64_t kLongestFresh = 86'400;  // seconds

// Returns the seconds for which a response with these headers is fresh, at most kLongestFresh: its
// max-age, less the time it spent in caches. Returns 0 without a max-age, with `no-store`,
// `no-cache` or `private`, and if the directives cannot be read.
std::int64_t fresh_seconds(std::string_view cache_control, std::string_view age);

}  // namespace svc::courier
