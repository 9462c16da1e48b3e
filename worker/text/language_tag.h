// language_tag: names of languages, BCP 47.
#pragma once

#include <string_view>

namespace svc::text {

inline constexpr std::size_t kMaxLanguageTag = 64;  // bytes; RFC 5646 §4.4.1 asks for 35 or more

// Returns true if the text is a well-formed tag (RFC 5646 §2.1, langtag), such
// as "en", "pt-BR" or "zh-Hant-TW", of at most kMaxLanguageTag bytes. Looks up
// no registry. Refuses tags for private use only ("x-…") and irregular ones
// ("i-klingon"), which say nothing to a browser.
bool is_language_tag(std::string_view text);

}  // namespace svc::text
