// path_id: the hashed id in a path.
#pragma once

#include <optional>
#include <string_view>

#include "media/id.h"

namespace svc::endpoints {

// Returns the id between `prefix` and `suffix`, or nullopt if `path` lacks
// either or the part in between is not a hashed id.
std::optional<media::HashedId> id_between(std::string_view prefix, std::string_view path,
                                          std::string_view suffix);

}  // namespace svc::endpoints
