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

// Ends a user with all that belongs to it. `detail` of the event, which is recorded first. The list
// of the user's grants may be incomplete: Everywhere looks through the whole store.
enum class GrantsOf : std::uint8_t { List, Everywhere };
void end_user(Context& context, const FoundUser& user, const std::string& detail, GrantsOf of);

}  // namespace svc::ctl
