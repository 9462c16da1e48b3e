#include "base/base64.h"

#include <cstdint>

namespace svc::base {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encode(std::string_view bytes, std::string_view digits) {
  std::string out;
  out.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    count += 8;
    while (count >= 6) {
      count -= 6;
      out += digits[bits >> count & 63u];
    }
  }
  if (count > 0) out += digits[bits << (6 - count) & 63u];
  return out;
}

}  // namespace

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t digits = text.size();
  while (digits > 0 && text.size() - digits < 2 && text[digits - 1] == '=') --digits;
  std::string out;
  out.reserve(digits * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text.substr(0, digits)) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count & 0xffu);
    }
  }
  // Otherwise two texts would decode to the same bytes.
  if ((bits & ((1u << count) - 1)) != 0) return std::nullopt;
  return out;
}

std::optional<std::string> base64_decode_unpadded(std::string_view text) {
  if (text.ends_with('=')) return std::nullopt;
  std::string padded(text);
  while (padded.size() % 4 != 0) padded += '=';
  return base64_decode(padded);
}

std::string base64_encode_unpadded(std::string_view bytes) { return encode(bytes, kAlphabet); }

std::string base64url_encode(std::string_view bytes) { return encode(bytes, kUrlDigits); }

std::optional<std::string> base64url_decode(std::string_view text) {
  std::string plain(text);
  for (char& c : plain) {
    if (c == '+' || c == '/') return std::nullopt;
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  return base64_decode_unpadded(plain);
}

}  // namespace svc::base
