#include "ctl/printable.h"

#include <algorithm>

#include "text/ascii.h"
#include "text/utf8.h"

namespace svc::ctl {
namespace {

// One character of UTF-8.
bool is_obeyed(std::string_view character) {
  if (character.size() == 1) return text::is_control(character[0]);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 2) {
    return (byte(0) == 0xc2 && byte(1) < 0xa0) ||  // U+0080 to U+009F
           (byte(0) == 0xd8 && byte(1) == 0x9c);   // U+061C
  }
  if (character.size() != 3 || byte(0) != 0xe2) return false;
  if (byte(1) == 0x80)
    return byte(2) == 0x8e || byte(2) == 0x8f || (byte(2) >= 0xa8 && byte(2) <= 0xae);
  return byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9;  // U+2066 to U+2069
}

}  // namespace

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = text::utf8_length(text);
    if (out.size() + std::max<std::size_t>(length, 1) > max_bytes) return out + " …";
    if (length == 0 || is_obeyed(text.substr(0, length))) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace svc::ctl
