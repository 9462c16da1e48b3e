// help: what the descriptions of commands become for people: lines of at most 80 columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ctl/command.h"

namespace svc::ctl {

// One line per group: at most 24 lines with the one of a message before it.
std::string overview(const Commands& all);

// "svcctl app list [--account ID] [--json]", wrapped, with a newline at its end.
std::string synopsis(const Command& command);
// The words of the synopsis after the name: operands, flags that are required, the others.
std::vector<std::string> synopsis_words(const Command& command);

// The commands of a group, one per line; of a group that is one command, that command's help.
std::string help_of(const Group& group);
std::string help_of(const Command& command);
// The help of all commands.
std::string help_of(const Commands& all);

// The second words of a group's commands: "create", "list".
std::vector<std::string_view> names_in(const Group& group);

// `name VALUE`, as help and manual write a flag.
std::string to_text(const Flag& flag);

}  // namespace svc::ctl
