#include "text/encoded_name.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "text/ascii.h"
#include "text/utf8.h"

namespace svc::text {
namespace {

std::optional<std::string> to_utf8(std::string_view bytes, std::string_view charset) {
  if (equal_ignoring_case(charset, "utf-8") || equal_ignoring_case(charset, "us-ascii"))
    return is_utf8(bytes) ? std::optional(std::string(bytes)) : std::nullopt;
  if (!equal_ignoring_case(charset, "iso-8859-1")) return std::nullopt;
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xc0 | byte >> 6);
      out += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return out;
}

// Decodes each `mark` and two hexadecimal digits to a byte. Returns nullopt if the digits after a
// mark are missing.
std::optional<std::string> decode_hex(std::string_view text, char mark) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != mark) {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size() || !is_hex_digit(text[i + 1]) || !is_hex_digit(text[i + 2]))
      return std::nullopt;
    out += form_decode("%" + std::string(text.substr(i + 1, 2)));
    i += 2;
  }
  return out;
}

// Takes `=?charset?encoding?text?=` from the beginning of `rest`. Leaves `rest`
// unchanged and returns nullopt if it does not begin with a valid one.
std::optional<std::string> take_encoded_word(std::string_view& rest) {
  if (!rest.starts_with("=?")) return std::nullopt;
  const std::size_t charset_end = rest.find('?', 2);
  if (charset_end == std::string_view::npos || rest.substr(charset_end).size() < 3 ||
      rest[charset_end + 2] != '?')
    return std::nullopt;
  const std::size_t start = charset_end + 3;
  const std::size_t end = rest.find("?=", start);
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view charset = rest.substr(2, charset_end - 2);
  charset = charset.substr(0, charset.find('*'));  // RFC 2231 §5: and a language
  const std::string_view encoded = rest.substr(start, end - start);
  std::optional<std::string> bytes;
  if (to_lower(rest[charset_end + 1]) == 'b') {
    bytes = base::base64_decode(encoded);
  } else if (to_lower(rest[charset_end + 1]) == 'q') {
    std::string spaced(encoded);
    std::ranges::replace(spaced, '_', ' ');
    bytes = decode_hex(spaced, '=');
  }
  if (!bytes) return std::nullopt;
  auto word = to_utf8(*bytes, charset);
  if (word) rest.remove_prefix(end + 2);
  return word;
}

const std::string* find(const std::vector<FormField>& parameters, std::string_view name) {
  const auto at =
      std::ranges::find_if(parameters, [&](const FormField& one) { return one.name == name; });
  return at == parameters.end() ? nullptr : &at->value;
}

}  // namespace

std::string extended_parameter(const std::vector<FormField>& parameters, std::string_view name) {
  const std::string star = std::string(name) + "*";
  std::string charset = "utf-8";
  std::string bytes;
  bool first = true;
  // Returns false if the part is malformed. The first has charset'language' in front.
  const auto add = [&](std::string_view part, bool encoded) {
    if (encoded && std::exchange(first, false)) {
      const std::size_t quote = part.find('\'');
      const std::size_t second = part.find('\'', std::min(quote, part.size() - 1) + 1);
      if (part.empty() || second == std::string_view::npos) return false;
      charset = part.substr(0, quote);
      part.remove_prefix(second + 1);
    }
    first = false;
    const auto decoded = encoded ? decode_hex(part, '%') : std::string(part);
    if (decoded) bytes += *decoded;
    return decoded.has_value();
  };
  if (const std::string* const whole = find(parameters, star)) {
    if (!add(*whole, true)) return {};
  } else {
    for (std::size_t i = 0;; ++i) {
      const std::string part = star + std::to_string(i);
      const std::string* const plain = find(parameters, part);
      const std::string* const encoded = find(parameters, part + "*");
      if (plain == nullptr && encoded == nullptr) break;
      if (!add(encoded != nullptr ? *encoded : *plain, encoded != nullptr)) return {};
    }
  }
  return to_utf8(bytes, charset).value_or("");
}

std::string decode_encoded_words(std::string_view text) {
  std::string out;
  std::size_t word_end = std::string::npos;  // in `out`: only blanks follow it
  while (!text.empty()) {
    if (const auto word = take_encoded_word(text)) {
      if (word_end != std::string::npos) out.resize(word_end);
      out += *word;
      word_end = out.size();
      continue;
    }
    if (text.front() != ' ' && text.front() != '\t') word_end = std::string::npos;
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace svc::text
