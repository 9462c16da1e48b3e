// language_tag: names of languages, BCP 47.
#pragma once

#include <string_view>

namespace svc::text {

inline constexpr std::size_t kMaxLanguageTag = 64;  // bytes; RFC 5646 §4.4.1 asks for 35 or more

// Returns true if the text is a well-formed tag (RFC 5646 §2.1, langtag or
// privateuse), such as "en", "pt-BR", "zh-Hant-TW" or "x-mine", of at most
// kMaxLanguageTag bytes. Looks up no registry. Refuses irregular tags
// ("i-klingon"), which say nothing to a browser.
bool is_language_tag(std::string_view text);

}  // namespace svc::text
