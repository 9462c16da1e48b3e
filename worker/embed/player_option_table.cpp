#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "embed/player_options.h"

namespace svc::embed {
namespace {

// The options without brackets. The player honours each (nginx/player/README.md).
constexpr auto kPlayerOptions = std::to_array<PlayerOption>({
    {"autoPlay"},
    {"controlsVisibleOnLoad"},
    {"doNotTrack"},
    {"email", Allowed::OnlyCode},
    {"endVideoBehavior", Allowed::Choice, "default loop reset"},
    {"fullscreenButton"},
    {"lang", Allowed::OnlyCode},
    {"muted"},
    {"playButton"},
    {"playbackRateControl"},
    {"playbar"},
    {"playerColor", Allowed::Color},
    {"playlistLinks", Allowed::OnlyCode},
    {"playlistLoop", Allowed::OnlyCode},
    {"popoverAnimateThumbnail", Allowed::OnlyCode},
    {"popoverCaption", Allowed::OnlyCode},
    {"popoverContent", Allowed::OnlyCode},
    {"popoverSize", Allowed::OnlyCode},
    {"preload", Allowed::Choice, "none metadata auto"},
    {"qualityControl"},
    {"qualityMax", Allowed::Height},
    {"qualityMin", Allowed::Height},
    {"resumable"},
    {"seo"},
    {"settingsControl"},
    {"silentAutoPlay"},
    {"smallPlayButton"},
    {"stillUrl", Allowed::Url},
    {"theme", Allowed::Choice, "dark light"},
    {"time", Allowed::Time},
    {"videoFoam"},
    {"volume", Allowed::Volume},
    {"volumeControl"},
    {"watch", Allowed::OnlyCode},
    {"wmode", Allowed::Choice, "opaque transparent"},
});
static_assert(std::ranges::is_sorted(kPlayerOptions, {}, &PlayerOption::name));

}  // namespace

std::span<const PlayerOption> player_options() { return kPlayerOptions; }

const PlayerOption* find_player_option(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(kPlayerOptions, name, {}, &PlayerOption::name);
  return found != kPlayerOptions.end() && found->name == name ? found : nullptr;
}

}  // namespace svc::embed
