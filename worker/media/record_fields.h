// record_fields: readers for fields that several kinds of catalog record have.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "media/id.h"
#include "text/json_record.h"

namespace svc::media {

inline constexpr std::size_t kMaxNameBytes = 2048;
inline constexpr std::size_t kMaxDescriptionBytes = 64 * 1024;

HashedId read_hashed_id(text::JsonRecord& record, std::string_view key);
ProjectId read_project_id(text::JsonRecord& record, std::string_view key);
std::string read_time(text::JsonRecord& record, std::string_view key);  // RFC 3339
std::string read_name(text::JsonRecord& record, std::string_view key);  // not empty

// Reads one of a fixed set of words. For any other word, reports an error and
// returns the first choice.
template <class T, std::size_t N>
T read_choice(text::JsonRecord& record, std::string_view key,
              const std::array<std::pair<std::string_view, T>, N>& choices) {
  const std::string word = record.text(key, 64);
  for (const auto& [name, value] : choices) {
    if (word == name) return value;
  }
  std::string allowed;
  for (const auto& [name, value] : choices) {
    allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  record.refuse(key, "must be one of " + allowed);
  return choices.front().second;
}

template <class T, std::size_t N>
std::string_view name_of(const std::array<std::pair<std::string_view, T>, N>& choices, T value) {
  for (const auto& [name, choice] : choices) {
    if (choice == value) return name;
  }
  return choices.front().first;
}

}  // namespace svc::media
