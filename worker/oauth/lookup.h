// lookup: reads a token or code and the standing of its holder from the stores
// in one round trip.
//
// A token contains its holder, so the standing can be read before the token is
// found. An absent token needs no round trip.
#pragma once

#include <optional>

#include "loop/attempt.h"
#include "loop/task.h"
#include "oauth/stores.h"
#include "oauth/token.h"

namespace svc::oauth {

// Return nullopt if `token` is nullopt. It outlives the task.
loop::Task<std::optional<AuthorizationCode>> find_code(Grants& grants,
                                                       const std::optional<Token>& token);
loop::Task<std::optional<Issued>> find_token(Grants& grants, const std::optional<Token>& token);
// Also returns nullopt if `token` contains no holder.
loop::Task<std::optional<Standing>> find_standing(Standings& standings,
                                                  const std::optional<Token>& token);

// Returns the standing of the holder of a token that was found: `early`, or
// reads it now if `early` is nullopt. Throws the exception of `early`.
loop::Task<Standing> standing_of(Standings& standings, Holder holder,
                                 loop::Attempt<std::optional<Standing>>& early);

}  // namespace svc::oauth
