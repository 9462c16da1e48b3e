// help: generates the help texts, at most 80 columns wide, from the commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ctl/command.h"

namespace svc::ctl {

// Returns one line per group: at most 24 lines, with one line for a message
// before it.
std::string overview(const Commands& all);

// Returns "svcctl app list [--account ID] [--json]", wrapped, with a newline at
// its end.
std::string synopsis(const Command& command);
// Returns the words of the synopsis after the command's name: operands,
// required flags, optional flags.
std::vector<std::string> synopsis_words(const Command& command);

// Returns the commands of a group, one per line. For a group of a single
// command, returns the help of that command.
std::string help_of(const Group& group);
std::string help_of(const Command& command);
// Returns the help of all commands.
std::string help_of(const Commands& all);

// Returns the second words of a group's commands: "create", "list". Empty for a
// single command.
std::vector<std::string_view> names_in(const Group& group);

// Returns `name VALUE`, as written in help and manual.
std::string to_text(const Flag& flag);

}  // namespace svc::ctl
