#include "http/router.h"

#include <algorithm>
#include <cstdlib>

#include "base/unavailable.h"

namespace svc::http {
namespace {
constexpr int kRetryAfterSeconds = 1;
}

Response Endpoint::unavailable(const Request&) const {
  return service_unavailable(kRetryAfterSeconds);
}

void Router::add(std::string_view path, Endpoint& endpoint) {
  for (const Route& route : routes_) {
    if (route.path == path) std::abort();
  }
  routes_.push_back({std::string(path), &endpoint});
}

void Router::add_below(std::string_view folder, Endpoint& endpoint) {
  if (!folder.ends_with('/')) std::abort();
  for (const Route& route : folders_) {
    if (route.path == folder) std::abort();
  }
  folders_.push_back({std::string(folder), &endpoint});
  std::stable_sort(folders_.begin(), folders_.end(),
                   [](const Route& a, const Route& b) { return a.path.size() > b.path.size(); });
}

std::vector<std::string> Router::routes() const {
  std::vector<std::string> paths;
  for (const Route& route : routes_) paths.push_back(route.path);
  for (const Route& route : folders_) paths.push_back(route.path);
  return paths;
}

// There are only a few routes: comparing all of them takes less time than
// hashing the path.
std::size_t Router::route_of(std::string_view path) const {
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (routes_[i].path == path) return i;
  }
  for (std::size_t i = 0; i < folders_.size(); ++i) {
    if (path.starts_with(folders_[i].path)) return routes_.size() + i;
  }
  return routes_.size() + folders_.size();
}

Endpoint* Router::find(std::string_view path) const {
  const std::size_t number = route_of(path);
  if (number < routes_.size()) return routes_[number].endpoint;
  const std::size_t folder = number - routes_.size();
  return folder < folders_.size() ? folders_[folder].endpoint : nullptr;
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
