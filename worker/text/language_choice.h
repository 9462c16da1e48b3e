// language_choice: the language of a page, by the wishes of its reader.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::text {

inline constexpr std::size_t kMaxLanguageRanges = 30;  // later ones are ignored

// Returns the language ranges of an Accept-Language header (RFC 9110 §12.5.4), the most wanted
// first. Leaves out "*", which does not name a language, ranges of quality 0, and parts that are
// not ranges.
std::vector<std::string_view> accepted_languages(std::string_view header);

// Returns the index of the tag that the first of these ranges selects that selects one, by lookup
// (RFC 4647 §3.4): "de-AT" selects "de-AT", else "de". nullopt if none does.
std::optional<std::size_t> lookup_language(std::span<const std::string_view> ranges,
                                           std::span<const std::string> tags);

// Returns the first parts of `text` between spaces.
std::vector<std::string_view> languages_between_spaces(std::string_view text);

}  // namespace svc::text
