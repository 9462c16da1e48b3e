// EmbedCode: the HTML snippet for a page.
//
// Text from users and clients (title, option values) is escaped for its
// context. Ids come from the store.
#pragma once

#include <string>

#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "embed/site.h"
#include "media/media.h"

namespace svc::embed {

// Returns the URL of the player's own page, without options.
std::string iframe_url(const Embeddable& subject, const Site& site);

// Returns the URL of the poster in the given size; empty if there is no poster.
std::string thumbnail_url(const Embeddable& subject, media::Dimensions size, const Site& site);

// `size` is the size of the response, from fit(). Not for
// EmbedType::OpenGraphTags of a playlist: the endpoint refuses these.
std::string build_embed_code(const EmbedRequest& request, const Embeddable& subject,
                             media::Dimensions size, const Site& site);

}  // namespace svc::embed
