#include "media/customizations.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace svc::media {

std::string to_text(const OptionValue& value) {
  if (const bool* const boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const std::string* const string = std::get_if<std::string>(&value)) return *string;
  const double number = std::get<double>(value);
  std::array<char, 32> digits{};
  // Without an exponent if it is an integer: 100000, not 1e+05.
  const bool is_whole = std::trunc(number) == number && std::fabs(number) < 1e15;
  const auto end = is_whole ? std::to_chars(digits.data(), digits.data() + digits.size(),
                                            static_cast<long long>(number))
                            : std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), end.ptr};
}

std::optional<OptionValue> option_value(const text::json::Value& value) {
  if (const auto boolean = value.boolean()) return *boolean;
  if (const auto number = value.number()) return *number;
  if (const auto string = value.string()) return std::string(*string);
  return std::nullopt;
}

void append_customizations(std::string& out, const Customizations& customizations) {
  text::json::ObjectWriter json(out);
  for (const auto& [name, value] : customizations) {
    if (std::holds_alternative<std::string>(value)) {
      json.string(name, std::get<std::string>(value));
    } else {
      json.raw(name) += to_text(value);
    }
  }
  json.end();
}

std::string to_json(const Customizations& customizations) {
  std::string out;
  append_customizations(out, customizations);
  return out;
}

Customizations customizations_of(const text::json::Value& object) {
  Customizations customizations;
  for (std::size_t i = 0; i < object.size(); ++i) {
    if (auto value = option_value(object.member(i)))
      customizations.emplace(object.key(i), *std::move(value));
  }
  return customizations;
}

}  // namespace svc::media
