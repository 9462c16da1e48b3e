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
  std::string out;
  out.reserve(text.size());
  std::size_t plain = 0;  // start of the part that is copied as it is
  const auto is_special = [](char c) { return c == '+' || c == '%'; };
  for (std::size_t i = 0;; ++i) {
    const char* const next = std::find_if(text.data() + i, text.data() + text.size(), is_special);
    i = static_cast<std::size_t>(next - text.data());
    if (i == text.size()) break;
    const char c = text[i];
    const bool encoded =
        c == '%' && i + 2 < text.size() && is_hex_digit(text[i + 1]) && is_hex_digit(text[i + 2]);
    if (c == '%' && !encoded) continue;
    out.append(text, plain, i - plain);
    out += encoded ? static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])) : ' ';
    if (encoded) i += 2;
    plain = i + 1;
  }
  out.append(text, plain);
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
