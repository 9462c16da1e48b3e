// markup: escapes text for HTML attributes and XML elements.
#pragma once

#include <string>
#include <string_view>

namespace svc::text {

// Escapes & < > " ', so that the text is safe in a quoted attribute and between
// tags. Also escapes line feeds and tabs, so that it stays on one line.
// Replaces other control characters, which HTML forbids even when escaped, by
// U+FFFD. Copies bytes that are not UTF-8.
void append_html_escaped(std::string& out, std::string_view text);

// Escapes & < > and carriage returns. Omits what XML 1.0 §2.2 forbids: other
// control characters, U+FFFE, U+FFFF, and bytes that are not UTF-8.
void append_xml_escaped(std::string& out, std::string_view text);

}  // namespace svc::text
