#include "app/program.h"

#include <sys/resource.h>

#include <iostream>

#include "app/store_secrets.h"
#include "app/version.h"
#include "base/log.h"
#include "base/standard_streams.h"

namespace svc::app {
Protection::Protection(text::Unprintable on_standard_output) : streams_(on_standard_output) {
  base::secure_standard_streams();
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

int refuse(Program program, int status, const std::string& why) {
  std::cerr << base::log::error_prefix() << name_of(program) << ": " << why << "\n";
  return status;
}

int run_program(const Frame& frame, int argc, const char* const* argv) {
  const auto refuse_configuration = [&](const std::string& why) {
    return frame.refuse ? frame.refuse(why) : refuse(frame.program, kBadConfiguration, why);
  };
  const auto check = [&](const Options& options) {
    return frame.check ? frame.check(options) : check_store_files(frame.program, options);
  };
  const auto line = read_command_line(frame.program, argc, argv);
  if (!line) return refuse_configuration(line.error());
  switch (line->action) {
    case Action::Help: std::cout << (frame.help ? frame.help() : line->printed); return 0;
    case Action::HelpSettings:
    case Action::PrintConfig: std::cout << line->printed; return 0;
    case Action::PrintRoutes: std::cout << frame.routes(); return 0;
    case Action::Version: std::cout << name_of(frame.program) << " " << kVersion << "\n"; return 0;
    case Action::CheckConfig:
      if (const std::string wrong = check(line->options); !wrong.empty())
        return refuse_configuration(wrong);
      std::cout << "the configuration is valid\n";
      return 0;
    case Action::CheckStores: {
      std::string wrong = check(line->options);
      if (wrong.empty()) wrong = check_stores(frame.program, line->options);
      if (!wrong.empty()) return refuse_configuration(wrong);
      std::cout << "each Redis answers\n";
      return 0;
    }
    case Action::Run: break;
  }
  return frame.run(*line);
}

}  // namespace svc::app
