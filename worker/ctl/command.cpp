#include "ctl/command.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "base/unavailable.h"
#include "ctl/printable.h"
#include "redis/audit.h"

namespace svc::ctl {
namespace {

int refuse(const std::string& command, const std::string& why, int status) {
  std::cerr << "svcctl " << command << ": " << why << "\n";
  return status;
}

std::string names_of(const Group& group) {
  std::string names;
  for (const Command& command : group.commands)
    names += (names.empty() ? "" : ", ") + std::string(command.name);
  return names;
}

}  // namespace

std::string usage_of(std::string_view usage, std::string_view command) {
  const std::string opening = "svcctl " + std::string(command);
  std::string found;
  bool inside = false;
  for (std::string_view left = usage; !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(left.size(), line.size() + 1));
    if (line.starts_with("svcctl ")) inside = line == opening || line.starts_with(opening + " ");
    if (inside) found += std::string(line) + "\n";
  }
  return found.empty() ? std::string(usage) : found;
}

int run(const Group& group, const std::vector<std::string>& words, Context& context) {
  std::string name(group.name);
  std::string usage(group.usage);
  std::vector<std::string> rest = words;
  const Command* command = &group.commands.front();
  if (!command->name.empty()) {
    if (words.empty())
      return refuse(name, "one of " + names_of(group) + " is missing\n" + usage, kWrongCall);
    const auto found = std::ranges::find(group.commands, words.front(), &Command::name);
    if (found == group.commands.end()) {
      return refuse(
          name, printable(words.front()) + " is not known, only " + names_of(group) + "\n" + usage,
          kWrongCall);
    }
    command = &*found;
    name += " " + words.front();
    usage = usage_of(group.usage, name);
    rest.erase(rest.begin());
  }
  const auto arguments = Arguments::parse(command->syntax, rest);
  if (!arguments) return refuse(name, arguments.error() + "\n" + usage, kWrongCall);
  context.command = name;
  try {
    const Outcome outcome = command->run(*arguments, context);
    std::cout << std::flush;
    if (!outcome) return refuse(name, printable(outcome.error(), 4096), kRefused);
    if (!std::cout) return refuse(name, "standard output cannot be written", kRefused);
    return *outcome;
  } catch (const base::Unavailable& outage) {
    std::cout << std::flush;
    return refuse(name, std::string("the store is away: ") + printable(outage.what()), kStoreAway);
  }
}

int wrong_call(const Context& context, const std::string& why) {
  return refuse(context.command, printable(why), kWrongCall);
}

base::Result<const base::KeyRing*, std::string> keys_of(const Context& context) {
  if (!context.keys) {
    return base::Refusal{
        std::string("key-file is missing among the settings: the file of the keys that seal "
                    "secrets")};
  }
  return &*context.keys;
}

void record_event(const Context& context, const oauth::AuditEvent& event) {
  redis::Audit audit(context.store.channel);
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
