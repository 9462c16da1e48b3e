#include "http/path_pattern.h"

#include <cstddef>

namespace svc::http {
namespace {

// Returns the first segment, which ends before a slash, but not before those of `scheme://host`;
// nginx merges these two.
std::string_view first_segment_of(std::string_view path) {
  std::size_t end = path.find('/');
  if (end != 0 && end != std::string_view::npos && path[end - 1] == ':') {
    if (path.substr(end).starts_with("//")) ++end;
    end = path.find('/', end + 1);
  }
  return path.substr(0, end);
}

// What stands for a placeholder and the rest of its segment.
struct Segment {
  std::string_view text;
  std::string_view suffix;  // the rest

  bool fits() const { return text.size() > suffix.size() && text.ends_with(suffix); }
  std::string_view part() const { return text.substr(0, text.size() - suffix.size()); }
};

// Removes the segment from both. `pattern` begins after the placeholder.
Segment take_segment(std::string_view& pattern, std::string_view& path) {
  const std::string_view suffix = pattern.substr(0, pattern.find('/'));
  const bool takes_rest = !suffix.empty() && suffix.size() == pattern.size();
  const std::string_view text = takes_rest ? path : first_segment_of(path);
  pattern.remove_prefix(suffix.size());
  path.remove_prefix(text.size());
  return {text, suffix};
}

}  // namespace

bool matches(std::string_view pattern, std::string_view path) {
  while (!pattern.empty()) {
    if (pattern == "*") return true;
    if (pattern == "/**") return path.empty() || path.starts_with('/');
    if (pattern.front() == '{') {
      pattern.remove_prefix(pattern.find('}') + 1);
      if (!take_segment(pattern, path).fits()) return false;
      continue;
    }
    if (path.empty() || path.front() != pattern.front()) return false;
    pattern.remove_prefix(1);
    path.remove_prefix(1);
  }
  return path.empty();
}

std::string_view Match::part(PartName name) const {
  std::string_view pattern = pattern_;
  std::string_view path = path_;
  while (true) {
    const std::size_t at = pattern.starts_with('{') ? 0 : pattern.find('{');
    if (at == std::string_view::npos) return {};
    pattern.remove_prefix(at + 1);
    path.remove_prefix(at);
    const bool is_it = pattern.starts_with(name.text) && pattern[name.text.size()] == '}';
    pattern.remove_prefix((is_it ? name.text.size() : pattern.find('}')) + 1);
    const Segment segment = take_segment(pattern, path);
    if (is_it) return segment.part();
  }
}

std::string_view Match::rest() const {
  std::string_view pattern = pattern_;
  std::string_view path = path_;
  for (std::size_t at; (at = pattern.find_first_of("{*")) != std::string_view::npos;) {
    // Of `/**` with the slash.
    if (pattern[at] == '*') return path.substr(pattern.ends_with("/**") ? at - 1 : at);
    path.remove_prefix(at);
    pattern.remove_prefix(pattern.find('}') + 1);
    take_segment(pattern, path);
  }
  return {};
}

}  // namespace svc::http
