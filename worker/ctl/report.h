// Report: what a command has to say about one thing, once for people and once for programs.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace svc::ctl {

class Report {
 public:
  Report& text(std::string_view key, std::string_view value);
  Report& integer(std::string_view key, std::int64_t value);
  // With three decimals at most.
  Report& decimal(std::string_view key, double value);
  Report& boolean(std::string_view key, bool value);
  Report& texts(std::string_view key, const std::vector<std::string>& values);
  // Seconds since 1970, as RFC 3339.
  Report& time(std::string_view key, std::int64_t value);
  // For programs null; people are not told.
  Report& nothing(std::string_view key);

  // One line of JSON, or a line a key; those with nothing in them are left out there, and what
  // comes from elsewhere is made printable.
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
