// completion: generates shell completion from the commands.
#pragma once

#include <string>
#include <vector>

#include "ctl/command.h"

namespace svc::ctl {

// Returns a bash script that completes commands, flags, settings, choices and
// file paths. It depends only on bash. `settings` are the names of the
// settings, with their dashes.
std::string bash_completion(const Commands& all, const std::vector<std::string>& settings);

}  // namespace svc::ctl
