#include "oauth/resource.h"

#include <algorithm>
#include <iterator>

#include "text/uri.h"
#include "text/word_list.h"

namespace svc::oauth {
namespace {

bool is_on_this_machine(std::string_view host) {
  return host == "127.0.0.1" || host == "::1" || host == "localhost";
}

}  // namespace

std::optional<std::string> why_not_resource(std::string_view uri) {
  if (uri.size() > kMaxResource)
    return "must not have more than " + std::to_string(kMaxResource) + " bytes";
  const auto parsed = text::parse_http_uri(uri);
  if (!parsed || !text::has_only_uri_characters(uri))
    return "must be an absolute URI of a server, such as https://mcp.example/mcp";
  if (uri.find('#') != std::string_view::npos) return "must not have a fragment, the part from #";
  if (!parsed->secure && !is_on_this_machine(parsed->host))
    return "must begin with https://; http:// is allowed only on 127.0.0.1, [::1] and localhost";
  return std::nullopt;
}

std::string_view comparable(std::string_view resource) {
  const auto parts = text::split_uri(resource);
  if (parts && parts->path == "/" && !parts->query && resource.ends_with('/'))
    resource.remove_suffix(1);
  return resource;
}

Resources joined(const Resources& former, const Resources& later) {
  if (former.empty() || later.empty()) return later;
  Resources both;
  std::ranges::set_union(former, later, std::back_inserter(both));
  return both;
}

std::string Access::to_text() const {
  std::string text = scopes.to_text();
  for (const std::string& resource : resources) (text += ' ') += resource;
  return text;
}

std::optional<Access> Access::parse(std::string_view text) {
  const std::size_t first = text.find("://");
  const std::size_t end =
      first == std::string_view::npos ? text.size() : text.substr(0, first).rfind(' ');
  const auto scopes = ScopeSet::parse(text.substr(0, end));
  if (!scopes) return std::nullopt;
  Access access(*scopes);
  if (end >= text.size()) return access;
  for (const std::string_view resource : text::words(text.substr(end)))
    access.resources.emplace_back(resource);
  return access;
}

std::optional<std::string> OwnResources::find(std::string_view resource) const {
  for (const std::string& own : {service_, api_}) {
    if (comparable(resource) == own) return own;
  }
  return std::nullopt;
}

bool OwnResources::may_use_api(const Resources& resources) const {
  return resources.empty() || std::ranges::any_of(resources, [&](const std::string& resource) {
           return resource == service_ || resource == api_;
         });
}

Resources OwnResources::named(const Resources& resources) const {
  return resources.empty() ? Resources{api_} : resources;
}

Resources OwnResources::unnamed(Resources named) const {
  std::ranges::sort(named);
  named.erase(std::unique(named.begin(), named.end()), named.end());
  if (named.size() == 1 && named.front() == api_) named.clear();
  return named;
}

std::optional<Resources> OwnResources::narrowed(const Resources& granted,
                                                const std::vector<std::string>& asked) const {
  if (asked.empty()) return granted;
  const Resources all = named(granted);
  Resources some;
  for (const std::string& one : asked) {
    const auto found = std::ranges::find_if(
        all, [&](const std::string& resource) { return comparable(resource) == comparable(one); });
    if (found == all.end()) return std::nullopt;
    some.push_back(*found);
  }
  return unnamed(std::move(some));
}

}  // namespace svc::oauth
