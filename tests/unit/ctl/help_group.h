// kHelpGroup: a group of commands with every kind of operand and flag, for tests of help, manual
// and completion.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

inline const Group kHelpGroup{
    .section = Section::Access,
    .name = "app",
    .subjects = "Applications",
    .commands = {
        {.name = "app create",
         .summary = "Create an application",
         .syntax = {.operands = {{.takes = Takes::file(), .help = "a file"}},
                    .flags = {{.name = "--redirect-uri",
                               .takes = Takes::text("URI"),
                               .help = "where users return to",
                               .required = true},
                              {.name = "--account",
                               .takes = Takes::integer("ID", 1, 9),
                               .help = "its account",
                               .repeats = true},
                              {.name = "--scope-format",
                               .takes = Takes::choice("array|string", {"array", "string"}),
                               .help = "how responses list scopes"},
                              {.name = "--a-flag-whose-name-is-very-long-indeed",
                               .help = "of no use"}},
                    .json = kJsonObject},
         .details = {"A paragraph that is too long for one line of eighty columns, so that it is "
                     "wrapped.",
                     "  1. lines\n  2. that stay"}},
        {.name = "app list", .summary = "List applications"}}};

}  // namespace svc::ctl
