// media_recount: svcctl media recount, which repairs the bytes that accounts have stored.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

Command media_recount_command();

}  // namespace svc::ctl
