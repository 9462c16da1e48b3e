// code_block: a text of a page for developers that its readers copy: HTML, a script, a component,
// lines for a shell, a program, a header or a response.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pages/template.h"

namespace svc::pages {

enum class CodeKind : std::uint8_t { Html, Script, Shell, Header, Json, React, Vue, Python };

// Returns the class of its element, by which tests find what to do with it: html, script, shell,
// header, json, react, vue or python.
std::string_view name_of(CodeKind kind);

// Returns a block with a button that copies it (assets/copy.js). `id` is unique on its page. The
// elements around comments, strings and words of the language only have a class: the text of the
// block is exactly `code`.
Html code_block(CodeKind kind, std::string_view id, std::string_view code);

}  // namespace svc::pages
