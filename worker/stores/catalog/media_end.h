// media_end: what ends with a media, for all who delete one: the API, pages and svcctl, and
// svc-ingest after a swap or a failed upload.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "loop/task.h"
#include "media/media.h"
#include "redis/store.h"
#include "stores/catalog/commit.h"

namespace svc::stores {

// Deletes the record of a media in one commit with what kinds.h has of it, its statistics and its
// places in the lists of its account; nullopt: it is unknown. The record need not be readable,
// unless there is a `condition`, which it must meet. `also` adds to the commit, and gets nullptr if
// there is no readable record. Returns false if the condition is not met. May be repeated. Throws
// base::Unavailable.
using MediaCondition = std::function<bool(const media::Media&)>;
using MediaEndAlso = std::function<void(Commit&, const media::Media*)>;
loop::Task<bool> end_media(redis::Store& store, media::HashedId id,
                           std::optional<media::AccountId> account, MediaCondition condition = {},
                           MediaEndAlso also = {});

// Adds the same to a commit, which outlives the task. `text`: the record as it was read.
loop::Task<> end_media_in(redis::Store& store, Commit& commit, media::Media media,
                          std::string text);

}  // namespace svc::stores
