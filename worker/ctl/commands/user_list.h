// user_list: `svcctl user list` and `svcctl user show`.
#pragma once

#include "ctl/command.h"

namespace svc::ctl {

Outcome list_users(const Arguments& arguments, Context& context);
Outcome show_user(const Arguments& arguments, Context& context);

}  // namespace svc::ctl
