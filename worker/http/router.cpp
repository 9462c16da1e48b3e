#include "http/router.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

#include "base/log.h"
#include "base/unavailable.h"
#include "base/unreadable.h"
#include "base/unwritable.h"
#include "http/api_error.h"
#include "http/cors.h"
#include "http/path_pattern.h"
#include "text/form.h"
#include "text/word_list.h"

namespace svc::http {
namespace {

constexpr std::string_view kRetryAfter = "1";  // s
constexpr int kTooManyRequests = 429;
constexpr std::string_view kJsonSuffix = ".json";

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

// `methods` as in Allow; "": any.
bool takes(std::string_view methods, std::string_view method) {
  if (methods.empty()) return true;
  while (!methods.empty()) {
    const std::string_view each = methods.substr(0, methods.find(','));
    if (each == method) return true;
    methods.remove_prefix(std::min(methods.size(), each.size() + 2));
  }
  return false;
}

bool has_header(const Response& response, std::string_view name) {
  return std::ranges::any_of(response.headers,
                             [&](const Header& header) { return header.name == name; });
}

// A list that ignores a filter has everything in it, so a GET refuses a parameter that it does not
// read. Returns nullopt if it reads all.
std::optional<Response> why_not_read(const ReadParameters& read, std::string_view query) {
  const text::Form form = text::Form::parse(query);
  for (const text::FormField& field : form.fields()) {
    const auto is_in = [&field](const std::vector<std::string>& names) {
      return std::ranges::find(names, field.name) != names.end();
    };
    if (is_in(read.described) || is_in(read.token)) continue;
    return api_error(400, shown(field.name) + " is not a parameter of this path, which reads " +
                              (read.described.empty() ? "none" : text::joined(read.described)));
  }
  return std::nullopt;
}

// draft-ietf-httpapi-ratelimit-headers: what the account may still use of its share. Refusals for
// another reason do not have it.
void add_rate_limit(const Request& request, Response& response) {
  if (response.status >= 400 && response.status != kTooManyRequests) return;
  const auto left = request.use == nullptr ? std::nullopt : request.use->left();
  if (!left) return;
  const auto text = [](auto time) { return std::to_string(time.count()); };
  using std::chrono::seconds;
  response
      .with(kRateLimitPolicy, "\"account\";q=" + text(left->share) + ";qu=\"milliseconds\";w=" +
                                  text(std::chrono::duration_cast<seconds>(loop::Shares::kWindow)))
      .with(kRateLimit, "\"account\";r=" + text(left->left) + ";t=" + text(left->until_all));
}

// "/a/b" → "/a"
std::string_view first_segment(std::string_view path) { return path.substr(0, path.find('/', 1)); }

}  // namespace

void Router::add(const Rule& rule, Endpoint& endpoint) {
  for (const Route& route : routes_) {
    if (route.rule.pattern == rule.pattern) std::abort();
  }
  const std::string_view first = first_segment(rule.pattern);
  if (rule.errors == ErrorForm::Api || rule.errors == ErrorForm::Oauth)
    programs_.emplace(first, rule.errors);
  const std::size_t literal = std::min(rule.pattern.find_first_of("{*"), rule.pattern.size());
  const char end = rule.pattern.back();
  routes_.push_back({rule, literal, rule.pattern[literal - 1],
                     end == '}' || end == '*' ? '\0' : end, literal == rule.pattern.size(),
                     &endpoint, rule.errors != ErrorForm::Oauth && takes(rule.methods, "OPTIONS")});
  std::ranges::stable_sort(routes_, std::greater(), [](const Route& route) {
    return std::pair(route.is_exact, literals_of(route.rule.pattern));
  });
}

std::vector<std::string> Router::routes() const {
  std::vector<std::string> patterns;
  for (const Route& route : routes_) patterns.emplace_back(route.rule.pattern);
  return patterns;
}

std::string_view Router::plain(std::string_view path) const {
  if (path.ends_with(kJsonSuffix) && exact_route_of(path) == routes_.size() &&
      form_of_unknown(path) == ErrorForm::Api)
    path.remove_suffix(kJsonSuffix.size());
  return path;
}

std::size_t Router::exact_route_of(std::string_view path) const {
  // Most differ in their length or in the last of these characters, which needs no call.
  for (std::size_t i = 0; i < routes_.size() && routes_[i].is_exact; ++i) {
    const Route& route = routes_[i];
    if (route.literal == path.size() && route.last == path.back() && route.rule.pattern == path)
      return i;
  }
  return routes_.size();
}

// There are only a few routes, and most differ in their first characters: comparing all of them
// takes less time than hashing the path.
std::size_t Router::route_of(std::string_view path) const {
  if (path.empty()) return routes_.size();
  std::size_t exact = exact_route_of(path);
  if (exact == routes_.size() && path.ends_with(kJsonSuffix))
    exact = exact_route_of(path = plain(path));
  if (exact < routes_.size()) return exact;
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (routes_[i].is_exact) continue;
    const Route& route = routes_[i];
    if (route.end != '\0' && route.end != path.back()) continue;
    const std::string_view pattern = route.rule.pattern;
    if (path.size() < route.literal || path[route.literal - 1] != route.last ||
        !path.starts_with(pattern.substr(0, route.literal)))
      continue;
    if (matches(pattern.substr(route.literal), path.substr(route.literal))) return i;
  }
  return routes_.size();
}

const Router::Route* Router::route(std::string_view path) const {
  const std::size_t number = route_of(path);
  return number < routes_.size() ? &routes_[number] : nullptr;
}

ErrorForm Router::form_of_unknown(std::string_view path) const {
  const auto found = programs_.find(first_segment(path));
  return found == programs_.end() ? ErrorForm::Json : found->second;
}

Endpoint* Router::find(std::string_view path) const {
  const Route* found = route(path);
  return found == nullptr ? nullptr : found->endpoint;
}

Endpoint* Router::match(Request& request) const {
  const Route* found = route(request.path);
  if (found == nullptr) return nullptr;
  request.match = {found->rule.pattern, request.path, found->literal};
  return found->endpoint;
}

bool Router::needs_store(std::string_view path) const {
  const Route* found = route(path);
  return found != nullptr && found->rule.needs_store;
}

void Router::announce(std::span<const Deprecation> deprecations, std::string page) {
  deprecation_page_ = std::move(page);
  for (const Deprecation& each : deprecations) {
    for (Route& route : routes_) {
      if (route.rule.pattern == each.pattern) route.deprecations.push_back(&each);
    }
  }
}

void Router::finish(const Route& route, const Request& request, Response& response) const {
  for (const Deprecation* each : route.deprecations) {
    if (!concerns(*each, request)) continue;
    http::announce(*each, deprecation_page_, response);
    break;
  }
  if (route.rule.errors == ErrorForm::Api) add_rate_limit(request, response);
  if (route.is_shared) {
    cors::allow_any_origin(response);
    // Not what is most requested: nobody reads more of it.
    if (route.rule.errors == ErrorForm::Api || response.status == kUnavailable)
      cors::expose_headers(response);
  } else if (route.rule.errors == ErrorForm::Api && request.is_get_or_head()) {
    cors::allow_any_origin_with_token(response);
  }
  route.endpoint->add_common_headers(response);
  if (route.rule.errors == ErrorForm::Api || route.rule.errors == ErrorForm::Oauth)
    name_request(response, request.request_id);
}

Response Router::refuse(const Route& route, const Request& request, int status) const {
  const Rule& rule = route.rule;
  Response response = is_page(rule.errors) && page_
                          ? page_(rule.errors, request, status)
                          : refusal(rule.errors, request, status, rule.methods);
  if (status == kMethodNotAllowed) response.with("Allow", std::string(rule.methods));
  if (status == kUnavailable) response.with("Retry-After", std::string(kRetryAfter));
  route.endpoint->share_refusal(request, response);
  finish(route, request, response);
  if (!has_header(response, "Cache-Control")) response.with("Cache-Control", "no-store");
  return response;
}

// Forms catch it themselves.
Response Router::unwritable(const Route& route, const Request& request,
                            const base::Unwritable& refused) const {
  if (route.rule.errors != ErrorForm::Api) return unavailable(request);
  Response response =
      api_invalid_fields({{std::string(refused.field()), std::string(refused.problem())}});
  finish(route, request, response);
  return response.with("Cache-Control", "no-store");
}

Response Router::unavailable(const Request& request) const {
  const Route* found = route(request.path);
  if (found == nullptr) {
    const ErrorForm form = form_of_unknown(request.path);
    Response response = refusal(form, request, kUnavailable, "");
    if (form == ErrorForm::Api) name_request(response, request.request_id);
    return response.with("Retry-After", std::string(kRetryAfter)).with("Cache-Control", "no-store");
  }
  if (std::optional<Response> own = found->endpoint->unavailable(request)) {
    finish(*found, request, *own);
    return *std::move(own);
  }
  return refuse(*found, request, kUnavailable);
}

loop::Task<Response> Router::answer(const Request& request) const {
  const Route* found = route(request.path);
  if (found == nullptr) {
    const ErrorForm form = form_of_unknown(request.path);
    const bool is_below_api = form == ErrorForm::Api;
    // Without it, a page could not read the 404 that follows.
    if (is_below_api && request.method == "OPTIONS")
      co_return cors::preflight_with_token("GET, HEAD, OPTIONS");
    Response response = is_below_api               ? api_error(404, "not found")
                        : form == ErrorForm::Oauth ? refusal(form, request, kNotFound, "")
                                                   : json_error(404, "not found");
    if (is_below_api && request.is_get_or_head()) cors::allow_any_origin_with_token(response);
    if (form != ErrorForm::Json) name_request(response, request.request_id);
    co_return response.with("X-Content-Type-Options", "nosniff").with("Cache-Control", "no-store");
  }
  const bool is_api = found->rule.errors == ErrorForm::Api;
  if (is_api && request.method == "OPTIONS" && !found->is_shared) {
    Response response;
    if (takes(found->rule.methods, "GET")) {
      response = cors::preflight_with_token(found->rule.methods);
    } else {
      response.status = 204;
      response.with("Allow", std::string(found->rule.methods));
    }
    finish(*found, request, response);
    co_return response;
  }
  if (!takes(found->rule.methods, request.method))
    co_return refuse(*found, request, kMethodNotAllowed);
  if (found->is_shared && request.method == "OPTIONS") {
    Response response = cors::preflight(found->rule.methods);
    finish(*found, request, response);
    co_return response;
  }
  try {
    Request matched = request;
    if (is_api) {
      matched.path = plain(request.path);
      if (matched.path != request.path) matched.accept = "application/json";
    }
    matched.match = {found->rule.pattern, matched.path, found->literal};
    Response response = co_await found->endpoint->answer(matched);
    // After the refusals that come first (api-N1).
    if (found->rule.parameters != nullptr && !request.query.empty() && response.status < 400 &&
        request.is_get_or_head()) {
      if (auto refused = why_not_read(*found->rule.parameters, request.query))
        response = *std::move(refused);
    }
    finish(*found, request, response);
    if (response.status == 400 && !has_header(response, "Cache-Control")) never_stored(response);
    co_return response;
  } catch (const base::Unwritable& refused) {
    base::log::error("record.unwritable", {{"reason", refused.what()}});
    co_return unwritable(*found, request, refused);
  } catch (const base::Unavailable&) {
    // The code that noticed the outage logs it, once per outage.
  } catch (const base::Unreadable&) {
    // So does the code that read the record.
  }
  co_return unavailable(request);
}

}  // namespace svc::http
