#include "embed/embed_request.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "embed/identifier_path.h"

namespace svc::embed {
namespace {

constexpr std::size_t kMaxHandleLength = 64;

// The names for media and for playlists. Each name also works for the other
// kind and selects the corresponding type.
constexpr std::array<std::pair<std::string_view, EmbedType>, 7> kTypes{
    {{"iframe", EmbedType::Iframe},
     {"async", EmbedType::Async},
     {"async_popover", EmbedType::Popover},
     {"playlist_iframe", EmbedType::Iframe},
     {"playlist_api", EmbedType::Async},
     {"playlist_popover", EmbedType::Popover},
     {"open_graph_tags", EmbedType::OpenGraphTags}}};

std::optional<EmbedType> parse_type(std::string_view text) {
  for (const auto& [name, type] : kTypes) {
    if (text == name) return type;
  }
  return std::nullopt;
}

// The parameters of one of the two sources. A parameter with an invalid value
// counts as absent.
struct Said {
  std::optional<EmbedType> type;
  std::optional<int> width, height, video_width, video_height, max_width, max_height;
  std::optional<std::string> handle;
  std::optional<bool> popover;
};

template <class T>
void keep_first(std::optional<T>& kept, std::optional<T> value) {
  if (!kept) kept = std::move(value);
}

Said read(const text::Form& form, PlayerOptions& options) {
  Said said;
  for (const auto& [name, value] : form.fields()) {
    if (name == "url") continue;
    if (name == "embedType") {
      keep_first(said.type, parse_type(value));
    } else if (name == "width") {
      keep_first(said.width, parse_side(value));
    } else if (name == "height") {
      keep_first(said.height, parse_side(value));
    } else if (name == "maxwidth") {
      keep_first(said.max_width, parse_side(value));
    } else if (name == "maxheight") {
      keep_first(said.max_height, parse_side(value));
    } else if (name == "videoWidth") {
      keep_first(said.video_width, parse_side(value));
    } else if (name == "videoHeight") {
      keep_first(said.video_height, parse_side(value));
    } else if (name == "popover") {
      keep_first(said.popover, std::optional<bool>(value == "true"));
    } else if (name == "handle") {
      if (is_identifier_path(value, kMaxHandleLength) && is_free_global(value))
        keep_first(said.handle, std::optional(value));
    } else if (is_player_option(name)) {
      options.add(name, value);
    }
  }
  return said;
}

template <class T>
std::optional<T> first_of(std::optional<T> a, std::optional<T> b) {
  return a ? a : b;
}

std::optional<int> smaller_of(std::optional<int> a, std::optional<int> b) {
  if (a && b) return std::min(*a, *b);
  return a ? a : b;
}

}  // namespace

EmbedRequest read_embed_request(const MediaUrl& url, const text::Form& top_level) {
  EmbedRequest request;
  request.kind = url.kind;
  request.id = media::HashedId::parse(url.id).value_or(media::HashedId());
  const Said top = read(top_level, request.options);
  Said own;
  if (!url.query.empty()) own = read(text::Form::parse(url.query), request.options);

  request.type = first_of(top.type, own.type).value_or(EmbedType::Iframe);
  if (request.type == EmbedType::Async && first_of(top.popover, own.popover).value_or(false)) {
    request.type = EmbedType::Popover;
  }
  request.size.width =
      first_of(first_of(top.width, own.width), first_of(top.video_width, own.video_width));
  request.size.height =
      first_of(first_of(top.height, own.height), first_of(top.video_height, own.video_height));
  request.size.max_width = smaller_of(top.max_width, own.max_width);
  request.size.max_height = smaller_of(top.max_height, own.max_height);
  if (request.type == EmbedType::Async)
    request.handle = first_of(top.handle, own.handle).value_or("");
  // The default handle is not written, so a request for it equals a request
  // without a handle.
  if (request.handle == (request.kind == MediaKind::Media ? "svcEmbed" : "svcPlaylist"))
    request.handle.clear();
  const bool may_respond = request.type == EmbedType::Iframe ||
                           (request.type == EmbedType::Async && request.kind == MediaKind::Media);
  if (may_respond && request.options.find("videoFoam") == "true") {
    request.responsive = true;
    request.options.remove("videoFoam");
  }
  return request;
}

}  // namespace svc::embed
