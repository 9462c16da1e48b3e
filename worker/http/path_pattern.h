// path_pattern: the patterns of routes, and the parts of the paths that match them.
//
//   /oembed.json                       this path
//   /v1/medias/{media}                 one segment, not empty, in place of {media}
//   /embed/medias/{media}.json         every path that begins and ends so
//   /medias/*                          every path that begins with /medias/
//   /settings/accounts/{account}/**    that path, and every path below it
//
// Endpoints get the parts by Request::part().
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace svc::http {

// The name of a part. Another name does not compile.
struct PartName {
  static constexpr std::array<std::string_view, 8> kAll{"account", "client", "domain",   "language",
                                                        "link",    "media",  "playlist", "project"};

  consteval PartName(const char* name) : text(name) {  // NOLINT: implicit
    if (std::ranges::find(kAll, text) == kAll.end()) throw "no path has a part of this name";
  }

  std::string_view text;
};

bool matches(std::string_view pattern, std::string_view path);

// What a path that matches has in place of its pattern's placeholders. A view of both.
class Match {
 public:
  Match() = default;
  // `literal`: the number of characters before the first placeholder, or less.
  Match(std::string_view pattern, std::string_view path, std::size_t literal = 0)
      : pattern_(pattern.substr(literal)), path_(path.substr(literal)) {}

  // Returns what is in place of `{name}`, which is never empty; "" if the pattern lacks it.
  std::string_view part(PartName name) const;
  // Returns what is in place of `*` or `/**`; "" if the pattern lacks both.
  std::string_view rest() const;

 private:
  std::string_view pattern_;
  std::string_view path_;
};

}  // namespace svc::http
