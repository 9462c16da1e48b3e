// confirm: commands that end something print what ends first, and ask at a
// terminal; without a terminal they require --yes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ctl/command.h"
#include "ctl/report.h"

namespace svc::ctl {

struct Ending {
  std::string typed;       // the text that confirms at a terminal
  std::string_view to_do;  // "delete it", in the prompt
  std::string_view done;   // "deleted": the last line, and the key of --json
  // The line before the report: with --yes, and without.
  std::string_view ends = "ends with it";
  std::string_view would_end = "would end with it";
};

// The flag of every command that calls end_if_confirmed().
inline Flag yes_flag() { return {.name = "--yes", .help = "do not ask"}; }

// Prints `report`, what ends, and asks. Calls work() if --yes is given or the operator at the
// terminal typed Ending::typed. Refuses otherwise, without a change. work() returns false if its
// subject was deleted in the meantime, which is a refusal, too. Returns kDone after work().
//
// With --json the report is one object, printed after work(), with Ending::done
// as its last key.
Outcome end_if_confirmed(const Arguments& arguments, const Context& context, Report report,
                         const Ending& ending, const std::function<bool()>& work);

}  // namespace svc::ctl
