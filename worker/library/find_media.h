// find_media: a media of the actor's account.
#pragma once

#include <optional>

#include "library/actor.h"
#include "loop/task.h"
#include "media/catalog.h"
#include "media/media.h"

namespace svc::library {

// Returns nullopt if the account of the actor has no such media. Throws Unavailable.
loop::Task<std::optional<media::Media>> find_media(media::Catalog& catalog, media::HashedId id,
                                                   const Actor& actor);

}  // namespace svc::library
