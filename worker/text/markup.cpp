#include "text/markup.h"

#include "text/ascii.h"
#include "text/utf8.h"

namespace svc::text {

void append_html_escaped(std::string& out, char c) {
  switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    case '\n': out += "&#10;"; break;
    case '\t': out += "&#9;"; break;
    default:
      if (is_control(c)) {
        out += "\ufffd";
      } else {
        out += c;
      }
  }
}

void append_html_escaped(std::string& out, std::string_view text) {
  for (const char c : text) append_html_escaped(out, c);
}

void append_xml_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    text.remove_prefix(character.size());
    if (length == 0 || character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf") continue;
    if (length > 1) {
      out += character;
      continue;
    }
    const char c = character.front();
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '\r': out += "&#13;"; break;  // XML readers turn a bare CR into a line feed, §2.11.
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n') out += c;
    }
  }
}

}  // namespace svc::text
