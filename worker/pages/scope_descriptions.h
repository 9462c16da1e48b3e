// scope_descriptions: descriptions of the scopes for users. pages.md, "Scopes
// in words".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "oauth/scope_set.h"
#include "pages/languages.h"
#include "pages/template.h"

namespace svc::pages {

// The scope that pages mark, because it allows everything.
inline constexpr std::string_view kFullAccess = "all:all";

struct ScopeDescription {
  std::string title;
  std::string text;  // the operations that the scope allows
};

// `scope` is in ScopeSet::kNames.
ScopeDescription describe_scope(std::string_view scope, const Language& language = english());

// Returns the names in display order: the scope that allows the least comes
// first.
std::vector<std::string_view> in_display_order(const oauth::ScopeSet& scopes);

// Shows the section SCOPE once per scope, in that order, with VALUE (the name), TITLE and TEXT.
void set_scopes(Values& values, const oauth::ScopeSet& scopes,
                const Language& language = english());

// Returns one sentence that lists the operations that these scopes do not allow an application.
std::string withheld_access(const oauth::ScopeSet& scopes, const Language& language = english());

}  // namespace svc::pages
