// index_places: where the index of an account has a media or a project: its sets, and its key in
// each of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "media/id.h"
#include "media/listings.h"
#include "stores/catalog/indexed_fields.h"

namespace svc::stores {

// The set of states: id → state_of().
std::string state_set(Indexed kind);
// All entries of an order, or those of a project, whose keys begin with that of the project.
std::string sorted_set(Indexed kind, media::SortBy by);
std::string sorted_set_in_project(media::SortBy by);
std::vector<std::string> sorted_sets(Indexed kind);

// The beginning of the keys of a project in its sets.
std::string project_prefix(const media::ProjectId& project);
// In the sets that are not of a project.
std::string sort_key(const IndexedFields& fields, media::SortBy by);
std::string_view id_in(std::string_view key);

struct IndexPlace {
  std::string set;
  std::string key;
  bool operator==(const IndexPlace&) const = default;
};
// All but that in the set of states. Each has value_of() the record.
std::vector<IndexPlace> sorted_places(Indexed kind, const IndexedFields& fields);

}  // namespace svc::stores
