// import: `svcctl import`, JSON Lines into the catalog.
#pragma once

#include <optional>

#include "base/key_ring.h"
#include "base/password_hash.h"
#include "ctl/command.h"
#include "ctl/import/check.h"
#include "ctl/store.h"
#include "media/playlist.h"
#include "oauth/stores.h"

namespace svc::ctl {

const Group& import_commands();

// Returns the exit status: 0 all records are in the catalog, 1 lines were refused, 2 the file
// cannot be read, 3 the store is unavailable, 130 interrupted. With `cache`, deletes the cached
// renderings of changed media. `audit` and `cache` are on the loop of `store`. Refuses playlists of
// more than `max_playlist_medias` media.
int import(const Arguments& arguments, const Store& store, oauth::Audit& audit,
           const std::optional<base::KeyRing>& keys, redis::Store* cache = nullptr,
           std::size_t max_playlist_medias = media::kDefaultPlaylistMedias,
           const base::HashCost& password_cost = {});

}  // namespace svc::ctl
