// lookup: what a request says about a token, code or its holder, asked of the stores in one trip.
//
// A token names its holder, so that the standing of the holder can be asked for before the token is
// found. What is not there, or is not named, costs no trip.
#pragma once

#include <optional>

#include "loop/attempt.h"
#include "loop/task.h"
#include "oauth/stores.h"
#include "oauth/token.h"

namespace svc::oauth {

// Return nothing if `token` is nothing. It outlives the task.
loop::Task<std::optional<AuthorizationCode>> find_code(Grants& grants,
                                                       const std::optional<Token>& token);
loop::Task<std::optional<Issued>> find_token(Grants& grants, const std::optional<Token>& token);
// Returns nothing if `token` names no holder either.
loop::Task<std::optional<Standing>> find_standing(Standings& standings,
                                                  const std::optional<Token>& token);

// The standing of the holder of a token that was found: `early`, or asked for now if it is nothing.
loop::Task<Standing> standing_of(Standings& standings, Holder holder,
                                 loop::Attempt<std::optional<Standing>>& early);

}  // namespace svc::oauth
