// codecs: the CODECS attribute (RFC 6381) of an fMP4 initialisation section.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::ingest {

// "avc1.PPCCLL" from the avcC box (ISO/IEC 14496-15 §5.3.3), then ",mp4a.40.2"
// if there is an mp4a track, which is AAC-LC as we encode it. Returns nullopt if
// the section lacks an avcC box.
std::optional<std::string> codecs_of(std::string_view initialisation);

}  // namespace svc::ingest
