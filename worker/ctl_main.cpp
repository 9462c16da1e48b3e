// svcctl: the one file that names every part of the program.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "app/service.h"
#include "app/version.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "base/log.h"
#include "base/standard_streams.h"
#include "ctl/app.h"
#include "ctl/audit.h"
#include "ctl/command.h"
#include "ctl/import/import.h"
#include "ctl/keys.h"
#include "ctl/pools/pools.h"
#include "ctl/pools/reload.h"
#include "ctl/pools/status.h"
#include "ctl/printable.h"
#include "ctl/store.h"
#include "ctl/token.h"
#include "ctl/usage.h"
#include "ctl/user.h"
#include "loop/loop.h"
#include "redis/audit.h"
#include "redis/channel.h"
#include "text/printable_output.h"

namespace {

using namespace svc;

int refuse(const std::string& why) {
  std::cerr << "svcctl: ";
  // What was typed may be among it, in any line.
  std::size_t begin = 0, end = 0;
  do {
    end = std::min(why.find('\n', begin), why.size());
    std::cerr << ctl::printable(std::string_view(why).substr(begin, end - begin), 4096) << "\n";
    begin = end + 1;
  } while (end < why.size());
  return ctl::kWrongCall;
}

std::vector<const ctl::Group*> groups() {
  return {&ctl::app_commands(), &ctl::user_commands(), &ctl::token_commands(),
          &ctl::keys_commands(), &ctl::audit_commands()};
}

std::string commands() {
  std::string text = std::string(ctl::kImportUsage) + ctl::kUsageUsage;
  for (const ctl::Group* group : groups()) text += group->usage;
  return text + ctl::kReloadUsage + ctl::kStatusUsage + ctl::kPoolsUsage;
}

// What a call without a command, or with an unknown one, ends with: short, so that what was wrong
// stays in sight.
std::string names() {
  std::string text = "commands: import, usage";
  for (const ctl::Group* group : groups()) text += ", " + std::string(group->name);
  return text + ", reload, status, top\nsvcctl --help tells more";
}

// Nothing for a word that is no command. Of a group, what is said of the command behind it.
std::optional<std::string> usage_of(const std::vector<std::string>& words) {
  const std::string& command = words.front();
  if (command == "import") return ctl::kImportUsage;
  if (command == "usage") return ctl::kUsageUsage;
  if (command == "reload") return std::string(ctl::kReloadUsage) + ctl::kPoolsUsage;
  if (command == "status" || command == "top")
    return ctl::usage_of(ctl::kStatusUsage, command) + ctl::kPoolsUsage;
  for (const ctl::Group* group : groups()) {
    if (group->name != command) continue;
    return words.size() < 2 ? std::string(group->usage)
                            : ctl::usage_of(group->usage, command + " " + words[1]);
  }
  return std::nullopt;
}

bool is_about_pools(const app::CommandLine& line) {
  const std::vector<std::string> commands{"reload", "status", "top"};
  return !line.arguments.empty() &&
         std::ranges::find(commands, line.arguments.front()) != commands.end();
}

int run_command(const app::CommandLine& line) {
  if (line.arguments.empty()) return refuse("a command is missing\n" + names());
  const std::string& command = line.arguments.front();
  const auto usage = usage_of(line.arguments);
  if (!usage) return refuse(ctl::printable(command) + " is not a command\n" + names());
  const std::vector<std::string> words(line.arguments.begin() + 1, line.arguments.end());
  if (std::ranges::any_of(words, [](const auto& w) { return w == "--help" || w == "-h"; })) {
    std::cout << *usage;
    return ctl::kDone;
  }
  const app::Options& options = line.options;
  // Without the store, and so without its secrets, which whoever reloads a pool may not have.
  const ctl::PoolDefaults pool{options.listen, options.pid_file, line.config_file};
  if (is_about_pools(line)) {
    if (command == "reload") return ctl::reload(words, pool);
    return command == "status" ? ctl::status(words, pool) : ctl::top(words, pool);
  }

  // Its messages are for people and go to standard error by themselves.
  base::log::set_level(base::log::Level::Off);
  const auto password = app::read_redis_password(options);
  if (!password) return refuse(password.error());
  const auto keys = app::read_keys(options);
  if (!keys) return refuse(keys.error());
  const base::SteadyClock clock;
  // A batch may take as long as an fsync of the store takes.
  redis::ConnectionSettings settings = app::state_connection(options, *password, "svcctl");
  settings.timeout = std::max(settings.timeout, std::chrono::milliseconds(10'000));
  loop::Loop loop(clock);
  redis::Channel state(settings, loop);
  const ctl::Store store{loop, state};
  if (command == "usage") return ctl::usage(words, store);
  // To drop renderings must not fail because the cache is slow.
  redis::ConnectionSettings patient = app::cache_connection(options, *password, "svcctl");
  patient.timeout = options.redis_timeout;
  redis::Channel cache(patient, loop);
  if (command == "import") {
    redis::Channel trail(settings, loop);
    redis::Audit audit(trail);
    return ctl::import(words, store, audit, *keys, options.renderings.of_media ? &cache : nullptr,
                       options.max_playlist_medias);
  }
  base::SystemEntropy entropy;
  const base::SystemClock time;
  ctl::Context context{.store = store,
                       .keys = *keys,
                       .key_file = options.key_file,
                       .app_url = options.site.app_url,
                       .lifetimes = options.lifetimes,
                       .sessions = options.sessions,
                       .entropy = entropy,
                       .clock = time,
                       .input = STDIN_FILENO};
  const auto all = groups();
  const auto group = std::ranges::find(all, command, &ctl::Group::name);
  return ctl::run(**group, words, context);
}

// Where the store is not where it was looked for, most often the file that says so was forgotten.
int run(const app::CommandLine& line) {
  const int status = run_command(line);
  if (status == ctl::kStoreAway && line.config_file.empty() && !is_about_pools(line)) {
    std::cerr << "svcctl: no configuration file was named, so redis-state is "
              << line.options.redis_state.to_text()
              << "; --config FILE before the command names one\n";
  }
  return status;
}

// Checked before the command line is parsed, so that error messages are filtered too.
bool asks_for_json(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](std::string_view word) { return word == "--json"; });
}

}  // namespace

int main(int argc, char** argv) {
  base::secure_standard_streams();
  // Every command's output passes this filter.
  const text::PrintableStreams streams(asks_for_json(argc, argv) ? text::Unprintable::JsonEscape
                                                                 : text::Unprintable::QuestionMark);
  // It holds secrets: none of them into a file when it crashes.
  const rlimit nothing{0, 0};
  setrlimit(RLIMIT_CORE, &nothing);
  const auto line = app::read_command_line(app::Program::Ctl, argc, argv);
  if (!line) return refuse(line.error());
  switch (line->action) {
    case app::Action::Help:
      std::cout << "usage: svcctl [--config FILE] [--SETTING VALUE]... COMMAND ...\n\n"
                << commands() << "\n"
                << line->printed;
      return 0;
    case app::Action::PrintConfig: std::cout << line->printed; return 0;
    case app::Action::Version: std::cout << "svcctl " << app::kVersion << "\n"; return 0;
    case app::Action::CheckConfig:
      if (const std::string wrong = app::check_files(line->options); !wrong.empty())
        return refuse(wrong);
      std::cout << "the configuration is right\n";
      return 0;
    case app::Action::Run: break;
  }
  return run(*line);
}
