// webvtt: WebVTT (https://www.w3.org/TR/webvtt1/).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "captions/cue.h"

namespace svc::captions {

// Appends the text of a cue. The elements of `Tag` are kept, also in upper case, and tags of times
// are left out. Any other text stays, also that of other tags. Decodes character references.
void read_webvtt_text(std::string_view text, std::vector<Part>& parts);

// Returns true if the file, with "\n" at the ends of lines, has the signature (§4.1).
bool is_webvtt(std::string_view file);

// §6.1: returns the cues of a file with the signature in the order of the file. Leaves out other
// blocks, and cues whose times cannot be read.
std::vector<Cue> read_webvtt(std::string_view file);

// The cues are in_order(). Returns an empty text for an empty list.
std::string to_webvtt(const std::vector<Cue>& cues);

}  // namespace svc::captions
