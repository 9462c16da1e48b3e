// Ids: one type per kind of object, so that the compiler rejects an exchange of
// two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
    id.text_ = std::string(text);
    return id;
  }

  const std::string& text() const { return text_; }
  bool operator==(const HashedId&) const = default;

 private:
  std::string text_;
};

struct AccountId {
  std::int64_t number = 0;
  bool operator==(const AccountId&) const = default;
};

struct ContactId {
  std::int64_t number = 0;
  bool operator==(const ContactId&) const = default;
};

// The largest integer that every JSON reader reads exactly, RFC 8259 §6.
inline constexpr std::int64_t kMaxIntegerId = (std::int64_t{1} << 53) - 1;

// ProjectId: 1 to 64 of [A-Za-z0-9_-].
struct ProjectId {
  static constexpr std::size_t kMaxLength = 64;

  std::string text;

  static std::optional<ProjectId> parse(std::string_view text) {
    if (text.empty() || text.size() > kMaxLength) return std::nullopt;
    for (const char c : text) {
      if (!text::is_alnum(c) && c != '_' && c != '-') return std::nullopt;
    }
    return ProjectId{std::string(text)};
  }
  bool operator==(const ProjectId&) const = default;
};

}  // namespace svc::media
