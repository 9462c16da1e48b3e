// command: the description of a command of svcctl, from which its parser, its help, its page of the
// manual and its completion are made; what commands work with, how they refuse, and what their exit
// status means.
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
inline constexpr int kStoreAway = 3;  // or a pool
inline constexpr int kInterrupted = 130;

struct Context;

// Something that cannot be done, which ends the command with kRefused.
using Refusal = base::Refusal<std::string>;
// What a command does; the value is its exit status.
using Outcome = base::Result<int, std::string>;

// What has to be there before a command runs. Nothing: it runs even if the configuration is wrong.
// Pools: the configuration, but none of the secrets that it names. Store: these too.
enum class Needs { Nothing, Pools, Store };

struct Command {
  std::string_view name{};     // "app create"
  std::string_view summary{};  // "Register an application": one line, without a full stop
  Syntax syntax{};
  // Paragraphs, which the help wraps. One that begins with a space is printed line by line.
  std::vector<std::string_view> details{};
  Needs needs = Needs::Store;
  Outcome (*run)(const Arguments& arguments, Context& context) = nullptr;
};

// Where `svcctl help` lists a group.
enum class Section { Catalog, Access, Pools, Svcctl };

// The commands that share their first word.
struct Group {
  Section section = Section::Svcctl;
  std::string_view name{};      // "app"
  std::string_view subjects{};  // "Applications"; empty for a group that is one command, "import"
  std::vector<Command> commands{};
};
// In the order of the help.
using Commands = std::vector<const Group*>;

// What the configuration says of the pools.
struct PoolDefaults {
  std::string listen{};
  std::string pid_file{};
  std::string config_file{};            // empty if there is none
  std::string run_folder = "/run/svc";  // where the units have the sockets
};

struct Context {
  // Connects when it is used. Only commands with Needs::Store may use it, `keys` and `cache`: for
  // the others no secret is read.
  Store store;
  const std::optional<base::KeyRing>& keys;
  std::string key_file{};
  std::string app_url{};
  oauth::Lifetimes lifetimes{};
  redis::SessionLifetimes sessions{};
  std::size_t max_playlist_medias = 1'000;
  // redis-cache, on the loop of `store`; null if nothing about media and playlists is cached there.
  redis::Channel* cache = nullptr;
  PoolDefaults pools{};
  base::Entropy& entropy;
  const base::WallClock& clock;
  std::string command{};  // "app create", for messages
  int input = 0;          // standard input, where passwords, tokens and confirmations come from
  // Of this program, for its help and its completion; null in a test that needs neither.
  const Commands* commands = nullptr;
  std::vector<std::string> settings{};  // names of the settings, with their dashes
  std::string version{};
};

struct Call {
  const Command* command = nullptr;
  Arguments arguments;
};
// What the words that follow svcctl and its settings call. With --help among them, it is the help
// of their command. The error is all that standard error gets.
base::Result<Call, std::string> read_call(const Commands& all,
                                          const std::vector<std::string>& words);

// Runs the call, prints what it refuses or that the store does not answer, and returns the exit
// status.
int run(const Call& call, Context& context);
// The same with words; also prints what is wrong with them.
int run(const Commands& all, const std::vector<std::string>& words, Context& context);

// Null if there is none. `words` begin with the words of the command's name.
const Group* find_group(const Commands& all, std::string_view name);
const Command* find_command(const Group& group, const std::vector<std::string>& words);

// Reports a wrong call on standard error; returns kWrongCall.
int wrong_call(const Context& context, const std::string& why);

// The keys, or a refusal that says which setting is missing.
base::Result<const base::KeyRing*, std::string> keys_of(const Context& context);

// Writes into the audit trail.
void record_event(const Context& context, const oauth::AuditEvent& event);

// Who runs this, for the audit trail.
std::string who_is_this();

}  // namespace svc::ctl
