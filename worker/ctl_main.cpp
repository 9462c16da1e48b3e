// svcctl: the one file that names every part of the program.

#include <iostream>

#include "app/options.h"
#include "app/service.h"
#include "app/version.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/standard_streams.h"
#include "ctl/import.h"
#include "ctl/usage.h"
#include "redis/connection.h"

namespace {

using namespace svc;

constexpr int kWrongCall = 2;

int refuse(const std::string& why) {
  std::cerr << "svcctl: " << why << "\n";
  return kWrongCall;
}

std::string commands() { return std::string(ctl::kImportUsage) + ctl::kUsageUsage; }

int run(const app::CommandLine& line) {
  if (line.arguments.empty()) return refuse("a command is missing\n" + commands());
  const std::string& command = line.arguments.front();
  if (command != "import" && command != "usage")
    return refuse(command + " is not a command\n" + commands());

  const app::Options& options = line.options;
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
  redis::Connection store(settings, clock);
  const std::vector<std::string> arguments(line.arguments.begin() + 1, line.arguments.end());
  if (command == "usage") return ctl::usage(arguments, store);
  return ctl::import(arguments, store, *keys);
}

}  // namespace

int main(int argc, char** argv) {
  base::secure_standard_streams();
  const auto line = app::read_command_line(app::Program::Ctl, argc, argv);
  if (!line) return refuse(line.error());
  switch (line->action) {
    case app::Action::Help: std::cout << commands() << "\n" << line->printed; return 0;
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
