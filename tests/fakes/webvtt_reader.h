// webvtt_reader: the text of a WebVTT file as a browser shows it.
//
// The parts of the WebVTT specification that our files need: §6.1 (blocks), §6.4
// (text of a cue). Tags are read, and their text is shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::fakes {

struct ShownCue {
  std::string timing;  // the line with the arrow
  std::string text;    // without tags; lines are separated by "\n"
  std::string tags;    // in their order, such as "<i></i>"
};

// WebVTT §6.1. A line with an arrow begins a cue, also within another; an empty line ends it.
std::vector<ShownCue> shown_cues(std::string_view file);

}  // namespace svc::fakes
