// if_absent: --if-absent of the commands that create something. An existing subject is not an error
// if it equals the subject that the command would create; otherwise the command refuses.
#pragma once

#include <string_view>

#include "ctl/arguments.h"

namespace svc::ctl {

inline constexpr std::string_view kIfAbsent = "--if-absent";
// The key of --json that tells whether the command made it.
inline constexpr std::string_view kCreated = "created";

inline Flag if_absent_flag() {
  return {.name = kIfAbsent, .help = "if it exists already, report it, and change nothing"};
}

}  // namespace svc::ctl
