// Path: a path that the service answers, with placeholders, and the hosts that have it.
// base/paths.h names them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::base {

// Which of nginx's servers have a path; a set. Links lead to the first.
using Hosts = std::uint8_t;

namespace hosts {
inline constexpr Hosts kInternal = 0;  // only nginx itself asks for it
inline constexpr Hosts kApp = 1;
inline constexpr Hosts kApi = 2;
inline constexpr Hosts kOembed = 4;
inline constexpr Hosts kEmbed = 8;
inline constexpr Hosts kEvery = kApp | kApi | kOembed | kEmbed;
}  // namespace hosts

struct Path {
  std::string_view pattern;  // http/router.h
  Hosts hosts;

  // Returns the part before the first placeholder, such as /embed/medias/.
  consteval std::string_view before() const { return pattern.substr(0, first()); }
  // Returns the part after the first placeholder, such as .m3u8; "" for `**`.
  consteval std::string_view after() const {
    std::string_view rest = pattern.substr(first());
    rest.remove_prefix(rest.starts_with('*') ? rest.size() : rest.find('}') + 1);
    return rest.substr(0, rest.find("/**"));
  }
  // Returns the folder of the first segment, such as /embed/.
  consteval std::string_view folder() const { return pattern.substr(0, pattern.find('/', 1) + 1); }

  // Appends the path with these texts in place of its first placeholders, up to the next one.
  template <class... Texts>
  void append_to(std::string& out, const Texts&... texts) const {
    const auto is_mark = [](char c) { return c == '{' || c == '*'; };
    std::string_view rest = pattern;
    const auto append_literal = [&] {
      std::size_t length = 0;
      while (length < rest.size() && !is_mark(rest[length])) ++length;
      out += rest.substr(0, length);
      rest.remove_prefix(length);
    };
    [[maybe_unused]] const auto append_text = [&](std::string_view text) {
      out += text;
      rest.remove_prefix(rest.starts_with('{') ? rest.find('}') + 1 : rest.size());
      append_literal();
    };
    append_literal();
    (append_text(texts), ...);
    if (rest == "**") out.pop_back();
  }
  template <class... Texts>
  std::string with(const Texts&... texts) const {
    std::string out;
    append_to(out, texts...);
    return out;
  }

 private:
  constexpr std::size_t first() const {
    const std::size_t at = pattern.find_first_of("{*");
    return at == std::string_view::npos ? pattern.size() : at;
  }
};

}  // namespace svc::base
