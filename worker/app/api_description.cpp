#include "app/api_description.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "app/deprecations.h"
#include "app/routes.h"
#include "base/api_paths.h"
#include "endpoints/api/account.h"
#include "endpoints/api/allowed_domains.h"
#include "endpoints/api/captions.h"
#include "endpoints/api/chapters.h"
#include "endpoints/api/customizations.h"
#include "endpoints/api/media_links.h"
#include "endpoints/api/media_list.h"
#include "endpoints/api/media_move.h"
#include "endpoints/api/media_swap.h"
#include "endpoints/api/medias.h"
#include "endpoints/api/openapi.h"
#include "endpoints/api/projects.h"
#include "endpoints/api/stats.h"
#include "oauth/bearer.h"
#include "oauth/scope_set.h"
#include "pages/scope_descriptions.h"

namespace svc::app {
namespace {

struct Row {
  RouteId id;
  std::string_view group;
  endpoints::Described (*describe)();
};

// In the order in which developers read them.
constexpr auto kDescribed = std::to_array<Row>({
    {RouteId::MediaList, "media", endpoints::MediaList::describe},
    {RouteId::Media, "media", endpoints::Medias::describe},
    {RouteId::MediaMove, "media", endpoints::MediaMove::describe},
    {RouteId::MediaSwap, "media", endpoints::MediaSwap::describe},
    {RouteId::MediaLinks, "media", endpoints::MediaLinks::describe},
    {RouteId::MediaLink, "media", endpoints::MediaLink::describe},
    {RouteId::Customizations, "customizations", endpoints::Customizations::describe},
    {RouteId::MediaChapters, "chapters", endpoints::Chapters::describe},
    {RouteId::Projects, "projects", endpoints::ProjectList::describe},
    {RouteId::Project, "projects", endpoints::Projects::describe},
    {RouteId::CaptionsList, "captions", endpoints::CaptionsList::describe},
    {RouteId::MediaCaptions, "captions", endpoints::MediaCaptions::describe},
    {RouteId::Captions, "captions", endpoints::Captions::describe},
    {RouteId::Account, "account", endpoints::Account::describe},
    {RouteId::AccountStats, "statistics", endpoints::AccountStats::describe},
    {RouteId::AccountStatsByDate, "statistics", endpoints::AccountStats::describe_by_date},
    {RouteId::ProjectStats, "statistics", endpoints::ProjectStats::describe},
    {RouteId::MediaStats, "statistics", endpoints::MediaStats::describe},
    {RouteId::MediaStatsByDate, "statistics", endpoints::MediaStats::describe_by_date},
    {RouteId::MediaEngagement, "statistics", endpoints::MediaStats::describe_engagement},
    {RouteId::StatsOfMedia, "statistics", endpoints::MediaStats::describe_percents},
    {RouteId::AllowedDomains, "domains", endpoints::AllowedDomainList::describe},
    {RouteId::AllowedDomain, "domains", endpoints::AllowedDomain::describe},
    {RouteId::OpenApi, "description", endpoints::describe_openapi},
});

constexpr bool is_described(const Route& route) {
  return !route.path.pattern.starts_with(base::paths::kMediaList.folder()) ||
         std::ranges::find(kDescribed, route.id, &Row::id) != kDescribed.end();
}
static_assert(std::ranges::all_of(routes(), is_described), "a route of the data API has no row");

}  // namespace

endpoints::ApiDescription describe_api() {
  endpoints::ApiDescription api;
  for (const Row& row : kDescribed) {
    endpoints::Described described = row.describe();
    const Route& of = route(row.id);
    api.paths.push_back({of.path.pattern, of.about, row.group, std::move(described.operations)});
    std::ranges::move(described.records, std::back_inserter(api.records));
  }
  for (const std::string_view name : oauth::ScopeSet::kNames) {
    pages::ScopeDescription words = pages::describe_scope(name);
    api.scopes.push_back({std::string(name), std::string(words.title), std::move(words.text)});
  }
  std::ranges::copy(deprecations(), std::back_inserter(api.deprecations));
  return api;
}

std::map<std::string_view, http::ReadParameters> parameters_of_gets() {
  std::map<std::string_view, http::ReadParameters> all;
  for (const Row& row : kDescribed) {
    const endpoints::Described described = row.describe();
    for (const endpoints::ApiOperation& operation : described.operations) {
      if (operation.method != "GET") continue;
      http::ReadParameters& read = all[route(row.id).path.pattern];
      for (const endpoints::DescribedField& field : operation.query)
        read.described.push_back(field.name);
      read.token.assign(oauth::kTokenParameters.begin(), oauth::kTokenParameters.end());
    }
  }
  return all;
}

}  // namespace svc::app
