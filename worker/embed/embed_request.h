// EmbedRequest: the requested subject and form of an embed code, in a canonical
// form.
//
// Equal requests have the same embed code: unknown parameters are dropped,
// defaults set, options sorted.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "embed/dimensions.h"
#include "embed/embeddable.h"
#include "embed/media_url.h"
#include "embed/player_options.h"
#include "media/id.h"
#include "text/form.h"

namespace svc::embed {

// The names of the parameters that it is read from, in addition to the player's options.
inline constexpr std::array<std::string_view, 11> kEmbedParameters{
    "embedType",   "width",   "height", "maxwidth", "maxheight", "videoWidth",
    "videoHeight", "popover", "handle", "loading",  "videoFoam"};

enum class EmbedType { Iframe, Async, Popover, OpenGraphTags, WebComponent };

struct EmbedRequest {
  MediaKind kind = MediaKind::Media;
  media::HashedId id;
  EmbedType type = EmbedType::Iframe;
  SizeRequest size;
  bool responsive = false;  // videoFoam=true; only for Iframe and Async
  std::string handle;       // empty: the default handle of the embed code
  bool lazy = false;        // loading=lazy; only for Iframe
  PlayerOptions options;

  bool operator==(const EmbedRequest&) const = default;
};

// `top_level` are the parameters of the oEmbed request. They take precedence
// over parameters of the same name in the query of the media URL. If both
// contain a maximum, the smaller one applies.
EmbedRequest read_embed_request(const MediaUrl& url, const text::Form& top_level);

// The codes of a private film have its link, and those of others have none.
void carry_link(EmbedRequest& request, const Embeddable& subject);

// Appends a text that is equal for requests that compare equal, among those of their media. Workers
// of other versions read it.
void append_variant(std::string& out, const EmbedRequest& request);

}  // namespace svc::embed
