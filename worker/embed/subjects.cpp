#include "embed/subjects.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace svc::embed {
namespace {

std::string to_text(const Embeddable& subject) {
  std::string out;
  text::json::ObjectWriter writer(out);
  writer.string("first_video", subject.first_video.value()).string("title", subject.title);
  if (subject.native)
    writer.integer("width", subject.native->width).integer("height", subject.native->height);
  // In milliseconds, the precision of every response.
  if (subject.duration) writer.decimal("duration", *subject.duration);
  writer.string("poster", subject.poster);
  if (subject.poster_size) {
    writer.integer("poster_width", subject.poster_size->width)
        .integer("poster_height", subject.poster_size->height);
  }
  writer.string("player_color", subject.player_color)
      .boolean("has_manifest", subject.has_manifest)
      .string("mp4", subject.mp4)
      .integer("account", subject.account.value())
      .boolean("own_rules", subject.has_own_rules)
      .string("sources", subject.sources)
      .end();
  return out;
}

// Returns nullopt if another version wrote the text or it is damaged: then the
// subject is built again.
std::optional<Embeddable> from_text(text::json::Document& document, std::string_view text,
                                    const media::HashedId& id) {
  const auto value = document.parse(text);
  if (!value || !value->is_object()) return std::nullopt;
  std::size_t hint = 0;
  const auto string = [&](std::string_view name) {
    const auto found = value->find(name, hint);
    return found ? found->string() : std::nullopt;
  };
  const auto side = [&](std::string_view name) -> std::optional<int> {
    const auto found = value->find(name, hint);
    const auto number = found ? found->integer() : std::nullopt;
    if (!number || *number < 1 || *number > std::numeric_limits<int>::max()) return std::nullopt;
    return static_cast<int>(*number);
  };
  const auto first_video = media::HashedId::parse(string("first_video").value_or(""));
  const auto title = string("title");
  const auto width = side("width");
  const auto height = side("height");
  const auto duration = value->find("duration", hint);
  const auto poster = string("poster");
  const auto poster_width = side("poster_width");
  const auto poster_height = side("poster_height");
  const auto player_color = string("player_color");
  const auto has_manifest = value->find("has_manifest", hint);
  const auto mp4 = string("mp4");
  const auto account = value->find("account", hint);
  const auto own_rules = value->find("own_rules", hint);
  const auto sources = string("sources");
  if (!first_video || !title || !poster || !player_color || !mp4 || !sources) return std::nullopt;
  if (!account || !account->integer() || !own_rules || !own_rules->boolean()) return std::nullopt;
  if (!has_manifest || !has_manifest->boolean() || width.has_value() != height.has_value() ||
      poster_width.has_value() != poster_height.has_value())
    return std::nullopt;
  Embeddable subject;
  subject.kind = MediaKind::Playlist;
  subject.id = id;
  subject.first_video = *first_video;
  subject.title = *title;
  if (width) subject.native = media::Dimensions{*width, *height};
  if (duration) subject.duration = duration->number();
  subject.poster = *poster;
  if (poster_width) subject.poster_size = media::Dimensions{*poster_width, *poster_height};
  subject.player_color = *player_color;
  subject.has_manifest = *has_manifest->boolean();
  subject.mp4 = *mp4;
  subject.account = {*account->integer()};
  subject.has_own_rules = *own_rules->boolean();
  subject.sources = *sources;
  return subject;
}

}  // namespace

loop::Task<Subjects::Found> Subjects::find(MediaKind kind, const media::HashedId& id,
                                           media::Detail detail, media::Reads& reads,
                                           const Opener* opener) {
  if (!keeps(kind)) {
    auto subject = co_await find_embeddable(catalog_, kind, id, detail, reads, opener);
    co_return Found{std::move(subject)};
  }
  const Renderings::Search search = co_await renderings_->find(id, kPlaylistVariant, reads);
  if (search.found) {
    if (search.found->text == kNoVideo)
      co_return Found{base::Refusal{NotEmbeddable::NoEmbedCode}, true};
    if (auto subject = from_text(document_, search.found->text, id))
      co_return Found{std::move(*subject), true};
  }
  // Cached for all requests, so load everything that any of them needs.
  auto subject = co_await find_embeddable(catalog_, kind, id, media::Detail::All, reads);
  // A playlist without a video takes a read of all its media too, so cache that
  // as well. An id without a playlist takes one read, and an attacker can
  // invent any number of such ids: do not cache those.
  if (subject) {
    renderings_->keep(id, kPlaylistVariant, search, {to_text(*subject), 0}, reads);
  } else if (subject.error() == NotEmbeddable::NoEmbedCode) {
    renderings_->keep(id, kPlaylistVariant, search, {std::string(kNoVideo), 0}, reads);
  }
  co_return Found{std::move(subject)};
}

}  // namespace svc::embed
