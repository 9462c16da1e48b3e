// user_access: `svcctl user revoke`, `disable`, `enable` and `delete`: the access of a contact,
// and the grants that they gave.
#pragma once

#include <string>

#include "base/result.h"
#include "ctl/command.h"
#include "media/contact.h"

namespace svc::ctl {

struct FoundUser {
  media::Contact contact;  // only its id if it is not stored
  bool is_stored = false;
};

// The user of that email address or id. Also the id of a user who is not stored: grants and
// sessions of a deleted user may be left.
base::Result<FoundUser, std::string> find_user(const Context& context, const std::string& who);

Outcome revoke_user(const Arguments& arguments, Context& context);
Outcome disable_user(const Arguments& arguments, Context& context);
Outcome enable_user(const Arguments& arguments, Context& context);
Outcome delete_user(const Arguments& arguments, Context& context);

}  // namespace svc::ctl
