#include "pages/scope_descriptions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "oauth/operation.h"

namespace svc::pages {
namespace {

constexpr std::string_view kNothing = "Nothing yet: this service has no operation for it";

struct Row {
  std::string_view scope;
  std::string_view title;
};
constexpr std::array<Row, 5> kRows{{{kFullAccess, "Full access"},
                                    {"all:read", "Read access"},
                                    {"media:read", "See media"},
                                    {"stats:read", "Statistics"},
                                    {"media:upload", "Upload media"}}};

// Returns the parts as one text that begins with a capital letter: "A", "A, and
// b", "A, b, and c" with `last` between the last two.
std::string list_of(const std::vector<std::string_view>& parts, std::string_view last_of_two,
                    std::string_view last) {
  std::string list;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) list += i + 1 < parts.size() ? ", " : parts.size() > 2 ? last : last_of_two;
    list += parts[i];
  }
  if (!list.empty()) list[0] = static_cast<char>(list[0] - 'a' + 'A');
  return list;
}

}  // namespace

ScopeDescription describe_scope(std::string_view scope) {
  const auto row = std::ranges::find(kRows, scope, &Row::scope);
  oauth::ScopeSet one;
  if (row == kRows.end() || !one.add(scope)) std::abort();
  std::vector<std::string_view> allowed;
  for (const oauth::Operation* operation : oauth::kOperations) {
    if (operation->is_open_to(one)) allowed.push_back(operation->allowed);
  }
  if (allowed.empty()) return {row->title, std::string(kNothing)};
  return {row->title, list_of(allowed, ", and ", ", and ")};
}

std::vector<std::string_view> in_display_order(const oauth::ScopeSet& scopes) {
  constexpr std::array<std::string_view, kRows.size()> kLeastFirst{
      "stats:read", "media:read", "media:upload", "all:read", "all:all"};
  const auto there = scopes.names();
  std::vector<std::string_view> names;
  for (const std::string_view name : kLeastFirst) {
    if (std::ranges::find(there, name) != there.end()) names.push_back(name);
  }
  return names;
}

void set_scopes(Values& values, const oauth::ScopeSet& scopes) {
  for (const std::string_view name : in_display_order(scopes)) {
    const ScopeDescription scope = describe_scope(name);
    values.show_with("SCOPE").set("VALUE", name).set("TITLE", scope.title).set("TEXT", scope.text);
  }
}

std::string withheld_access(const oauth::ScopeSet& scopes) {
  std::vector<std::string_view> withheld;
  for (const oauth::Operation* operation : oauth::kOperations) {
    if (!operation->is_open_to(scopes)) withheld.push_back(operation->withheld);
  }
  withheld.push_back("see your password");
  return list_of(withheld, " or ", ", or ") + ".";
}

}  // namespace svc::pages
