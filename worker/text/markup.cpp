#include "text/markup.h"

#include <array>
#include <cstddef>

#include "text/ascii.h"
#include "text/utf8.h"

namespace svc::text {

namespace {

// The text that replaces a byte; "": the byte stays.
constexpr std::array<std::string_view, 256> make_html_escapes() {
  std::array<std::string_view, 256> table{};
  for (unsigned char c = 0; c < 0x80; ++c) {
    if (is_control(static_cast<char>(c))) table[c] = "\ufffd";
  }
  table['&'] = "&amp;";
  table['<'] = "&lt;";
  table['>'] = "&gt;";
  table['"'] = "&quot;";
  table['\''] = "&#39;";
  table['\n'] = "&#10;";
  table['\t'] = "&#9;";
  return table;
}
constexpr std::array<std::string_view, 256> kHtmlEscapes = make_html_escapes();

}  // namespace

void append_html_escaped(std::string& out, std::string_view text) {
  std::size_t plain = 0;  // start of the part that needs no escape
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view escape = kHtmlEscapes[static_cast<unsigned char>(text[i])];
    if (escape.empty()) continue;
    out.append(text, plain, i - plain).append(escape);
    plain = i + 1;
  }
  out.append(text, plain);
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
