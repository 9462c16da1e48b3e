// account_end: what ends with an account, beside its media, projects, applications and tokens,
// which end on their own (media_end.h, project_registry.h, client_registry.h, account_tokens.h).
//
// An account ends in steps, since it may have a million media: close_account(), the end of each of
// these, end_account(). From the first step on no record comes into it: a request that began before
// gets base::Unavailable. May be repeated after an interruption.
#pragma once

#include "loop/task.h"
#include "media/id.h"
#include "redis/store.h"

namespace svc::stores {

// Of base::Unavailable.
inline constexpr const char* kAccountEnds = "the account ends";

// All throw base::Unavailable. Only for svcctl: end_account() scans the whole catalog.
loop::Task<> close_account(redis::Store& store, media::AccountId id);
// Deletes the record, and what kinds.h has of an account.
loop::Task<> end_account(redis::Store& store, media::AccountId id);
// A new account gets an id, which another one may have had.
loop::Task<> open_account(redis::Store& store, media::AccountId id);

}  // namespace svc::stores
