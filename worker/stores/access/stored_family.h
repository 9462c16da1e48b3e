// StoredFamily: the record of a family of tokens (oauth-P6), a field of its grant. Its name is the
// family's after kFamilyField (grants.lua); one line per field:
//
//   position       of the refresh token that was presented last; 0: none
//   used           when it was presented, or the exchange; seconds since 1970
//   place          of the access token that it got, in the family's stream
//   began          the exchange
//   turn           the grant's counter of exchanges and rotations then: the lowest is the least
//                  recently used
//   granted        scopes of the family
//   asked          scopes of that access token
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "oauth/stores.h"

namespace svc::stores {

// Views of the record.
struct StoredFamily {
  std::uint64_t position = 0;
  std::int64_t used = 0;
  std::uint64_t place = 0;
  std::int64_t began = 0;
  std::string_view turn;
  std::string_view granted;

  // Returns nullopt if the text is no such record.
  static std::optional<StoredFamily> in(std::string_view record);
  // When it ends if it is not used again.
  std::int64_t expires(const oauth::Limits& limits) const;

  // Returns the record after the next rotation in the same turn.
  std::string rotated(std::uint64_t presented, std::int64_t now, std::string_view asked) const;
};

}  // namespace svc::stores
