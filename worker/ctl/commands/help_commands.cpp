#include <iostream>

#include "ctl/commands/completion.h"
#include "ctl/commands/groups.h"
#include "ctl/commands/manual.h"
#include "ctl/help.h"
#include "ctl/printable.h"
#include "text/nearest.h"

namespace svc::ctl {
namespace {

Outcome help(const Arguments& arguments, Context& context) {
  const Commands& all = *context.commands;
  if (arguments.has("--all") || arguments.has("--man")) {
    std::cout << (arguments.has("--man") ? manual_of(all) : help_of(all));
    return kDone;
  }
  if (arguments.operands() == 0) {
    std::cout << overview(all);
    return kDone;
  }
  std::vector<std::string> words;
  for (std::size_t i = 0; i < arguments.operands(); ++i) words.push_back(arguments.operand(i));
  std::vector<std::string_view> names;
  for (const Group* group : all) names.push_back(group->name);
  const Group* const group = find_group(all, words[0]);
  if (group == nullptr) {
    return wrong_call(context, "unknown command: " + words[0] +
                                   text::did_you_mean(words[0], names) +
                                   "; svcctl help lists them");
  }
  if (const Command* const command = find_command(*group, words)) {
    std::cout << help_of(*command);
    return kDone;
  }
  if (words.size() > 1) {
    return wrong_call(context, "unknown command: " + words[0] + " " + words[1] +
                                   text::did_you_mean(words[1], names_in(*group)) +
                                   "; svcctl help " + std::string(group->name) + " lists them");
  }
  std::cout << help_of(*group);
  return kDone;
}

Outcome version(const Arguments& arguments, Context& context) {
  if (arguments.has("--changes")) {
    std::cout << context.changes;
  } else {
    std::cout << "svcctl " << context.version << "\n";
  }
  return kDone;
}

Outcome completion(const Arguments&, Context& context) {
  std::cout << bash_completion(*context.commands, context.settings);
  return kDone;
}

}  // namespace

const Group& help_commands() {
  static const Group kGroup{
      .section = Section::Pools,
      .name = "help",
      .commands = {
          {.name = "help",
           .summary = "Describe a command: svcctl help COMMAND; settings: --help-settings",
           .syntax = {.operands = {{.takes = Takes::command(),
                                    .help = "the words of a command, such as app create, or the "
                                            "first of them; without it, all are listed",
                                    .count = Operand::Count::Any}},
                      .flags = {{.name = "--all", .help = "describe every command"},
                                {.name = "--man",
                                 .help = "the same in the macros of man(7), for svcctl(8)"}}},
           .needs = Needs::Nothing,
           .run = help}}};
  return kGroup;
}

const Group& version_commands() {
  static const Group kGroup{.section = Section::Pools,
                            .name = "version",
                            .commands = {{.name = "version",
                                          .summary = "Print the version, or its changes",
                                          .syntax = {.flags = {{.name = "--changes",
                                                                .help = "print the changes of each "
                                                                        "version"}}},
                                          .needs = Needs::Nothing,
                                          .run = version}}};
  return kGroup;
}

const Group& completion_commands() {
  static const Group kGroup{
      .section = Section::Pools,
      .name = "completion",
      .commands = {
          {.name = "completion",
           .summary = "Print the script that completes commands in a shell",
           .syntax = {.operands = {{.takes = Takes::choice("SHELL", {"bash"}),
                                    .help = "the shell"}}},
           .details = {"The package installs it; elsewhere: source <(svcctl completion bash)"},
           .needs = Needs::Nothing,
           .run = completion}}};
  return kGroup;
}

}  // namespace svc::ctl
