// EmbedCode: the HTML snippet that a page pastes.
//
// Everything in it that comes from people (title, option values) is escaped for the place where it
// stands; ids come from the store.
#pragma once

#include <string>

#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "embed/site.h"
#include "media/media.h"

namespace svc::embed {

// The thumbnail of a popover for which no size was requested.
inline constexpr media::Dimensions kPopoverThumbnail{150, 100};

// The player's own page, without options.
std::string iframe_url(const Embeddable& subject, const Site& site);

// The poster at the size of the answer; empty when there is none.
std::string thumbnail_url(const Embeddable& subject, media::Dimensions size, const Site& site);

// `size` is the answer's size, from fit(). Not for EmbedType::OpenGraphTags of a playlist, which
// has none.
std::string build_embed_code(const EmbedRequest& request, const Embeddable& subject,
                             media::Dimensions size, const Site& site);

}  // namespace svc::embed
