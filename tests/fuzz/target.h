// target: the parsers that are fuzzed, by name.
//
// A target parses any bytes and checks invariants of the result. With
// SVC_FUZZ each is a libFuzzer program; otherwise replay_main.cpp runs all over
// their corpus.
#pragma once

#include <string_view>
#include <vector>

namespace svc::fuzz {

using Run = void (*)(std::string_view input);

struct Target {
  std::string_view name;  // also of its folder in corpus/
  Run run;
};

// The registered targets of this program, in no particular order.
std::vector<Target>& targets();

// Registers a target while the program starts.
struct Registered {
  Registered(std::string_view name, Run run) { targets().push_back({name, run}); }
};

// Ends the process with a message if the invariant does not hold.
void require(bool holds, std::string_view invariant);

// Removes and returns the text up to the next newline, without it, or the rest
// of a text without a newline.
std::string_view take_line(std::string_view& text);

}  // namespace svc::fuzz
