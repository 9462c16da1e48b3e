// manual: generates the commands section of the manual page, in the macros of
// man(7).
#pragma once

#include <string>

#include "ctl/command.h"

namespace svc::ctl {

std::string manual_of(const Commands& all);

}  // namespace svc::ctl
