// Rendering: a whole oEmbed answer, JSON or XML, ready to send or to cache.
//
// A JSONP callback is no part of it: it is put around a rendering when that is sent.
#pragma once

#include <optional>
#include <string>

#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "embed/site.h"

namespace svc::embed {

enum class Format { Json, Xml };

// Keys in the order of the contract, `thumbnail_*` and `duration` only where the subject has them,
// `player_color` only in iframe answers, `cache_age` (seconds) only where one is given.
std::string render(Format format, const EmbedRequest& request, const Embeddable& subject,
                   const Site& site, std::optional<int> cache_age);

}  // namespace svc::embed
