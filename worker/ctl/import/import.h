// import: `svcctl import FILE [--keep-going] [--reset-credentials]`, JSON Lines into the catalog.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/key_ring.h"
#include "ctl/import/check.h"
#include "ctl/store.h"
#include "oauth/stores.h"

namespace svc::ctl {

inline constexpr const char* kImportUsage =
    "svcctl import FILE [--keep-going] [--reset-credentials]\n"
    "  Reads accounts, users, projects, media, playlists and applications from FILE (JSON Lines,\n"
    "  - for standard input). Refused lines are listed with their numbers and reasons, and then\n"
    "  nothing is written, unless --keep-going is given: then the others are. Running it again\n"
    "  changes nothing. Existing users and applications keep their passwords and secrets, and\n"
    "  deleted applications stay deleted; lines that differ are listed. With --reset-credentials\n"
    "  the import overwrites them, even if the file has no password, and records it in the audit\n"
    "  trail. man svcctl, under CATALOG, says what the keys of a line are.\n";

// `arguments` are those behind the word import. Returns the exit status: 0 all is in the catalog, 1
// lines were refused, 2 the call was wrong, 3 the store is away, 130 interrupted. With `cache`, the
// renderings there of what changes are dropped. `audit` and `cache` are on the loop of `store`.
// A playlist of more than `max_playlist_medias` is refused.
int import(const std::vector<std::string>& arguments, const Store& store, oauth::Audit& audit,
           const std::optional<base::KeyRing>& keys, redis::Channel* cache = nullptr,
           std::size_t max_playlist_medias = ImportCheck::kMaxPlaylistMedias);

}  // namespace svc::ctl
