#include "redis/slot.h"

#include <algorithm>
#include <array>

#include "base/number.h"

namespace svc::redis {
namespace {

constexpr std::array<std::uint16_t, 256> make_table() {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1;
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}
constexpr auto kTable = make_table();

std::uint16_t crc16(std::string_view text) {
  unsigned crc = 0;
  for (const char c : text)
    crc = (crc << 8 ^ kTable[(crc >> 8 ^ static_cast<unsigned char>(c)) & 0xff]) & 0xffff;
  return static_cast<std::uint16_t>(crc);
}

// Returns the index of the first key of XREAD or XREADGROUP, 0 if the command lacks keys.
std::size_t streams_at(std::span<const std::string_view> words) {
  const auto at = std::ranges::find(words, "STREAMS");
  return at == words.end() || at + 1 == words.end()
             ? 0
             : static_cast<std::size_t>(at - words.begin()) + 1;
}

}  // namespace

std::uint16_t slot_of(std::string_view key) {
  if (const std::size_t open = key.find('{'); open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1)
      key = key.substr(open + 1, close - open - 1);
  }
  return crc16(key) % kSlots;
}

std::optional<std::string_view> first_key(std::span<const std::string_view> words) {
  const std::string_view name = words.front();
  std::size_t at = 1;
  if (name == "FCALL") {
    if (words.size() < 4 || words[2] == "0") return std::nullopt;
    at = 3;
  } else if (name == "XREAD" || name == "XREADGROUP") {
    at = streams_at(words);
  } else if (name == "XGROUP") {
    at = 2;
  } else if (name == "SCAN" || name == "ECHO" || name == "CLUSTER" || name == "FUNCTION" ||
             name == "INFO") {
    return std::nullopt;
  }
  if (at == 0 || at >= words.size()) return std::nullopt;
  return words[at];
}

std::vector<std::string_view> keys_of(std::span<const std::string_view> words) {
  std::vector<std::string_view> keys;
  if (words.empty()) return keys;
  if (words.front() != "FCALL") {
    if (const auto key = first_key(words)) keys.push_back(*key);
    return keys;
  }
  const auto count = words.size() < 3 ? 0 : base::parse_number<std::size_t>(words[2]).value_or(0);
  for (std::size_t i = 3; i < words.size() && i - 3 < count; ++i) keys.push_back(words[i]);
  return keys;
}

std::optional<SplitCommand> split_by_key(std::span<const std::string_view> words) {
  const std::string_view name = words.front();
  SplitCommand split;
  std::size_t first = 1;
  std::size_t step = 1;
  std::size_t end = words.size();
  if (name == "MGET") {
    split.reply = SplitCommand::Reply::Array;
  } else if (name == "EXISTS" || name == "DEL" || name == "UNLINK") {
    split.reply = SplitCommand::Reply::Sum;
  } else if (name == "MSET") {
    split.reply = SplitCommand::Reply::Ok;
    step = 2;
  } else if (name == "XREAD") {
    split.reply = SplitCommand::Reply::Array;
    first = streams_at(words);
    end = first + (words.size() - first) / 2;
  } else {
    return std::nullopt;
  }
  if (end <= first + step) return std::nullopt;
  const std::uint16_t slot = slot_of(words[first]);
  bool several = false;
  for (std::size_t i = first; i < end; i += step) several = several || slot_of(words[i]) != slot;
  if (!several) return std::nullopt;
  for (std::size_t i = first; i < end; i += step) {
    std::vector<std::string_view>& part =
        split.parts.emplace_back(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(first));
    part.push_back(words[i]);
    if (name == "MSET") part.push_back(words[i + 1]);
    if (name == "XREAD") part.push_back(words[end + (i - first)]);
  }
  return split;
}

}  // namespace svc::redis
