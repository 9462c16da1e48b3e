// dangling: what an import left in the store that refers to nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace svc::integration {

// Returns the references in a dump of the store to missing keys, and the keys of other kinds.
std::vector<std::string> dangling(const std::map<std::string, std::string>& dump);

}  // namespace svc::integration
