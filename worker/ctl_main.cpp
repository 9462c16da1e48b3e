// svcctl: the one file that names every part of the program.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/nginx_site.h"
#include "app/options.h"
#include "app/program.h"
#include "app/service.h"
#include "app/version.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "base/log.h"
#include "ctl/command.h"
#include "ctl/commands/audit.h"
#include "ctl/commands/groups.h"
#include "ctl/help.h"
#include "ctl/import/import.h"
#include "ctl/pools/execution.h"
#include "ctl/pools/groups.h"
#include "ctl/printable.h"
#include "ctl/store.h"
#include "loop/loop.h"
#include "redis/store.h"
#include "stores/stores.h"
#include "text/printable_output.h"

namespace {

using namespace svc;

// The table of commands, in the order of the help.
const ctl::Commands& all_commands() {
  static const ctl::Commands kAll{
      &ctl::import_commands(),    &ctl::account_commands(),  &ctl::project_commands(),
      &ctl::media_commands(),     &ctl::captions_commands(), &ctl::catalog_commands(),
      &ctl::jobs_commands(),      &ctl::usage_commands(),    &ctl::stats_commands(),
      &ctl::demo_commands(),      &ctl::app_commands(),      &ctl::user_commands(),
      &ctl::token_commands(),     &ctl::audit_commands(),    &ctl::keys_commands(),
      &ctl::status_commands(),    &ctl::reload_commands(),   &ctl::nginx_commands(),
      &ctl::setup_commands(),     &ctl::doctor_commands(),   &ctl::backup_commands(),
      &ctl::restore_commands(),   &ctl::help_commands(),     &ctl::version_commands(),
      &ctl::completion_commands()};
  return kAll;
}

// Prints lines that may contain typed text.
int refuse(std::string_view why) {
  while (!why.empty()) {
    const std::string_view line = why.substr(0, why.find('\n'));
    std::cerr << ctl::printable(line, 4096) << "\n";
    why.remove_prefix(std::min(why.size(), line.size() + 1));
  }
  return ctl::kWrongCall;
}

// The configuration or a file that it names is wrong, or may not be read.
int refuse_configuration(const std::string& why) {
  const bool is_forbidden = why.find(std::strerror(EACCES)) != std::string::npos;
  return refuse(
      "svcctl: " + why +
      (is_forbidden ? "\nrun svcctl as a user who may read it, such as root: sudo svcctl" : ""));
}

// The command would take no notice of these settings.
int refuse_settings(const ctl::Command& command) {
  return refuse("svcctl " + std::string(command.name) +
                " takes no settings before it: it is about the installed service, with those of " +
                app::kInstalledConfig + " and " + app::kInstalledConfig + ".d");
}

// The settings that a command needs to find and open the store, or the pools.
constexpr std::array kToReachTheStore{"redis-state",
                                      "redis-catalog",
                                      "redis-catalog-wait-replicas",
                                      "redis-user",
                                      "redis-password-file",
                                      "sentinel-user",
                                      "sentinel-password-file",
                                      "redis-tls-ca-file",
                                      "redis-tls-cert-file",
                                      "redis-tls-key-file",
                                      "key-file"};
constexpr std::array kToReachThePools{"listen", "pid-file"};

// Returns whether the call is right although this line is wrong.
bool can_do_without(const app::WrongLine& line, const ctl::Call& call) {
  if (call.command->only_reads == nullptr || !call.command->only_reads(call.arguments))
    return false;
  const auto is_among = [&](const auto& names) {
    return std::ranges::any_of(line.settings, [&](const std::string& setting) {
      return std::ranges::find(names, setting) != names.end();
    });
  };
  return !is_among(kToReachThePools) &&
         (call.command->needs != ctl::Needs::Store || !is_among(kToReachTheStore));
}

int run(const ctl::Call& call, const app::CommandLine& line) {
  const app::Options& options = line.options;
  for (const app::WrongLine& wrong : line.wrong_lines) {
    if (!can_do_without(wrong, call)) return refuse_configuration(wrong.why);
  }
  for (const app::WrongLine& wrong : line.wrong_lines)
    refuse("svcctl: warning: " + wrong.why + "; this command ignores that line");
  app::StoreSecrets secrets;
  std::optional<base::KeyRing> keys;
  // An operator who reloads a pool may not have the secrets of the store.
  if (call.command->needs == ctl::Needs::Store) {
    // Its messages are for users and go to standard error by themselves.
    base::log::set_level(base::log::Level::Off);
    auto read_secrets = app::read_store_secrets(options);
    if (!read_secrets) return refuse_configuration(read_secrets.error());
    secrets = std::move(*read_secrets);
    auto read_keys = app::read_keys(options.key_file);
    if (!read_keys) return refuse_configuration(read_keys.error());
    keys = std::move(*read_keys);
  }
  const base::SteadyClock clock;
  loop::Loop loop(clock);
  // A batch may take as long as an fsync of the store takes.
  const auto unhurried = [](redis::ConnectionSettings settings) {
    settings.timeout = std::max(settings.timeout, std::chrono::milliseconds(10'000));
    return settings;
  };
  stores::Stores redis(unhurried(app::state_connection(options, secrets, "svcctl")),
                       unhurried(app::catalog_connection(options, secrets, "svcctl")), loop);
  // To drop renderings must not fail because the cache is slow.
  redis::ConnectionSettings patient = app::cache_connection(options, secrets, "svcctl");
  patient.timeout = options.redis_timeout;
  redis::Store cache(patient, loop);
  const bool is_cached = options.renderings.of_media || options.renderings.of_playlists;
  base::SystemEntropy entropy;
  const base::SystemClock time;
  ctl::Context context{.store = {loop, redis.catalog()},
                       .state = {loop, redis.state()},
                       .keys = keys,
                       .key_file = options.key_file,
                       .watch_key_file = options.watch_key_file,
                       .app_url = options.site.app_url,
                       .embed_host = options.site.embed_host,
                       .limits = options.limits,
                       .sessions = options.sessions,
                       .password_cost = options.password_cost,
                       .max_playlist_medias = options.max_playlist_medias,
                       .upload_dir = options.upload_dir,
                       .media_dir = options.media_dir,
                       .failed_upload_days = options.failed_upload_days,
                       .cache = is_cached ? &cache : nullptr,
                       .pools = {.listen = options.listen,
                                 .pid_file = options.pid_file,
                                 .config_file = line.config_file},
                       .entropy = entropy,
                       .clock = time,
                       .input = STDIN_FILENO,
                       .nginx_site =
                           [&](const ctl::NginxChoices& given) {
                             const app::SiteChoices choices{
                                 given.tls, given.media_domains, given.certificate, given.key,
                                 app::has_http2_directive(ctl::execute({"nginx", "-v"}).output)};
                             return ctl::NginxSite{app::nginx_site(options.site, choices),
                                                   app::names_of_site(options.site, choices),
                                                   app::warnings_of_site(options.site, choices)};
                           },
                       .commands = &all_commands(),
                       .settings = app::setting_names(),
                       .version = std::string(app::kVersion),
                       .changes = app::changes()};
  const int status = ctl::run(call, context);
  // Most often the file that names the store was forgotten.
  if (status == ctl::kStoreAway && call.command->needs == ctl::Needs::Store &&
      line.config_file.empty()) {
    std::cerr << "svcctl: no configuration file was read, so redis-state is "
              << options.redis_state.to_text()
              << "; name a file by --config FILE before the command, or by SVC_CONFIG\n";
  }
  return status;
}

// Checked before the command line is parsed, so that error messages are filtered too.
bool asks_for_json(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](std::string_view word) { return word == "--json"; });
}

}  // namespace

int main(int argc, char** argv) {
  // Every command's output passes its filter.
  const app::Protection protection(asks_for_json(argc, argv) ? text::Unprintable::JsonEscape
                                                             : text::Unprintable::QuestionMark);
  // Before the configuration is read, so that the help does not depend on it.
  const std::vector<std::string> words = app::command_words(argc, argv);
  const auto call = ctl::read_call(all_commands(), words);
  if (call && call->command->needs == ctl::Needs::Nothing) return run(*call, {});
  const bool is_installed = call && call->command->needs == ctl::Needs::Installation;
  if (is_installed && app::has_installed_settings(argc, argv)) return run(*call, {});
  if (!call && !words.empty()) return refuse(call.error());
  return app::run_program(
      {.program = app::Program::Ctl,
       .run =
           [&](const app::CommandLine& line) {
             if (is_installed) return refuse_settings(*call->command);
             return call ? run(*call, line) : refuse(call.error());
           },
       .check =
           [](const app::Options& options) { return app::check_files(app::Program::Ctl, options); },
       .refuse =
           [&](const std::string& why) {
             return is_installed ? refuse_settings(*call->command) : refuse_configuration(why);
           },
       .help = [] { return ctl::overview(all_commands()); }},
      argc, argv);
}
