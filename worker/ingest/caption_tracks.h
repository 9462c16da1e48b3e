// caption_tracks: languages and labels of the subtitles of an upload.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/source.h"
#include "media/media.h"

namespace svc::ingest {

// Per video; the others are left out. Of media::kMaxCaptions, the rest is left to clients.
inline constexpr std::size_t kMaxConverted = 32;
static_assert(kMaxConverted < media::kMaxCaptions);

// Returns the tag of captions::Language if its primary language has two letters
// ("ger" and "deu" → "de", "pt-BR"), otherwise "und".
std::string language_of(std::string_view tag);

// One track per stream, at most kMaxConverted, with the URLs "captions-1.vtt",
// "captions-2.vtt", … The label is the title of the stream if
// media::media_from_record() accepts it as a label. Otherwise it is the
// language's own name, or "Captions", with "forced" or "SDH" if the stream is that. A number makes
// equal labels unique. A track is the default if its stream alone is marked: many files mark all.
std::vector<media::Captions> caption_tracks(const std::vector<TextStream>& streams);

}  // namespace svc::ingest
