// signed_files: the addresses of guarded files, which nginx checks without a worker (oembed-W10):
//   /signed-files/<signature>/<key id>/<end>/<folder>/<number>[-<link>]/<name>
// Addresses in a playlist are relative to it, so they have the signature of the playlist.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/key_ring.h"

namespace svc::base {

struct SignedFolder {
  std::string_view name;    // below the folder of media
  std::int64_t number = 0;  // that of its marker
  std::int64_t end = 0;     // seconds since 1970
  std::int64_t link = 0;    // refused from the link's marker on; 0: for no link
};

// The path below the folder of signed files, by the first key, with a slash at the end. Throws
// Unavailable if OpenSSL fails.
std::string signed_path(const KeyRing& ring, const SignedFolder& folder);

// The id of each key, and nginx's secret for it (secure_link_md5).
std::vector<std::pair<std::string, std::string>> signing_secrets(const KeyRing& ring);

}  // namespace svc::base
