// printable: makes untrusted text safe to print on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace svc::ctl {

// Replaces invalid UTF-8 bytes and the characters of text::is_obeyed(), such as
// controls, line separators and direction marks, by question marks. Text longer
// than `max_bytes` is cut, and " …" is appended.
std::string printable(std::string_view text, std::size_t max_bytes = 400);

}  // namespace svc::ctl
