#include "text/unicode.h"

#include <idn2.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "text/ascii.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace svc::text {
namespace {

// Text that the libraries allocated with malloc().
struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};
template <class Character>
using Allocated = std::unique_ptr<Character, Freed>;

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Both functions of libidn2 end at a NUL.
bool can_be_domain(std::string_view text) {
  constexpr std::size_t kMaxBytes = 1024;  // 253 characters of four bytes
  return !text.empty() && text.size() <= kMaxBytes && text.find('\0') == std::string_view::npos;
}

std::string normalized(uninorm_t form, std::string_view text) {
  if (is_ascii(text) || !is_utf8(text)) return std::string(text);
  std::size_t length = 0;
  const Allocated<std::uint8_t> normal(u8_normalize(
      form, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr, &length));
  if (!normal) return std::string(text);
  return {reinterpret_cast<const char*>(normal.get()), length};
}

}  // namespace

std::string nfc(std::string_view text) { return normalized(UNINORM_NFC, text); }
std::string nfd(std::string_view text) { return normalized(UNINORM_NFD, text); }

std::string with_plain_characters(std::string_view text) {
  if (is_ascii(text) || !is_utf8(text)) return std::string(text);
  const std::string normal = normalized(UNINORM_NFKC, text);
  std::string plain;
  for (std::string_view rest = normal; !rest.empty();) {
    const std::string_view character = rest.substr(0, utf8_length(rest));
    const int digit = uc_decimal_value(code_point(character));
    if (digit < 0) {
      plain += character;
    } else {
      plain += static_cast<char>('0' + digit);
    }
    rest.remove_prefix(character.size());
  }
  return plain;
}

std::string folded(std::string_view text) {
  if (is_ascii(text) || !is_utf8(text)) return to_lower(text);
  std::size_t length = 0;
  const Allocated<std::uint8_t> folded(
      u8_casefold(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), nullptr,
                  UNINORM_NFC, nullptr, &length));
  if (!folded) return to_lower(text);
  return {reinterpret_cast<const char*>(folded.get()), length};
}

std::string with_capital(std::string_view text) {
  const std::size_t first = utf8_length(text);
  if (first == 0) return std::string(text);
  std::size_t length = 0;
  const Allocated<std::uint8_t> capital(
      u8_toupper(reinterpret_cast<const std::uint8_t*>(text.data()), first, nullptr, nullptr,
                 nullptr, &length));
  if (!capital) return std::string(text);
  std::string out(reinterpret_cast<const char*>(capital.get()), length);
  return out.append(text.substr(first));
}

std::string ascii_domain(std::string_view domain) {
  if (is_ascii(domain) || !can_be_domain(domain)) return std::string(domain);
  char* found = nullptr;
  const int status = idn2_to_ascii_8z(std::string(domain).c_str(), &found, IDN2_NONTRANSITIONAL);
  const Allocated<char> ascii(found);
  return std::string(status == IDN2_OK && ascii ? std::string_view(ascii.get()) : domain);
}

std::string unicode_domain(std::string_view domain) {
  if (!is_ascii(domain) || !can_be_domain(domain)) return std::string(domain);
  char* found = nullptr;
  const int status = idn2_to_unicode_8z8z(std::string(domain).c_str(), &found, 0);
  const Allocated<char> unicode(found);
  if (status != IDN2_OK || !unicode) return std::string(domain);
  // libidn2 also decodes labels that are invalid in a domain name.
  std::string decoded(unicode.get());
  return equal_ignoring_case(ascii_domain(decoded), domain) ? decoded : std::string(domain);
}

}  // namespace svc::text
