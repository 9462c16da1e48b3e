// sources: the documents of this tree that have what the pages for developers show, compiled into
// the program (reference_tables.h reads them).
#pragma once

#include <string_view>

namespace svc::pages {

std::string_view player_document();  // nginx/player/README.md
std::string_view player_types();     // nginx/player/src/player-v1.d.ts
std::string_view oembed_document();  // tests/contract/oembed.md
std::string_view request_limits();   // nginx/svc-limits-rates.conf
std::string_view request_sizes();    // nginx/svc-limits.conf
std::string_view upload_sizes();     // nginx/svc-upload-body.conf

}  // namespace svc::pages
