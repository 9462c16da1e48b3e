// command: what the commands of svcctl have in common: what they work with, how they refuse, what
// their exit status means.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "ctl/arguments.h"
#include "ctl/store.h"
#include "oauth/stores.h"
#include "redis/sessions.h"

namespace svc::ctl {

inline constexpr int kDone = 0;
inline constexpr int kRefused = 1;
inline constexpr int kWrongCall = 2;
inline constexpr int kStoreAway = 3;

struct Context {
  Store store;
  const std::optional<base::KeyRing>& keys;
  std::string key_file;
  std::string app_url;
  oauth::Lifetimes lifetimes;
  redis::SessionLifetimes sessions;
  base::Entropy& entropy;
  const base::WallClock& clock;
  std::string command{};  // "app create", for messages
  int input = 0;          // standard input, where passwords, tokens and confirmations come from
};

// Something that cannot be done, which ends the command with kRefused.
using Refusal = base::Refusal<std::string>;
// What a command does; the value is its exit status.
using Outcome = base::Result<int, std::string>;

struct Command {
  std::string_view name;  // "create"; empty for a group that is one command
  Syntax syntax;
  Outcome (*run)(const Arguments& arguments, Context& context);
};

// Commands that share their first word. `words` are those behind it.
struct Group {
  std::string_view name;
  std::string_view usage;
  std::vector<Command> commands;
};
int run(const Group& group, const std::vector<std::string>& words, Context& context);

// Of a usage, what is said of the command of that name ("app list"): its line and what stands
// further in below. The whole usage where it has no such command.
std::string usage_of(std::string_view usage, std::string_view command);

// Says it on standard error, for a call that cannot be understood; the exit status of that.
int wrong_call(const Context& context, const std::string& why);

// The keys, or a refusal that says which setting is missing.
base::Result<const base::KeyRing*, std::string> keys_of(const Context& context);

// Writes into the audit trail.
void record_event(const Context& context, const oauth::AuditEvent& event);

// Who runs this, for the audit trail.
std::string who_is_this();

}  // namespace svc::ctl
