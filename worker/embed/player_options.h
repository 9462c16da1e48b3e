// PlayerOptions: what a client may hand through to the player, from one allow list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::embed {

// Whether the player knows an option of that name; `plugin[a][b]`, `media_0_1[a]` and
// `videoOptions[a]` count, other names with brackets do not.
bool is_player_option(std::string_view name);

// A set of options, each name once, sorted by name. Values may hold any byte.
class PlayerOptions {
 public:
  struct Option {
    std::string name;
    std::string value;
    bool operator==(const Option&) const = default;
  };

  // The first value of a name stays.
  void add(std::string_view name, std::string_view value);
  // Nothing (an empty view with data() == nullptr) when the option was not given.
  std::string_view find(std::string_view name) const;
  void remove(std::string_view name);

  bool empty() const { return options_.empty(); }
  auto begin() const { return options_.begin(); }
  auto end() const { return options_.end(); }
  bool operator==(const PlayerOptions&) const = default;

 private:
  std::vector<Option> options_;
};

}  // namespace svc::embed
