// user_list: `svcctl user list` and `svcctl user show`.
#pragma once

#include <string>
#include <vector>

#include "ctl/command.h"
#include "media/contact.h"

namespace svc::ctl {

Outcome list_users(const Arguments& arguments, Context& context);
Outcome show_user(const Arguments& arguments, Context& context);
Outcome export_user(const Arguments& arguments, Context& context);

// Returns the memberships as texts: "41:owner".
std::vector<std::string> accounts_of(const std::vector<media::Membership>& memberships);

}  // namespace svc::ctl
