// completion: the commands for the completion of a shell.
#pragma once

#include <string>
#include <vector>

#include "ctl/command.h"

namespace svc::ctl {

// A script for bash that completes commands, flags, settings, choices, and paths of files. It needs
// nothing but bash. `settings` are their names, with dashes.
std::string bash_completion(const Commands& all, const std::vector<std::string>& settings);

}  // namespace svc::ctl
