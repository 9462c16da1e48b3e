// identifier_path: names that a script may be handed, `a.b.c`, none of them a reserved word.
#pragma once

#include <string_view>

namespace svc::embed {

// ASCII identifiers ([A-Za-z_$][A-Za-z0-9_$]*) joined by dots, at most `max_length` characters in
// all, no segment an ECMAScript reserved word.
bool is_identifier_path(std::string_view text, std::size_t max_length);

// Whether a page's script may assign to that path without breaking the page or leading it
// elsewhere: `location`, `document`, `window.fetch` and other names that browsers and the language
// give are not for handles.
bool is_free_global(std::string_view path);

}  // namespace svc::embed
