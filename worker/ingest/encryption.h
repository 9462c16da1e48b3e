// encryption: whether an upload is encrypted, by its headers.
//
// ffmpeg decodes encrypted streams as if they were not: the result is grey or silent. In MP4 and
// Matroska it names the codec below the encryption, so its output does not tell. The streams of
// MPEG-TS with types of their own (SAMPLE-AES) are in its output: read_source() finds those.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::ingest {

inline constexpr const char* kEncrypted =
    "The file is encrypted. Upload a copy without copy protection.";

// Returns true if a stream of pictures or sound in these bytes of the file is encrypted: MP4
// (Common Encryption, FairPlay, Audible), Matroska, ASF, MPEG-TS and MPEG-PS (scrambled). Returns
// false for other files, and for headers that are cut off. `head` is the first kSniffedBytes of the
// slice. Reads a bounded number of bytes.
bool is_encrypted(const std::string& path, std::uint64_t offset, std::uint64_t length,
                  std::string_view head);

}  // namespace svc::ingest
