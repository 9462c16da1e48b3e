// import: `svcctl import`, JSON Lines into the catalog.
#pragma once

#include "ctl/command.h"
#include "oauth/stores.h"

namespace svc::ctl {

const Group& import_commands();

// Returns the exit status: 0 all records are in the catalog, 1 lines were refused, 2 the file
// cannot be read, 3 the store is unavailable, 130 interrupted. With a cache, deletes the cached
// renderings of changed media. `audit` is on the loop of the store. Refuses playlists of more than
// `max_playlist_medias` media.
int import(const Arguments& arguments, const Context& context, oauth::Audit& audit);

}  // namespace svc::ctl
