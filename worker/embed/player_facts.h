// player_facts: the data of a media or a playlist for the player, as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embed/embeddable.h"
#include "embed/site.h"
#include "loop/task.h"
#include "media/media.h"
#include "media/playlist.h"
#include "media/reads.h"
#include "media/site_rules.h"

namespace svc::embed {

// Appends the facts of a media with all its details, and its ticket of this hour.
void append_facts(std::string& out, const Embeddable& subject, const Site& site,
                  const WatchKeys& keys);

struct PlaylistFacts {
  std::string json;
  bool is_empty = true;         // it plays nothing, there or anywhere
  std::optional<Span> span;     // of the address that ends first
  bool varies_by_site = false;  // other sites may show other videos of it, or none
};

// The page that asks for a film. `rule`: if it is in a frame, the rule of that frame, which
// browsers enforce; nullptr otherwise.
struct Asker {
  std::string_view origin;
  const media::SiteRule* rule = nullptr;
};

// Returns the facts of the videos that the page may show. Throws base::Unavailable.
loop::Task<PlaylistFacts> playlist_facts(const media::Playlist& playlist,
                                         const std::vector<media::Media>& medias,
                                         media::SiteRules& rules, const WatchKeys& keys,
                                         const Site& site, Asker asker, media::Reads& reads);

}  // namespace svc::embed
