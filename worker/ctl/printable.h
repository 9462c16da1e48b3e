// printable: text from elsewhere on its way to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace svc::ctl {

// Whatever a terminal would obey, or that would reorder what stands around it, becomes a question
// mark: controls, C1 controls, marks of direction, separators of lines, bytes that are not UTF-8.
// Longer text than `max_bytes` is cut, with " …" behind it.
std::string printable(std::string_view text, std::size_t max_bytes = 400);

}  // namespace svc::ctl
