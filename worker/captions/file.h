// file: a file of captions that a client sends, and the files that show its cues.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "captions/cue.h"

namespace svc::captions {

inline constexpr std::size_t kMaxFileBytes = 2 << 20;
inline constexpr std::size_t kMaxCues = 100'000;
inline constexpr std::size_t kMaxCueBytes = 8 << 10;  // per text, with about four for each tag

// Reads WebVTT if the file has its signature, otherwise SubRip, in UTF-8, or in UTF-16 or UTF-32
// with a byte order mark. Returns the cues in_order(), at least one, or the reason for the
// refusal, in words for the client. Takes time in proportion to the size.
base::Result<std::vector<Cue>, std::string> read_file(std::string_view bytes);

// Captions are stored as WebVTT, where some characters of a file take five bytes.
inline constexpr std::size_t kMaxWebVttBytes = 4 << 20;

// As read_file(), then to_webvtt(). Also refuses more than kMaxWebVttBytes.
base::Result<std::string, std::string> read_file_as_webvtt(std::string_view bytes);

// Returns the lines of the cues without markup, each with its end.
std::string to_plain_text(const std::vector<Cue>& cues);

}  // namespace svc::captions
