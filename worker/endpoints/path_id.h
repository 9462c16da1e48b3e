// path_id: the hashed id in a path.
#pragma once

#include <optional>
#include <string_view>

#include "media/id.h"

namespace svc::endpoints {

// The id between `prefix` and `suffix`. Returns nothing if `path` does not have both, or if what is
// between them is not a hashed id.
std::optional<media::HashedId> id_between(std::string_view prefix, std::string_view path,
                                          std::string_view suffix);

}  // namespace svc::endpoints
