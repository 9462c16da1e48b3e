#include "stores/catalog/index_places.h"

#include <array>
#include <cstddef>

namespace svc::stores {
namespace {

using media::SortBy;

constexpr std::array kOrders{SortBy::Created, SortBy::Updated, SortBy::Name};

struct Sets {
  std::string_view state;  // id → what else the index has of the record
  std::array<std::string_view, kOrders.size()> sorted;             // by SortBy
  std::array<std::string_view, kOrders.size()> sorted_in_project;  // the same, after the project
};
constexpr Sets kOfMedia{"m", {"mc", "mu", "mn"}, {"pmc", "pmu", "pmn"}};
constexpr Sets kOfProjects{"p", {"pc", "pu", "pn"}, {}};

const Sets& sets_of(Indexed kind) { return kind == Indexed::Media ? kOfMedia : kOfProjects; }

const std::string& sorted_by(const IndexedFields& fields, SortBy by) {
  return by == SortBy::Created   ? fields.created
         : by == SortBy::Updated ? fields.updated
                                 : fields.name;
}

}  // namespace

std::string state_set(Indexed kind) { return std::string(sets_of(kind).state); }

std::string sorted_set(Indexed kind, SortBy by) {
  return std::string(sets_of(kind).sorted.at(static_cast<std::size_t>(by)));
}

std::string sorted_set_in_project(SortBy by) {
  return std::string(kOfMedia.sorted_in_project.at(static_cast<std::size_t>(by)));
}

std::vector<std::string> sorted_sets(Indexed kind) {
  std::vector<std::string> sets;
  for (const SortBy by : kOrders) {
    sets.push_back(sorted_set(kind, by));
    if (kind == Indexed::Media) sets.push_back(sorted_set_in_project(by));
  }
  return sets;
}

std::string project_prefix(const media::ProjectId& project) { return project.value() + kSeparator; }

std::string sort_key(const IndexedFields& fields, SortBy by) {
  return sorted_by(fields, by) + kSeparator + fields.id;
}

std::string_view id_in(std::string_view key) { return key.substr(key.rfind(kSeparator) + 1); }

std::vector<IndexPlace> sorted_places(Indexed kind, const IndexedFields& fields) {
  std::vector<IndexPlace> places;
  for (const SortBy by : kOrders) {
    std::string key = sort_key(fields, by);
    if (!fields.project.empty())
      places.push_back({sorted_set_in_project(by), fields.project + kSeparator + key});
    places.push_back({sorted_set(kind, by), std::move(key)});
  }
  return places;
}

}  // namespace svc::stores
