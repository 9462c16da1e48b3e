#include "text/printable_output.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "text/characters.h"
#include "text/utf16.h"
#include "text/utf8.h"

namespace svc::text {
namespace {

bool is_plain(char c) { return (c >= ' ' && c <= '~') || c == '\n'; }

// RFC 8259 §7: two code units above U+FFFF.
std::string json_escape(char32_t c) {
  std::array<char, 16> escape{};
  if (c > 0xffff) {
    std::snprintf(escape.data(), escape.size(), "\\u%04x\\u%04x",
                  static_cast<unsigned>(high_surrogate_of(c)),
                  static_cast<unsigned>(low_surrogate_of(c)));
  } else {
    std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
  }
  return escape.data();
}

// Returns true if more bytes could complete the character.
bool may_be_begin(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return text.size() < length && std::all_of(text.begin() + 1, text.end(), [](char c) {
           return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
         });
}

}  // namespace

// If `all` is false, keeps an incomplete character at the end in begun_.
std::string PrintableBuffer::printable(std::string_view text, bool all) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_plain);
    out.append(text.begin(), end);
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
    if (text.empty()) break;
    const std::size_t length = utf8_length(text);
    if (length == 0 && !all && may_be_begin(text)) {
      begun_ = text;
      break;
    }
    const std::string_view character = text.substr(0, length);
    if (length != 0 && !is_obeyed(character)) {
      out += character;
    } else if (how_ == Unprintable::QuestionMark) {
      out += '?';
    } else {
      out += length == 0 ? "\\ufffd" : json_escape(code_point(character));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::streamsize PrintableBuffer::xsputn(const char* text, std::streamsize size) {
  const std::string_view added(text, static_cast<std::size_t>(size));
  std::string out;
  if (begun_.empty()) {
    out = printable(added, false);
  } else {
    const std::string whole = std::exchange(begun_, {}).append(added);
    out = printable(whole, false);
  }
  const auto wanted = static_cast<std::streamsize>(out.size());
  return out_.sputn(out.data(), wanted) == wanted ? size : 0;
}

PrintableBuffer::int_type PrintableBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

int PrintableBuffer::sync() {
  const std::string out = printable(std::exchange(begun_, {}), true);
  const auto wanted = static_cast<std::streamsize>(out.size());
  if (out_.sputn(out.data(), wanted) != wanted) return -1;
  return out_.pubsync();
}

}  // namespace svc::text
