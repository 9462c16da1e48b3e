// PlayerOptions: the options that a client may pass to the player, from an
// allowlist.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace svc::embed {

// The options without brackets. The player honours each (nginx/player/README.md).
inline constexpr std::array<std::string_view, 33> kPlayerOptions{"autoPlay",
                                                                 "controlsVisibleOnLoad",
                                                                 "doNotTrack",
                                                                 "email",
                                                                 "endVideoBehavior",
                                                                 "fullscreenButton",
                                                                 "muted",
                                                                 "playButton",
                                                                 "playbackRateControl",
                                                                 "playbar",
                                                                 "playerColor",
                                                                 "playlistLinks",
                                                                 "playlistLoop",
                                                                 "popoverAnimateThumbnail",
                                                                 "popoverCaption",
                                                                 "popoverContent",
                                                                 "popoverSize",
                                                                 "preload",
                                                                 "qualityControl",
                                                                 "qualityMax",
                                                                 "qualityMin",
                                                                 "resumable",
                                                                 "seo",
                                                                 "settingsControl",
                                                                 "silentAutoPlay",
                                                                 "smallPlayButton",
                                                                 "stillUrl",
                                                                 "theme",
                                                                 "time",
                                                                 "videoFoam",
                                                                 "volume",
                                                                 "volumeControl",
                                                                 "wmode"};
static_assert(std::is_sorted(kPlayerOptions.begin(), kPlayerOptions.end()));

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
