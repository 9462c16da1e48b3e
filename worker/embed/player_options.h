// PlayerOptions: the options that a client may pass to the player, from an
// allowlist.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "media/customizations.h"

namespace svc::embed {

// The allowed values of an option. An embed code has it as text. A customization (api-Z1) is
// that text or, where JSON has a type for it, of that type.
enum class Allowed : std::uint8_t {
  Switch,   // true or false
  Choice,   // one of `choices`
  Color,    // six hex digits, also with a number sign
  Height,   // a rendition's, in pixels: 720 or 720p
  Time,     // in seconds, also as 1m30s
  Volume,   // 0 to 1
  Url,      // https
  OnlyCode  // not a customization: it is about the page, the dialog or the list of an embed code
};

struct PlayerOption {
  std::string_view name;
  Allowed allowed = Allowed::Switch;
  std::string_view choices = {};  // separated by spaces

  constexpr bool is_customization() const { return allowed != Allowed::OnlyCode; }
};

// The options without brackets, sorted by name.
std::span<const PlayerOption> player_options();
// Returns the option of that name, or nullptr.
const PlayerOption* find_player_option(std::string_view name);

// Returns the values that are allowed, as words for clients: "must be true or false".
std::string words_of(const PlayerOption& option);

// Returns the members of a JSON Schema that the allowed values of a customization are valid for. It
// does not say what each text of seconds or pixels is.
std::string schema_of(const PlayerOption& option);

// Returns true if the option may be customized, and that value is allowed.
bool allows(const PlayerOption& option, const media::OptionValue& value);

// Returns true if the player has an option of that name. Names with brackets
// are options only in the forms `plugin[a][b]`, `media_0_1[a]` and
// `videoOptions[a]`.
bool is_player_option(std::string_view name);

// A set of options, sorted by name. Each name occurs once. Values may contain
// any byte.
class PlayerOptions {
 public:
  struct Option {
    std::string name;
    std::string value;
    bool operator==(const Option&) const = default;
  };

  // Ignores an option that is already set.
  void add(std::string_view name, std::string_view value);
  void remove(std::string_view name);

  bool empty() const { return options_.empty(); }
  auto begin() const { return options_.begin(); }
  auto end() const { return options_.end(); }
  bool operator==(const PlayerOptions&) const = default;

 private:
  std::vector<Option> options_;
};

}  // namespace svc::embed
