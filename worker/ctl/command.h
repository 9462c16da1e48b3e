// command: the description of an svcctl command, from which its parser, help,
// manual page and completion are generated; the context of a command, its
// refusals and exit statuses.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/key_ring.h"
#include "base/password_hash.h"
#include "ctl/arguments.h"
#include "ctl/store.h"
#include "media/playlist.h"
#include "oauth/stores.h"
#include "stores/access/sessions.h"

namespace svc::ctl {

inline constexpr int kDone = 0;
inline constexpr int kRefused = 1;
inline constexpr int kWrongCall = 2;
inline constexpr int kStoreAway = 3;  // the store or a pool is unavailable
inline constexpr int kInterrupted = 130;
inline constexpr int kReaderGone = 141;  // as a shell shows a program that SIGPIPE ended

struct Context;

// The reason why a command failed; it exits with kRefused.
using Refusal = base::Refusal<std::string>;
// The result of a command: its exit status or a Refusal.
using Outcome = base::Result<int, std::string>;

// The requirements of a command. Nothing: it runs even if the configuration is
// invalid. Installation: it is about the installed service, so it rejects other settings. Pools: a
// valid configuration; no secret is read. Store: a
// valid configuration and the secrets that it names.
enum class Needs { Nothing, Installation, Pools, Store };

struct Command {
  std::string_view name{};     // "app create"
  std::string_view summary{};  // "Register an application"
  Syntax syntax{};
  // Paragraphs, which the help wraps. A paragraph that begins with a space is
  // printed line by line.
  std::vector<std::string_view> details{};
  Needs needs = Needs::Store;
  // Whether this call uses Context::keys: it is refused if the setting key-file is missing. Null:
  // no call does.
  bool (*needs_keys)(const Arguments& arguments) = nullptr;
  // Whether this call changes nothing, so that it runs although a line of the
  // configuration is wrong. Null: no call does.
  bool (*only_reads)(const Arguments& arguments) = nullptr;
  Outcome (*run)(const Arguments& arguments, Context& context) = nullptr;
};

// For Command::only_reads and needs_keys.
inline bool always(const Arguments&) { return true; }

// The heading under which `svcctl help` lists a group.
enum class Section { Catalog, Access, Pools };

// The commands that share their first word.
struct Group {
  Section section = Section::Pools;
  std::string_view name{};      // "app"
  std::string_view subjects{};  // "Applications"; empty for a single command
  std::vector<Command> commands{};
};
// In the order of the help.
using Commands = std::vector<const Group*>;

// The configuration of the pools.
struct PoolDefaults {
  std::string listen{};
  std::string pid_file{};
  std::string config_file{};            // empty if no file is used
  std::string run_folder = "/run/svc";  // folder of the sockets
};

struct NginxChoices {
  bool tls = false;
  bool media_domains = false;
  std::string certificate{};
  std::string key{};
};

struct NginxSite {
  std::string text;
  std::vector<std::string> names;
  std::vector<std::string> warnings;  // a line each
};

struct Context {
  // Connect on first use: redis-catalog, and redis-state for grants, tokens and sessions; both may
  // be one. Only commands with Needs::Store may use them, `keys` and `cache`: no secret is read for
  // the others.
  Store store;
  Store state;
  // nullopt: the setting key-file is missing, and this call does not need it.
  const std::optional<base::KeyRing>& keys;
  std::string key_file{};
  std::string watch_key_file{};
  std::string app_url{};
  std::string embed_host{};
  const oauth::Limits& limits;
  stores::SessionLifetimes sessions{};
  base::HashCost password_cost{};
  std::size_t max_playlist_medias = media::kDefaultPlaylistMedias;
  std::string upload_dir{};
  std::string media_dir{};
  int failed_upload_days = 0;
  // The connection to redis-cache, on their loop. Null if no media or
  // playlist responses are cached there.
  redis::Store* cache = nullptr;
  PoolDefaults pools{};
  base::Entropy& entropy;
  const base::WallClock& clock;
  std::string command{};  // "app create", for messages
  int input = 0;          // standard input: passwords, tokens, answers
  std::function<NginxSite(const NginxChoices&)> nginx_site{};
  // All commands, for help and completion; null in tests that need neither.
  const Commands* commands = nullptr;
  std::vector<std::string> settings{};  // names with their dashes
  std::string version{};
  std::string_view changes{};  // the changes of each version
};

struct Call {
  const Command* command = nullptr;
  Arguments arguments;
};
// Parses the words after svcctl's settings. If they contain --help, returns the
// call of `svcctl help` for their command. The error is the complete text for
// standard error.
base::Result<Call, std::string> read_call(const Commands& all,
                                          const std::vector<std::string>& words);

// Runs the call and returns its exit status. Prints a refusal, or that the
// store is unavailable, on standard error.
int run(const Call& call, Context& context);
// Parses `words` first; prints a parse error and returns kWrongCall.
int run(const Commands& all, const std::vector<std::string>& words, Context& context);

// Return null if not found. `words` begin with the name of the command.
const Group* find_group(const Commands& all, std::string_view name);
const Command* find_command(const Group& group, const std::vector<std::string>& words);

// Prints `why` on standard error; returns kWrongCall.
int wrong_call(const Context& context, const std::string& why);

// Writes `event` to the audit trail.
void record_event(const Context& context, const oauth::AuditEvent& event);

// Returns the operator, for the audit trail: "by root for alice with svcctl".
// The name after "for" is SUDO_USER.
std::string who_is_this();

}  // namespace svc::ctl
