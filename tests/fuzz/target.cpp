#include "fuzz/target.h"

#include <cstdio>
#include <cstdlib>

namespace svc::fuzz {

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

void require(bool holds, std::string_view invariant) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(invariant.size()),
               invariant.data());
  std::abort();
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace svc::fuzz
