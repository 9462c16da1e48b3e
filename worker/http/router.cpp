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

// A handful of routes: comparing them all costs less than hashing the path.
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

void Router::prepare(const Request& request) const {
  Endpoint* endpoint = find(request.path);
  if (endpoint == nullptr) return;
  try {
    endpoint->prepare(request);
  } catch (const base::Unavailable&) {
    // The answer will find out for itself, and say it.
  }
}

void Router::send_ahead(const Request& request) const {
  if (Endpoint* endpoint = find(request.path)) endpoint->send_ahead(request);
}

// In a round everybody reads the same store at the same moment, so whoever asks the same gets the
// same: a hot answer is made once for all who wait for it.
Response Router::answer(const Request& request) {
  Endpoint* endpoint = find(request.path);
  if (endpoint == nullptr)
    return json_error(404, "not found").with("X-Content-Type-Options", "nosniff");
  const bool shares = request.method == "GET" && endpoint->shares_answers(request);
  if (shares) {
    for (const Shared& shared : shared_) {
      if (shared.query == request.query && shared.path == request.path &&
          shared.if_none_match == request.if_none_match) {
        return shared.response;
      }
    }
  }
  Response response;
  try {
    response = endpoint->answer(request);
  } catch (const base::Unavailable&) {
    // Said in the log by whoever noticed, once an outage and not once a request.
    response = endpoint->unavailable(request);
  }
  endpoint->add_common_headers(response);
  // An outage is not shared: the store may be back for the next who asks.
  if (shares && response.status != 503) {
    shared_.push_back({std::string(request.path), std::string(request.query),
                       std::string(request.if_none_match), response});
  }
  return response;
}

}  // namespace svc::http
