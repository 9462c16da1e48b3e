// lines: parts of the texts of captions that all formats have.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "text/ascii.h"

namespace svc::captions {

// Removes a line and its end from `rest`, and returns the line.
inline std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Removes the text up to `separator` and the separator from `rest`. Returns the text, trimmed.
inline std::string_view take_field(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return text::trimmed(field);
}

// Returns the text between `open` at the beginning and the next `close`, if none of `not_within` is
// in it: a scan over many openings without an end stays short.
inline std::optional<std::string_view> enclosed(std::string_view text, char open, char close,
                                                std::string_view not_within) {
  if (!text.starts_with(open)) return std::nullopt;
  const std::size_t end = text.find_first_of(std::string(not_within) + open + close, 1);
  if (end == std::string_view::npos || text[end] != close) return std::nullopt;
  return text.substr(1, end - 1);
}

}  // namespace svc::captions
