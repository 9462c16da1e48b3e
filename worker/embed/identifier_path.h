// identifier_path: names that a script may be handed, `a.b.c`, none of them a reserved word.
#pragma once

#include <string_view>

namespace svc::embed {

// ASCII identifiers ([A-Za-z_$][A-Za-z0-9_$]*) joined by dots, at most `max_length` characters in
// all, no segment an ECMAScript reserved word.
bool is_identifier_path(std::string_view text, std::size_t max_length);

}  // namespace svc::embed
