#include "ctl/printable.h"

#include <algorithm>

#include "text/characters.h"
#include "text/utf8.h"

namespace svc::ctl {
std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = text::utf8_length(text);
    if (out.size() + std::max<std::size_t>(length, 1) > max_bytes) return out + " …";
    if (length == 0 || text::is_obeyed(text.substr(0, length))) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace svc::ctl
