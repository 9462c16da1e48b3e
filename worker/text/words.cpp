#include "text/words.h"

#include <algorithm>
#include <cstddef>

namespace svc::text {

std::string filled(std::string_view text,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
  std::string out;
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{')) {
    out += text.substr(0, at);
    text.remove_prefix(at);
    const std::size_t end = text.find('}');
    const std::string_view name = text.substr(1, end == std::string_view::npos ? 0 : end - 1);
    const auto* value =
        std::ranges::find(values, name, &std::pair<std::string_view, std::string_view>::first);
    if (end == std::string_view::npos || value == values.end()) {
      out += '{';
      text.remove_prefix(1);
    } else {
      out += value->second;
      text.remove_prefix(end + 1);
    }
  }
  return out.append(text);
}

}  // namespace svc::text
