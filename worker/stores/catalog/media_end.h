// end_media(): what ends with a media, for all who delete one: the API, pages and svcctl, and
// svc-ingest after a swap or a failed upload.
#pragma once

#include <optional>

#include "loop/task.h"
#include "media/id.h"
#include "redis/store.h"

namespace svc::stores {

// Deletes the record of a media, what kinds.h has of it, its statistics, and its places in the
// lists of its account; nullopt: it is unknown. Its files are the job of another (Uploads). May be
// repeated. Throws base::Unavailable.
loop::Task<> end_media(redis::Store& store, media::HashedId id,
                       std::optional<media::AccountId> account);

}  // namespace svc::stores
