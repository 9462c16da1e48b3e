// scope_words: the scopes as people read them. pages.md, "Scopes in words".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "oauth/scope_set.h"

namespace svc::pages {

struct ScopeWords {
  std::string_view title;
  std::string_view text;
};

// Of a name that ScopeSet::kNames has.
ScopeWords words_of(std::string_view scope);

// The names in the order in which people read them: who allows the least comes first.
std::vector<std::string_view> for_people(const oauth::ScopeSet& scopes);

// One sentence: what an application with these scopes still may not do.
std::string what_stays_closed(const oauth::ScopeSet& scopes);

}  // namespace svc::pages
