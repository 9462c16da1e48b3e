// EmbedCode: the HTML snippet for a page.
//
// Text from users and clients (title, option values) is escaped for its
// context. Ids come from the store.
#pragma once

#include <string>

#include "embed/embeddable.h"
#include "embed/site.h"
#include "media/media.h"

namespace svc::embed {

struct EmbedRequest;

// Returns the URL of the player's own page, without options.
std::string iframe_url(const Embeddable& subject, const Site& site);

// The longest side of a cropped poster (nginx/svc-thumbnails-cache.conf).
inline constexpr int kMaxThumbnailSide = 1920;

// Returns the size of the picture at thumbnail_url(): `size`, or if the poster
// or kMaxThumbnailSide is smaller, the largest size of that ratio within them.
// A poster of unknown size counts as large as the video.
media::Dimensions thumbnail_size(const Embeddable& subject, media::Dimensions size);

// Returns the URL of the poster in the given size, or the largest possible one
// (thumbnail_size()); empty without a poster.
std::string thumbnail_url(const Embeddable& subject, media::Dimensions size, const Site& site);

// Returns the largest size of the video's own ratio that is not larger than the video, with no side
// above 640: the size of a poster, and of a player whose page does not say otherwise.
media::Dimensions size_in_ratio(const Embeddable& subject);

// Returns the code that our pages hand out (pages-W90): as wide as its place, or as the requested
// size if that is smaller, in the ratio of the video. Popovers and OpenGraph tags are those of
// build_embed_code().
std::string build_page_code(const EmbedRequest& request, const Embeddable& subject,
                            const Site& site);

// `size` is the size of the response, from fit(). Not for
// EmbedType::OpenGraphTags of a playlist: the endpoint refuses these.
std::string build_embed_code(const EmbedRequest& request, const Embeddable& subject,
                             media::Dimensions size, const Site& site);

}  // namespace svc::embed
