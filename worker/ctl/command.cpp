#include "ctl/command.h"

#include <poll.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "base/unavailable.h"
#include "base/unreadable.h"
#include "ctl/help.h"
#include "ctl/printable.h"
#include "stores/audit.h"
#include "stores/record.h"
#include "text/nearest.h"
#include "text/word_list.h"

namespace svc::ctl {
namespace {

// Returns true if the reader of this output has exited, as in `svcctl audit | head -1`.
bool is_reader_gone(int fd) {
  pollfd one{fd, POLLOUT, 0};
  return poll(&one, 1, 0) == 1 && (one.revents & (POLLERR | POLLHUP)) != 0;
}

int refuse(std::string_view command, const std::string& why, int status) {
  std::cerr << "svcctl " << command << ": " << why << "\n";
  return status;
}

base::Refusal<std::string> unknown_group(const Commands& all, const std::string& word) {
  std::vector<std::string_view> names;
  for (const Group* group : all) names.push_back(group->name);
  return {"svcctl: unknown command: " + printable(word) + text::did_you_mean(word, names) +
          "\nsvcctl help lists the commands\n"};
}

base::Refusal<std::string> unknown_command(const Group& group,
                                           const std::vector<std::string>& words) {
  const std::vector<std::string_view> names = names_in(group);
  const std::string listed = text::joined(names);
  const std::string prefix = "svcctl " + std::string(group.name) + ": ";
  if (words.size() < 2) return {prefix + "a command is missing: " + listed + "\n" + help_of(group)};
  return {prefix + "unknown command: " + printable(words[1]) + text::did_you_mean(words[1], names) +
          "\n" + help_of(group)};
}

// Returns true if --help or -h is among the words before "--". A -h after a flag with a value is
// that value.
bool asks_for_help(const std::vector<std::string>& words, const Command* command) {
  bool is_value = false;
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == "--help" || (word == "-h" && !is_value)) return true;
    is_value =
        command != nullptr && std::ranges::any_of(command->syntax.flags, [&](const Flag& flag) {
          return flag.name == word && !flag.takes.name.empty();
        });
  }
  return false;
}

// Returns the arguments of `svcctl help` for the words before --help; nullopt if there is no
// --help.
std::optional<std::vector<std::string>> help_words(const Commands& all,
                                                   const std::vector<std::string>& words) {
  const Group* const group = find_group(all, words.front());
  if (!asks_for_help(words, group == nullptr ? nullptr : find_command(*group, words)))
    return std::nullopt;
  std::vector<std::string> help{"help"};
  for (const std::string& word : words) {
    // A command has at most two words, without dashes.
    if (word.starts_with("-") || help.size() == 3) break;
    help.push_back(word);
  }
  return help;
}

}  // namespace

const Group* find_group(const Commands& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Group::name);
  return found == all.end() ? nullptr : *found;
}

const Command* find_command(const Group& group, const std::vector<std::string>& words) {
  const Command& first = group.commands.front();
  if (first.name == group.name) return &first;
  if (words.size() < 2) return nullptr;
  const auto found = std::ranges::find(group.commands, words[0] + " " + words[1], &Command::name);
  return found == group.commands.end() ? nullptr : &*found;
}

base::Result<Call, std::string> read_call(const Commands& all,
                                          const std::vector<std::string>& words) {
  if (words.empty()) return base::Refusal{"svcctl: no command; " + overview(all)};
  if (find_group(all, "help") != nullptr) {
    if (const auto help = help_words(all, words)) return read_call(all, *help);
  }
  const Group* const group = find_group(all, words.front());
  if (group == nullptr) return unknown_group(all, words.front());
  const Command* const command = find_command(*group, words);
  if (command == nullptr) return unknown_command(*group, words);
  const std::ptrdiff_t own = command->name == group->name ? 1 : 2;
  auto arguments = Arguments::parse(command->syntax, {words.begin() + own, words.end()});
  if (!arguments) {
    return base::Refusal{"svcctl " + std::string(command->name) + ": " + arguments.error() + "\n" +
                         synopsis(*command) + "svcctl help " + std::string(command->name) +
                         " describes it\n"};
  }
  return Call{command, std::move(*arguments)};
}

int run(const Call& call, Context& context) {
  const std::string_view name = call.command->name;
  context.command = name;
  const auto needs_keys = call.command->needs_keys;
  if (needs_keys != nullptr && needs_keys(call.arguments) && !context.keys) {
    return refuse(name,
                  "the setting key-file is missing: it names the file of the keys that encrypt "
                  "secrets (is --config or SVC_CONFIG the right configuration file?)",
                  kRefused);
  }
  try {
    const Outcome outcome = call.command->run(call.arguments, context);
    std::cout << std::flush;
    if (!outcome) return refuse(name, printable(outcome.error(), 4096), kRefused);
    if (!std::cout && is_reader_gone(STDOUT_FILENO)) return kReaderGone;
    if (!std::cout)
      return refuse(name, "the command succeeded, but standard output cannot be written", kRefused);
    return *outcome;
  } catch (const base::Unreadable& unreadable) {
    std::cout << std::flush;
    return refuse(name, printable(unreadable.what(), 4096), kRefused);
  } catch (const base::Unavailable& outage) {
    std::cout << std::flush;
    return refuse(name, std::string("the store is unavailable: ") + printable(outage.what()),
                  kStoreAway);
  }
}

int run(const Commands& all, const std::vector<std::string>& words, Context& context) {
  const auto call = read_call(all, words);
  if (call) return run(*call, context);
  std::cerr << call.error();
  return kWrongCall;
}

int wrong_call(const Context& context, const std::string& why) {
  return refuse(context.command, printable(why), kWrongCall);
}

void record_event(const Context& context, const oauth::AuditEvent& event) {
  stores::Audit audit(context.store.redis);
  context.store.run(audit.record(event));
}

std::string who_is_this() {
  const uid_t id = getuid();
  const passwd* const user = getpwuid(id);
  std::string who = user == nullptr ? "user " + std::to_string(id) : std::string(user->pw_name);
  const char* const behind = id == 0 ? std::getenv("SUDO_USER") : nullptr;
  if (behind != nullptr && *behind != '\0') who += " for " + std::string(behind);
  return "by " + who + " with svcctl";
}

}  // namespace svc::ctl
