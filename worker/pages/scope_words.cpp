#include "pages/scope_words.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace svc::pages {
namespace {

struct Row {
  std::string_view scope;
  ScopeWords words;
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

ScopeWords words_of(std::string_view scope) {
  for (const Row& row : kRows) {
    if (row.scope == scope) return row.words;
  }
  std::abort();
}

std::vector<std::string_view> for_people(const oauth::ScopeSet& scopes) {
  constexpr std::array<std::string_view, kRows.size()> kLeastFirst{
      "stats:read", "media:read", "media:upload", "all:read", "all:all"};
  const auto there = scopes.names();
  std::vector<std::string_view> names;
  for (const std::string_view name : kLeastFirst) {
    if (std::ranges::find(there, name) != there.end()) names.push_back(name);
  }
  return names;
}

std::string what_stays_closed(const oauth::ScopeSet& scopes) {
  std::vector<std::string_view> closed;
  if (!has(scopes, {"all:all", "all:read", "media:read"})) closed.push_back("Browse your media");
  if (!has(scopes, {"all:all", "all:read", "stats:read"})) closed.push_back("See statistics");
  if (!has(scopes, {"all:all", "media:upload"})) closed.push_back("Upload media");
  if (!has(scopes, {"all:all"})) closed.push_back("Change or delete anything");
  closed.push_back("See your password");
  std::string line;
  for (std::size_t i = 0; i < closed.size(); ++i) {
    std::string piece(closed[i]);
    if (i > 0) {
      line += i + 1 < closed.size() ? ", " : closed.size() > 2 ? ", or " : " or ";
      piece[0] = static_cast<char>(piece[0] - 'A' + 'a');
    }
    line += piece;
  }
  return line + ".";
}

}  // namespace svc::pages
