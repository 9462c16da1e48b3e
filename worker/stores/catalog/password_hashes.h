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

// Replaces whatever is stored.
loop::Task<> store_password_hash(redis::Store& store, media::ContactId id, std::string hash);

// Moves the hash that the contact's record has under its key, unless that has one. Returns whether
// the record had one.
loop::Task<bool> move_password_hash(redis::Store& store, media::ContactId id);

// Whether a record has a hash, which is to be moved.
bool has_password_hash(std::string_view record);

}  // namespace svc::stores
