// import: `svcctl import FILE [--keep-going]`, JSON Lines into the catalog.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/key_ring.h"
#include "redis/connection.h"

namespace svc::ctl {

inline constexpr const char* kImportUsage =
    "svcctl import FILE [--keep-going]\n"
    "  Reads accounts, users, projects, media, playlists and applications from FILE (JSON Lines,\n"
    "  - for standard input). Refused lines are listed with their numbers and reasons, and then\n"
    "  nothing is written, unless --keep-going is given: then the others are. Running it again\n"
    "  changes nothing. man svcctl, under CATALOG, says what the keys of a line are.\n";

// `arguments` are those behind the word import. Returns the exit status: 0 all is in the catalog, 1
// lines were refused, 2 the call was wrong, 3 the store is away, 130 interrupted. With `cache`, the
// renderings there of what changes are dropped.
int import(const std::vector<std::string>& arguments, redis::Connection& store,
           const std::optional<base::KeyRing>& keys, redis::Connection* cache = nullptr);

}  // namespace svc::ctl
