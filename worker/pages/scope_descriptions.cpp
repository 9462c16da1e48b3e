#include "pages/scope_descriptions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>

namespace svc::pages {
namespace {

struct Row {
  std::string_view scope;
  ScopeDescription description;
};
constexpr std::array<Row, 5> kRows{
    {{"all:all", {"Full access", "See and change everything the API allows"}},
     {"all:read", {"See everything", "See all data; change nothing"}},
     {"media:read",
      {"See media and projects", "See videos, projects, customizations and captions"}},
     {"stats:read", {"See statistics", "See viewing statistics"}},
     {"media:upload", {"Upload media", "Upload files, and see a single media by its id"}}}};

bool has(const oauth::ScopeSet& scopes, std::initializer_list<std::string_view> any) {
  for (const std::string_view name : any) {
    oauth::ScopeSet one;
    if (one.add(name) && scopes.covers(one)) return true;
  }
  return false;
}

}  // namespace

ScopeDescription describe_scope(std::string_view scope) {
  for (const Row& row : kRows) {
    if (row.scope == scope) return row.description;
  }
  std::abort();
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
  if (!has(scopes, {"all:all", "all:read", "media:read"})) withheld.push_back("Browse your media");
  if (!has(scopes, {"all:all", "all:read", "stats:read"})) withheld.push_back("See statistics");
  if (!has(scopes, {"all:all", "media:upload"})) withheld.push_back("Upload media");
  if (!has(scopes, {"all:all"})) withheld.push_back("Change or delete anything");
  withheld.push_back("See your password");
  std::string line;
  for (std::size_t i = 0; i < withheld.size(); ++i) {
    std::string piece(withheld[i]);
    if (i > 0) {
      line += i + 1 < withheld.size() ? ", " : withheld.size() > 2 ? ", or " : " or ";
      piece[0] = static_cast<char>(piece[0] - 'A' + 'a');
    }
    line += piece;
  }
  return line + ".";
}

}  // namespace svc::pages
