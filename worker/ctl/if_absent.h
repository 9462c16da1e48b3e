// if_absent: --if-absent of the commands that create something. A subject that is there already is
// no error if it is as the command would have made it; otherwise it is a refusal.
#pragma once

#include <string_view>

#include "ctl/arguments.h"

namespace svc::ctl {

inline constexpr std::string_view kIfAbsent = "--if-absent";
// The key of --json that tells whether the command made it.
inline constexpr std::string_view kCreated = "created";

inline Flag if_absent_flag() {
  return {.name = kIfAbsent, .help = "if it is there already, say so, and change nothing"};
}

}  // namespace svc::ctl
