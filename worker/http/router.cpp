#include "http/router.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

#include "base/unavailable.h"

namespace svc::http {
namespace {

constexpr int kRetryAfterSeconds = 1;

std::size_t literals_of(std::string_view pattern) {
  std::size_t sum = 0;
  bool in_name = false;
  for (const char c : pattern) {
    if (c == '{') in_name = true;
    if (!in_name && c != '*') ++sum;
    if (c == '}') in_name = false;
  }
  return sum;
}

bool matches(std::string_view pattern, std::string_view path) {
  while (!pattern.empty()) {
    if (pattern == "*") return true;
    if (pattern == "/**") return path.empty() || path.starts_with('/');
    if (pattern.front() != '{') {
      if (path.empty() || path.front() != pattern.front()) return false;
      pattern.remove_prefix(1);
      path.remove_prefix(1);
      continue;
    }
    pattern.remove_prefix(pattern.find('}') + 1);
    const std::string_view suffix = pattern.substr(0, pattern.find('/'));
    const bool takes_rest = !suffix.empty() && suffix.size() == pattern.size();
    const std::string_view segment = takes_rest ? path : path.substr(0, path.find('/'));
    if (segment.size() <= suffix.size() || !segment.ends_with(suffix)) return false;
    pattern.remove_prefix(suffix.size());
    path.remove_prefix(segment.size());
  }
  return path.empty();
}

}  // namespace

Response Endpoint::unavailable(const Request&) const {
  return service_unavailable(kRetryAfterSeconds);
}

void Router::add(std::string_view pattern, Endpoint& endpoint, bool needs_store) {
  for (const Route& route : routes_) {
    if (route.pattern == pattern) std::abort();
  }
  const std::size_t literal = std::min(pattern.find_first_of("{*"), pattern.size());
  routes_.push_back({std::string(pattern), literal, &endpoint, needs_store});
  std::ranges::stable_sort(routes_, std::greater(), [](const Route& route) {
    return std::pair(route.literal == route.pattern.size(), literals_of(route.pattern));
  });
}

std::vector<std::string> Router::routes() const {
  std::vector<std::string> patterns;
  for (const Route& route : routes_) patterns.push_back(route.pattern);
  return patterns;
}

// There are only a few routes, and most differ in their first characters: comparing all of them
// takes less time than hashing the path.
std::size_t Router::route_of(std::string_view path) const {
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    const Route& route = routes_[i];
    const std::string_view pattern = route.pattern;
    if (path.substr(0, route.literal) != pattern.substr(0, route.literal)) continue;
    if (matches(pattern.substr(route.literal), path.substr(route.literal))) return i;
  }
  return routes_.size();
}

Endpoint* Router::find(std::string_view path) const {
  const std::size_t number = route_of(path);
  return number < routes_.size() ? routes_[number].endpoint : nullptr;
}

bool Router::needs_store(std::string_view path) const {
  const std::size_t number = route_of(path);
  return number < routes_.size() && routes_[number].needs_store;
}

Response Router::unavailable(const Request& request) const {
  const Endpoint* endpoint = find(request.path);
  Response response = endpoint == nullptr ? service_unavailable(kRetryAfterSeconds)
                                          : endpoint->unavailable(request);
  if (endpoint != nullptr) endpoint->add_common_headers(response);
  return response;
}

loop::Task<Response> Router::answer(const Request& request) const {
  Endpoint* endpoint = find(request.path);
  if (endpoint == nullptr)
    co_return json_error(404, "not found").with("X-Content-Type-Options", "nosniff");
  try {
    Response response = co_await endpoint->answer(request);
    endpoint->add_common_headers(response);
    co_return response;
  } catch (const base::Unavailable&) {
    // The code that noticed the outage logs it, once per outage.
  }
  co_return unavailable(request);
}

}  // namespace svc::http
