// user_access: `svcctl user revoke`, `disable`, `enable` and `delete`.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "ctl/command.h"
#include "media/contact.h"

namespace svc::ctl {

struct FoundUser {
  media::Contact contact;  // only the id if the user is not stored
  bool is_stored = false;
  bool is_readable = true;  // false: only the id, too
};

// For a user whose record cannot be read, and who is named by the id.
enum class Unreadable : std::uint8_t { Throws, IdOnly };

// Returns the user with this email address or id. Returns an id also if no user
// has it: grants and sessions of a deleted user may remain. Refuses an unknown
// email address.
base::Result<FoundUser, std::string> find_user(const Context& context, const std::string& who,
                                               Unreadable unreadable = Unreadable::Throws);

Outcome revoke_user(const Arguments& arguments, Context& context);
Outcome disable_user(const Arguments& arguments, Context& context);
Outcome enable_user(const Arguments& arguments, Context& context);
// Removes the second factor of a user.
Outcome reset_factors(const Arguments& arguments, Context& context);
Outcome delete_user(const Arguments& arguments, Context& context);

}  // namespace svc::ctl
