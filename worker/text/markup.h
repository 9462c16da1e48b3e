// markup: text made safe for HTML attributes and for XML elements.
#pragma once

#include <string>
#include <string_view>

namespace svc::text {

// & < > " ' as entities: safe in a quoted attribute and between tags. Line feeds and tabs too, so
// that the text stays on one line; the other control characters, which HTML forbids even as
// entities, become U+FFFD.
void append_html_escaped(std::string& out, std::string_view text);
void append_html_escaped(std::string& out, char c);

// & < > as entities, and what XML 1.0 §2.2 forbids left out: control characters, U+FFFE, U+FFFF,
// and bytes that are not UTF-8.
void append_xml_escaped(std::string& out, std::string_view text);

}  // namespace svc::text
