// nearest: guesses which name a mistyped word was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::text {

// Returns the name that `word` is probably a misspelling of: at most one edit
// per three letters (1 to 3 edits) away, or beginning with `word` if that has
// at least 3 letters. Returns "" if no name is close enough.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& names);
// Returns "; did you mean X?", or "" if no name is close enough.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace svc::text
