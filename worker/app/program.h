// program: the frame of the programs: what their main() have in common. It links no part of a pool.
//
//   int main(int argc, char** argv) {
//     const app::Protection protection;
//     return app::run_program({.program = …, .run = …}, argc, argv);
//   }
#pragma once

#include <functional>
#include <string>

#include "app/options.h"
#include "text/printable_output.h"

namespace svc::app {

// Exit statuses.
inline constexpr int kCannotStart = 1;
inline constexpr int kBadConfiguration = 2;

// Protects a process before it reads anything: its standard streams are open and print no control
// characters, and no core file contains keys, tokens and passwords. Messages quote the command line
// and the configuration; the log escapes on its own.
class Protection {
 public:
  explicit Protection(text::Unprintable on_standard_output = text::Unprintable::QuestionMark);

 private:
  text::PrintableStreams streams_;
};

struct Frame {
  Program program = Program::Worker;
  std::function<int(const CommandLine&)> run{};
  // Returns why a configuration cannot be used; "" if it can.
  std::function<std::string(const Options&)> check{};  // default: check_store_files()
  // Prints why the command line or the configuration is wrong; returns the exit status.
  std::function<int(const std::string& why)> refuse{};  // default: app::refuse()
  std::function<std::string()> help{};                  // default: that of the settings
  std::function<std::string()> routes{};  // as JSON; only svc-worker has --print-routes
};

// Executes an option such as --help or --check-config, or else calls `run`. Returns the
// exit status.
int run_program(const Frame& frame, int argc, const char* const* argv);

// Prints "svc-worker: <why>" on standard error; returns `status`.
int refuse(Program program, int status, const std::string& why);

}  // namespace svc::app
