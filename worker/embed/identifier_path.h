// identifier_path: validates names that scripts use, such as `a.b.c`.
#pragma once

#include <cstddef>
#include <string_view>

namespace svc::embed {

// Returns true for ASCII identifiers ([A-Za-z_$][A-Za-z0-9_$]*) joined by dots,
// at most `max_length` characters in total, without ECMAScript reserved words.
bool is_identifier_path(std::string_view text, std::size_t max_length);

// oembed-O3: returns true if a page's script may assign to that identifier path
// without breaking the page or navigating away: no segment is a name that every
// object inherits (`__proto__`, `constructor`) or `prototype`, and the first
// segment is not a name of the browser or the language (`location`, `document`,
// `window`).
bool is_free_global(std::string_view path);

}  // namespace svc::embed
