// subrip: SubRip, which lacks a standard. Players know five tags of HTML, and override tags of ASS.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "captions/cue.h"

namespace svc::captions {

enum class References : std::uint8_t { Text, Decoded };

// Appends the text of a cue: i, b and u are kept, s, font and override tags are left out. The place
// of an override tag ("{\an8}") becomes the cue's settings. Any other text stays, such as that of
// "vector<int>".
void read_subrip_text(std::string_view text, References references, Cue& cue);

// Reads a file with "\n" at the ends of lines. Returns its cues in the order of the file. A cue
// begins with the line of its times, and a number on the line before it belongs to it. Times have
// hours or none, a comma or a point, and a minus; text after them is left out. A cue of which only
// the first time can be read is left out.
std::vector<Cue> read_subrip(std::string_view file);

// The cues are in_order(). Keeps b, i and u, and place_of() as an override tag. An arrow in a text
// becomes "->", and character references replace text that a player would take for markup.
std::string to_subrip(const std::vector<Cue>& cues);

}  // namespace svc::captions
