// Rendering: a complete oEmbed response body, JSON or XML, to send or to cache.
//
// The endpoint adds a JSONP callback when it sends the response.
#pragma once

#include <optional>
#include <string>

#include "embed/embeddable.h"
#include "embed/site.h"

namespace svc::embed {

struct EmbedRequest;

enum class Format { Json, Xml };

// Writes the keys in the order of the contract: `thumbnail_*` and `duration`
// only if the subject has them, `player_color` only for iframes, `cache_age`
// (seconds) only if given.
std::string render(Format format, const EmbedRequest& request, const Embeddable& subject,
                   const Site& site, std::optional<int> cache_age);

}  // namespace svc::embed
