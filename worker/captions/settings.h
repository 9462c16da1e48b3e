// settings: where WebVTT shows a cue (§4.4 of https://www.w3.org/TR/webvtt1/).
#pragma once

#include <string>
#include <string_view>

namespace svc::captions {

// Returns the settings vertical, line, position, size and align that are valid, each once, in this
// order, with one space between them: "line:0 align:start". Leaves out others. Empty: none.
std::string settings_of(std::string_view text);

// The key of a number pad for the place that captions have without settings.
inline constexpr int kMiddleAtTheBottom = 2;

// The places of ASS's override tag \an: the keys of a number pad. Returns an empty text for the
// middle at the bottom, which is WebVTT's place too, and for another number.
std::string settings_of_place(int key);

// Returns the key whose place is nearest to that of the settings: 2 or 8, or a key whose settings
// are the same. kMiddleAtTheBottom if they do not place the cue.
int place_of(std::string_view settings);

}  // namespace svc::captions
