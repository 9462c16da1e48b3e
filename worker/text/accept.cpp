#include "text/accept.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "text/ascii.h"

namespace svc::text {
namespace {

// Returns a weight in thousandths; nullopt if it is not one.
std::optional<int> weight_of(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int weight = (text[0] - '0') * kWholeWeight;
  if (text.size() == 1) return weight;
  if (text[1] != '.') return std::nullopt;
  int unit = kWholeWeight / 10;
  for (const char digit : text.substr(2)) {
    if (!is_digit(digit)) return std::nullopt;
    weight += (digit - '0') * unit;
    unit /= 10;
  }
  return weight <= kWholeWeight ? std::optional(weight) : std::nullopt;
}

std::string_view take_until(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return trimmed(part);
}

}  // namespace

std::vector<Accepted> accepted_ranges(std::string_view field) {
  std::vector<Accepted> all;
  while (!field.empty()) {
    std::string_view parameters = take_until(field, ',');
    Accepted one{take_until(parameters, ';')};
    while (!parameters.empty()) {
      const std::string_view parameter = take_until(parameters, ';');
      if (parameter.starts_with("q=") || parameter.starts_with("Q="))
        one.weight = weight_of(parameter.substr(2)).value_or(kWholeWeight);
    }
    if (one.weight > 0) all.push_back(one);
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Accepted::weight);
  return all;
}

}  // namespace svc::text
