// EmbedRequest: what a client asked to embed, and how, in the one form that decides the answer.
//
// Two requests that compare equal get the same bytes: unknown parameters are gone, defaults are
// filled in, options are sorted.
#pragma once

#include <optional>
#include <string>

#include "embed/dimensions.h"
#include "embed/media_url.h"
#include "embed/player_options.h"
#include "media/id.h"
#include "text/form.h"

namespace svc::embed {

enum class EmbedType { Iframe, Async, Popover, OpenGraphTags };

struct EmbedRequest {
  MediaKind kind = MediaKind::Media;
  media::HashedId id;
  EmbedType type = EmbedType::Iframe;
  SizeRequest size;
  bool responsive = false;  // videoFoam=true, only with Iframe and Async
  std::string handle;       // empty: the default of the embed code
  PlayerOptions options;

  bool operator==(const EmbedRequest&) const = default;
};

// `top_level` are the parameters of the oEmbed request itself. Where a name stands both there and
// in the media URL's own query, the top level wins; of two maxima the smaller one holds.
EmbedRequest read_embed_request(const MediaUrl& url, const text::Form& top_level);

}  // namespace svc::embed
