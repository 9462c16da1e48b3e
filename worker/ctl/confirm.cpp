#include "ctl/confirm.h"

#include <iostream>

#include "ctl/printable.h"
#include "ctl/terminal.h"

namespace svc::ctl {
namespace {

bool is_typed(const Context& context, const Ending& ending) {
  std::cerr << "Type " << printable(ending.typed) << " to " << ending.to_do << ": " << std::flush;
  const auto typed = read_line(context.input);
  return typed && *typed == ending.typed;
}

}  // namespace

Outcome end_if_confirmed(const Arguments& arguments, const Context& context, Report report,
                         const Ending& ending, const std::function<bool()>& work) {
  bool yes = arguments.has("--yes");
  const bool asks = !yes && is_terminal(context.input);
  // With --json, standard output contains only the object. An operator who is
  // asked must see the report first, so it is printed on standard error.
  if (!arguments.json() || asks) {
    std::ostream& out = arguments.json() ? std::cerr : std::cout;
    out << (yes ? ending.ends : ending.would_end) << ":\n";
    report.print(out, false);
    out << std::flush;
  }
  yes = yes || (asks && is_typed(context, ending));
  if (yes && !work()) return Refusal{printable(ending.typed) + " was deleted in the meantime"};
  if (arguments.json()) {
    report.boolean(ending.done, yes).print(std::cout, true);
  } else if (yes) {
    std::cout << ending.done << "\n";
  }
  if (yes) return kDone;
  if (asks) {
    return Refusal{"nothing was " + std::string(ending.done) + ": " + printable(ending.typed) +
                   " was not typed"};
  }
  return Refusal{"nothing was " + std::string(ending.done) + ": --yes is missing"};
}

}  // namespace svc::ctl
