// kinds: `svcctl catalog kinds`, every kind of record that the service stores in Redis.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

Outcome print_kinds(const Arguments& arguments, Context& context);

}  // namespace svc::ctl
