// Report: the result of a command about one thing, as plain text or JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace svc::ctl {

class Report {
 public:
  Report& text(std::string_view key, std::string_view value);
  Report& integer(std::string_view key, std::int64_t value);
  // With at most three decimals.
  Report& decimal(std::string_view key, double value);
  Report& boolean(std::string_view key, bool value);
  Report& texts(std::string_view key, const std::vector<std::string>& values);
  // null in JSON without values. In plain text `plain`, which explains an empty list.
  Report& texts(std::string_view key, const std::optional<std::vector<std::string>>& values,
                std::string_view plain);
  // `value` in seconds since 1970; printed as RFC 3339.
  Report& time(std::string_view key, std::int64_t value);
  // null in JSON; omitted in plain text.
  Report& nothing(std::string_view key);

  // Prints one line of JSON, or plain text with one line per key. Plain text
  // omits keys with an empty value; values pass through printable().
  void print(std::ostream& out, bool json) const;

 private:
  struct Line {
    std::string key;
    std::string json;
    std::vector<std::string> plain;
  };
  std::vector<Line> lines_;
};

}  // namespace svc::ctl
