#include "pages/scope_descriptions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include "oauth/operation.h"
#include "text/unicode.h"
#include "text/words.h"

namespace svc::pages {
namespace {

using text::translatable;

struct Row {
  std::string_view scope;
  std::string_view title;
};
constexpr std::array<Row, 5> kRows{{{kFullAccess, translatable("Full access")},
                                    {"all:read", translatable("Read access")},
                                    {"media:read", translatable("See media")},
                                    {"stats:read", translatable("Statistics")},
                                    {"media:upload", translatable("Upload media")}}};

// Returns the parts as one text that begins with a capital letter: "A", "A, and b", "A, b, and c".
// `of_two` and `of_more` join the last part.
std::string list_of(const std::vector<std::string_view>& parts, std::string_view of_two,
                    std::string_view of_more, const Language& language) {
  std::string list;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part = language.translate(parts[i]);
    if (i == 0) {
      list = part;
      continue;
    }
    const std::string_view pattern = i + 1 < parts.size() ? translatable("{list}, {next}")
                                     : parts.size() > 2   ? of_more
                                                          : of_two;
    list = language.translate(pattern, {{"list", list}, {"next", part}});
  }
  return text::with_capital(list);
}

}  // namespace

ScopeDescription describe_scope(std::string_view scope, const Language& language) {
  const auto row = std::ranges::find(kRows, scope, &Row::scope);
  oauth::ScopeSet one;
  if (row == kRows.end() || !one.add(scope)) std::abort();
  std::vector<std::string_view> allowed;
  for (const oauth::Operation* operation : oauth::kOperations) {
    if (operation->is_open_to(one)) allowed.push_back(operation->allowed);
  }
  constexpr std::string_view kAnd = translatable("{list}, and {next}");
  return {language.translate(row->title), list_of(allowed, kAnd, kAnd, language)};
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

void set_scopes(Values& values, const oauth::ScopeSet& scopes, const Language& language) {
  for (const std::string_view name : in_display_order(scopes)) {
    const ScopeDescription scope = describe_scope(name, language);
    values.show_with("SCOPE").set("VALUE", name).set("TITLE", scope.title).set("TEXT", scope.text);
  }
}

std::string withheld_access(const oauth::ScopeSet& scopes, const Language& language) {
  std::vector<std::string_view> withheld;
  for (const oauth::Operation* operation : oauth::kOperations) {
    if (!operation->is_open_to(scopes)) withheld.push_back(operation->withheld);
  }
  withheld.push_back(translatable("see your password"));
  return language.translate("{sentence}.",
                            {{"sentence", list_of(withheld, translatable("{list} or {next}"),
                                                  translatable("{list}, or {next}"), language)}});
}

}  // namespace svc::pages
