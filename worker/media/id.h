// Ids: one type per kind of object, so that the compiler rejects an exchange of
// two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"
#include "text/ascii.h"

namespace svc::media {

// HashedId: the public id of a media or a playlist, 1 to 64 of [A-Za-z0-9].
class HashedId {
 public:
  static constexpr std::size_t kMaxLength = 64;

  HashedId() = default;
  static std::optional<HashedId> parse(std::string_view text) {
    if (text.empty() || text.size() > kMaxLength) return std::nullopt;
    for (const char c : text) {
      if (!text::is_alnum(c)) return std::nullopt;
    }
    HashedId id;
    id.value_ = std::string(text);
    return id;
  }

  const std::string& value() const { return value_; }
  bool operator==(const HashedId&) const = default;

 private:
  std::string value_;
};

using AccountId = base::Id<struct AccountIdKind, std::int64_t>;
using ContactId = base::Id<struct ContactIdKind, std::int64_t>;

// Returns a number for a public id, from 1 to kMaxIntegerId, which never changes, because it is a
// hash of the id: for clients that store media and projects under numbers. In a catalog of a
// million ids, two have the same number once in 18 000 catalogs.
std::int64_t number_of(std::string_view id);

// The largest integer that every JSON reader reads exactly, RFC 8259 §6.
inline constexpr std::int64_t kMaxIntegerId = (std::int64_t{1} << 53) - 1;

// ProjectId: 1 to 64 of [A-Za-z0-9_-].
struct ProjectId : base::Id<ProjectId, std::string> {
  static constexpr std::size_t kMaxLength = 64;

  static std::optional<ProjectId> parse(std::string_view text) {
    if (text.empty() || text.size() > kMaxLength) return std::nullopt;
    for (const char c : text) {
      if (!text::is_alnum(c) && c != '_' && c != '-') return std::nullopt;
    }
    return ProjectId{std::string(text)};
  }
};

}  // namespace svc::media
