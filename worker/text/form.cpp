#include "text/form.h"

#include <algorithm>

#include "text/ascii.h"

namespace svc::text {
namespace {

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  return to_lower(c) - 'a' + 10;
}

}  // namespace

std::string form_decode(std::string_view text) {
  // Most texts contain nothing to decode.
  const std::size_t plain = std::min(text.find_first_of("+%"), text.size());
  std::string out;
  out.reserve(text.size());
  out.append(text, 0, plain);
  for (std::size_t i = plain; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '+') {
      out += ' ';
    } else if (c == '%' && i + 2 < text.size() && is_hex_digit(text[i + 1]) &&
               is_hex_digit(text[i + 2])) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

Form Form::parse(std::string_view query) {
  Form form;
  form.fields_.reserve(8);
  while (!query.empty() && form.fields_.size() < kMaxFields) {
    const std::size_t end = query.find('&');
    const std::string_view piece = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    if (piece.empty()) continue;
    const std::size_t equals = piece.find('=');
    form.fields_.push_back(
        {form_decode(piece.substr(0, equals)),
         equals == std::string_view::npos ? std::string() : form_decode(piece.substr(equals + 1))});
  }
  return form;
}

std::optional<std::string_view> Form::find(std::string_view name) const {
  for (const FormField& field : fields_) {
    if (field.name == name) return field.value;
  }
  return std::nullopt;
}

}  // namespace svc::text
