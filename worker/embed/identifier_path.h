// identifier_path: names that a script may be handed, `a.b.c`, none of them a reserved word.
#pragma once

#include <cstddef>
#include <string_view>

namespace svc::embed {

// ASCII identifiers ([A-Za-z_$][A-Za-z0-9_$]*) joined by dots, at most `max_length` characters in
// all, no segment an ECMAScript reserved word.
bool is_identifier_path(std::string_view text, std::size_t max_length);

// O3: returns true if a page's script may assign to that identifier path without breaking the page
// or leading it elsewhere: no segment is a name that every object inherits (`__proto__`,
// `constructor`) or `prototype`, and the first one is not a name of the browser's or the language's
// (`location`, `document`). `window` is one of them.
bool is_free_global(std::string_view path);

}  // namespace svc::embed
