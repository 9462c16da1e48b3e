// accept: the fields of a request by which a response is chosen, such as Accept and
// Accept-Language.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace svc::text {

inline constexpr int kWholeWeight = 1000;

struct Accepted {
  std::string_view range;     // without parameters and spaces; may be empty
  int weight = kWholeWeight;  // thousandths
};

// Returns the ranges of a field (RFC 9110 §12.5), the most wanted first, and those of equal weight
// in their order. Leaves out ranges of weight 0. An invalid weight (§12.4.2) counts as 1, and other
// parameters do not count.
std::vector<Accepted> accepted_ranges(std::string_view field);

}  // namespace svc::text
