#include "http/deprecation.h"

#include <array>
#include <cstdlib>
#include <ctime>

#include "text/rfc3339.h"

namespace svc::http {
namespace {

// Aborts unless it is a date: a bug.
std::time_t midnight_of(std::string_view date) {
  const auto time = text::seconds_of_rfc3339(std::string(date) + "T00:00:00Z");
  if (!time) std::abort();
  return static_cast<std::time_t>(*time);
}

// RFC 9110 §5.6.7
std::string http_date(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 64> text{};
  return {text.data(),
          std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

bool has_parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    if (pair.substr(0, pair.find('=')) == name) return true;
    query.remove_prefix(pair.size() < query.size() ? pair.size() + 1 : pair.size());
  }
  return false;
}

}  // namespace

bool concerns(const Deprecation& deprecation, const Request& request) {
  const std::string_view method = request.method == "HEAD" ? "GET" : request.method;
  return deprecation.method == method && (deprecation.of != Deprecation::Of::Parameter ||
                                          has_parameter(request.query, deprecation.name));
}

void announce(const Deprecation& deprecation, std::string_view page, Response& response) {
  response.with("Deprecation", "@" + std::to_string(midnight_of(deprecation.since)));
  if (!deprecation.sunset.empty())
    response.with("Sunset", http_date(midnight_of(deprecation.sunset)));
  response.with("Access-Control-Expose-Headers", "Deprecation, Link, Sunset");
  response.with("Link", "<" + std::string(page) + R"(>; rel="deprecation"; type="text/html")");
}

}  // namespace svc::http
