// record_fields: readers for fields that several kinds of catalog record have.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "media/id.h"
#include "text/json_record.h"
#include "text/word_list.h"

namespace svc::media {

inline constexpr std::size_t kMaxNameBytes = 2048;
inline constexpr std::size_t kMaxDescriptionBytes = 64 * 1024;

HashedId read_hashed_id(text::JsonRecord& record, std::string_view key);
ProjectId read_project_id(text::JsonRecord& record, std::string_view key);

// If a text may be absent, it is read as an empty one, which is then written or omitted.
enum class Absent { Refused, Written, Omitted };
struct Text {
  std::size_t max_bytes;
  // Returns the problem, such as "must not be empty", or an empty text.
  std::string_view (*why_not)(std::string_view text) = nullptr;
  Absent absent = Absent::Refused;
  // The same of an import and of svcctl alone: earlier versions stored such texts.
  std::string_view (*why_not_given)(std::string_view text) = nullptr;
};
// Refuses what terminals and browsers act on, and a text without anything to see.
std::string_view why_not_line(std::string_view text);
std::string_view why_not_name(std::string_view text);
std::string_view why_not_time(std::string_view text);
std::string_view why_not_url(std::string_view text);  // an absolute URI or a path
inline constexpr Text kName{kMaxNameBytes, why_not_name, Absent::Refused, why_not_line};
inline constexpr Text kTime{64, why_not_time};
inline constexpr Text kUrl{2048, why_not_url};

inline std::string read_text(text::JsonRecord& record, std::string_view key, const Text& rule) {
  const bool must = rule.absent == Absent::Refused;
  std::string text = must ? record.text(key, rule.max_bytes)
                          : record.optional_text(key, rule.max_bytes).value_or("");
  if (rule.why_not == nullptr || (text.empty() && !must)) return text;
  std::string_view why = rule.why_not(text);
  if (why.empty() && record.is_strict() && rule.why_not_given != nullptr)
    why = rule.why_not_given(text);
  if (!why.empty()) record.refuse(key, why);
  return text;
}
inline std::string read_time(text::JsonRecord& record, std::string_view key) {
  return read_text(record, key, kTime);
}
inline std::string read_name(text::JsonRecord& record, std::string_view key) {
  return read_text(record, key, kName);
}

inline constexpr std::size_t kMaxWord = 64;  // bytes

// Reads one of a fixed set of words. For any other word, reports an error and
// returns the first choice.
template <class T, std::size_t N>
T read_choice(text::JsonRecord& record, std::string_view key,
              const std::array<std::pair<std::string_view, T>, N>& choices) {
  const std::string word = record.text(key, kMaxWord);
  for (const auto& [name, value] : choices) {
    if (word == name) return value;
  }
  std::string allowed;
  for (const auto& [name, value] : choices) text::add_word(allowed, name);
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
