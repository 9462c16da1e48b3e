// lookup: reads a token or code and the standing of its holder from the stores
// in one round trip.
//
// A token contains its holder, so the standing can be read before the token is
// found. An absent token needs no round trip.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loop/attempt.h"
#include "loop/task.h"
#include "oauth/stores.h"
#include "oauth/token.h"

namespace svc::oauth {

// Return nullopt if `token` is nullopt. It outlives the task.
loop::Task<std::optional<AuthorizationCode>> find_code(Grants& grants,
                                                       const std::optional<Token>& token);
loop::Task<std::optional<Issued>> find_token(Grants& grants, const std::optional<Token>& token);
// Also returns nullopt if `token` contains no holder, or no contact: an application that acts for
// itself is known only by the record.
loop::Task<std::optional<Standing>> find_standing(Standings& standings,
                                                  const std::optional<Token>& token);

// Returns the resources that a client asks for, in a form of OwnResources; nullopt if one is
// unknown, or if there are more than kMostResources.
loop::Task<std::optional<Resources>> find_resources(const std::vector<std::string>& asked,
                                                    ResourceServers& servers,
                                                    const OwnResources& own);
// The description of that error.
inline constexpr std::string_view kUnknownResource =
    "resource must be one of this service, or one that a resource server registered";

// Returns the standing of the holder of a token that was found: `early`, or
// reads it now if `early` is nullopt. Throws the exception of `early`. `issued` outlives the task.
loop::Task<Standing> standing_of(Standings& standings, const Issued& issued,
                                 loop::Attempt<std::optional<Standing>>& early);

}  // namespace svc::oauth
