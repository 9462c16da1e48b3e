#include "login/cbor.h"

#include <limits>

namespace svc::login {
namespace {

// Major types, RFC 8949 §3.1.
constexpr std::uint8_t kUnsigned = 0;
constexpr std::uint8_t kNegative = 1;
constexpr std::uint8_t kBytes = 2;
constexpr std::uint8_t kText = 3;
constexpr std::uint8_t kArray = 4;
constexpr std::uint8_t kMap = 5;
constexpr std::uint8_t kTag = 6;

}  // namespace

std::optional<CborReader::Head> CborReader::head() const {
  if (rest_.empty()) return std::nullopt;
  const auto first = static_cast<unsigned char>(rest_.front());
  const auto type = static_cast<std::uint8_t>(first >> 5U);
  const unsigned info = first & 31U;
  if (info < 24) return Head{type, info, 1};
  if (info > 27) return std::nullopt;  // reserved, or without a known length
  const std::size_t bytes = std::size_t{1} << (info - 24);
  if (rest_.size() <= bytes) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : rest_.substr(1, bytes)) value = value << 8U | static_cast<unsigned char>(c);
  return Head{type, value, 1 + bytes};
}

std::optional<std::int64_t> CborReader::integer() {
  const std::optional<Head> next = head();
  if (!next || next->type > kNegative) return std::nullopt;
  if (next->value > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return std::nullopt;
  rest_.remove_prefix(next->size);
  const auto value = static_cast<std::int64_t>(next->value);
  return next->type == kUnsigned ? value : -1 - value;
}

std::optional<std::string_view> CborReader::string_of(std::uint8_t type) {
  const std::optional<Head> next = head();
  if (!next || next->type != type || next->value > rest_.size() - next->size) return std::nullopt;
  const std::string_view found = rest_.substr(next->size, static_cast<std::size_t>(next->value));
  rest_.remove_prefix(next->size + found.size());
  return found;
}

std::optional<std::string_view> CborReader::bytes() { return string_of(kBytes); }
std::optional<std::string_view> CborReader::text() { return string_of(kText); }

std::optional<std::size_t> CborReader::map() {
  const std::optional<Head> next = head();
  // Each item takes a byte at least.
  if (!next || next->type != kMap || next->value > (rest_.size() - next->size) / 2)
    return std::nullopt;
  rest_.remove_prefix(next->size);
  return static_cast<std::size_t>(next->value);
}

bool CborReader::skip_item(int depth) {
  const std::optional<Head> next = head();
  if (!next) return false;
  if (next->type == kBytes || next->type == kText) return string_of(next->type).has_value();
  rest_.remove_prefix(next->size);
  if (next->type != kArray && next->type != kMap && next->type != kTag) return true;
  if (depth == 0) return false;
  if (next->type == kTag) return skip_item(depth - 1);
  if (next->value > rest_.size()) return false;  // each item takes a byte at least
  std::uint64_t items = next->type == kMap ? 2 * next->value : next->value;
  for (; items > 0; --items) {
    if (!skip_item(depth - 1)) return false;
  }
  return true;
}

}  // namespace svc::login
