#include "text/characters.h"

#include <algorithm>
#include <array>

#include "text/utf8.h"

namespace svc::text {
namespace {

struct Range {
  char32_t first, last;
};

constexpr std::array<Range, 7> kObeyed{{{0x00, 0x1f},
                                        {0x7f, 0x9f},
                                        {0x61c, 0x61c},
                                        {0x200e, 0x200f},
                                        {0x2028, 0x202e},
                                        {0x2066, 0x2069},
                                        {0xe0000, 0xe007f}}};

constexpr std::array<Range, 16> kBlank{{{0x20, 0x20},
                                        {0xa0, 0xa0},
                                        {0xad, 0xad},
                                        {0x34f, 0x34f},
                                        {0x115f, 0x1160},
                                        {0x1680, 0x1680},
                                        {0x17b4, 0x17b5},
                                        {0x180b, 0x180f},
                                        {0x2000, 0x200d},
                                        {0x202f, 0x202f},
                                        {0x205f, 0x2065},
                                        {0x206a, 0x206f},
                                        {0x2800, 0x2800},
                                        {0x3000, 0x3000},
                                        {0x3164, 0x3164},
                                        {0xfe00, 0xfe0f}}};
constexpr std::array<Range, 3> kBlankBeyond{
    {{0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xe0100, 0xe01ef}}};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t c) {
  return std::ranges::any_of(
      ranges, [c](const Range& range) { return c >= range.first && c <= range.last; });
}

// Unicode's characters that users type or that programs put in the place of a hyphen.
bool is_dash(char32_t c) {
  constexpr std::u32string_view kOthers = U"-\u00ad\u02d7\u2043\u2212\u30fc";
  return (c >= 0x2010 && c <= 0x2015) || kOthers.find(c) != std::u32string_view::npos;
}

// XML cannot contain some of them, and fonts do not show them.
bool is_noncharacter(char32_t c) { return (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef); }

}  // namespace

char32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  switch (character.size()) {
    case 1: return byte(0);
    case 2: return char32_t{byte(0)} % 32 * 64 + byte(1) % 64;
    case 3: return (char32_t{byte(0)} % 16 * 64 + byte(1) % 64) * 64 + byte(2) % 64;
    case 4:
      return ((char32_t{byte(0)} % 8 * 64 + byte(1) % 64) * 64 + byte(2) % 64) * 64 + byte(3) % 64;
    default: return 0;
  }
}

bool is_obeyed(std::string_view character) { return is_in(kObeyed, code_point(character)); }

bool is_blank(std::string_view character) {
  const char32_t c = code_point(character);
  return is_in(kObeyed, c) || is_in(kBlank, c) || is_in(kBlankBeyond, c);
}

bool has_visible(std::string_view text) {
  bool visible = false;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    const std::string_view character = text.substr(0, length);
    visible |= !is_blank(character) && !is_noncharacter(code_point(character));
    text.remove_prefix(length);
  }
  return visible;
}

std::string without_blanks_and_dashes(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || !(is_blank(character) || is_dash(code_point(character)))) kept += character;
    text.remove_prefix(character.size());
  }
  return kept;
}

std::string_view without_white_space(std::string_view text) {
  const auto is_space = [](std::string_view character) {
    if (character.size() == 1)
      return character == " " || (character.front() >= '\t' && character.front() <= '\r');
    return utf8_length(character) == character.size() && is_blank(character) &&
           !is_obeyed(character);
  };
  while (!text.empty()) {
    const std::string_view first = text.substr(0, std::max<std::size_t>(utf8_length(text), 1));
    if (!is_space(first)) break;
    text.remove_prefix(first.size());
  }
  while (!text.empty()) {
    std::size_t start = text.size() - 1;
    while (start > 0 && text.size() - start < 4 && (text[start] & 0xc0) == 0x80) --start;
    if (!is_space(text.substr(start))) break;
    text.remove_suffix(text.size() - start);
  }
  return text;
}

}  // namespace svc::text
