// The hash of a contact's password, under a key that only the web pool and svcctl may read. Earlier
// versions stored it in the contact's record, which the grant pool reads.
#pragma once

#include <string>
#include <string_view>

#include "loop/task.h"
#include "media/id.h"
#include "redis/store.h"

namespace svc::stores {

// All throw base::Unavailable.

// Replaces whatever is stored; "": the contact has no password.
loop::Task<> store_password_hash(redis::Store& store, media::ContactId id, std::string hash);
loop::Task<> forget_password_hash(redis::Store& store, media::ContactId id);

// Moves the hash that the contact's record has under its key, unless that has one. Returns whether
// the record had one. After any interruption one of the two has it.
loop::Task<bool> move_password_hash(redis::Store& store, media::ContactId id);

// Whether a record has a hash, which is to be moved.
bool has_password_hash(std::string_view record);

}  // namespace svc::stores
