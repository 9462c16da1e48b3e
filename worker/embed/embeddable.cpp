#include "embed/embeddable.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "text/csp_source.h"
#include "text/word_list.h"

namespace svc::embed {
namespace {

using Sources = std::set<std::string>;

void add_sources(Sources& sources, const media::Media& media) {
  const auto add = [&](std::string_view url) {
    if (url.empty() || url.starts_with('/')) return;
    if (std::string source = text::csp_source(url); !source.empty())
      sources.insert(std::move(source));
  };
  for (const media::Asset& asset : media.assets) add(asset.url);
  for (const media::Captions& captions : media.captions) add(captions.url);
  add(media.storyboard);
}

std::string list_of(const Sources& sources) {
  std::string out = text::joined(sources, " ");
  if (out.size() <= kMaxSources) return out;
  Sources schemes;
  for (const std::string& source : sources) schemes.insert(source.substr(0, source.find(':') + 1));
  return list_of(schemes);
}

}  // namespace

std::optional<NotEmbeddable> why_not_embeddable(const media::Media& media) {
  const auto why = why_not_playable(media);
  if (!why && media.is_private()) return NotEmbeddable::Private;
  return why;
}

std::optional<NotEmbeddable> why_not_playable(const media::Media& media) {
  if (media.status == media::Status::Failed) return NotEmbeddable::NotFound;
  if (media.status != media::Status::Ready) return NotEmbeddable::NoEmbedCode;
  const bool plays = media.is_video() || (media.is_audio() && !media.assets.empty());
  return plays ? std::nullopt : std::optional(NotEmbeddable::NoEmbedCode);
}

Embeddable embeddable(const media::Media& media) {
  Embeddable subject;
  subject.id = media.id;
  subject.first_video = media.id;
  subject.title = media.name;
  subject.is_audio = media.is_audio();
  subject.native = subject.is_audio ? kAudioSize : media.native;
  subject.duration = media.duration;
  if (media.thumbnail) {
    subject.poster = media.thumbnail->url;
    subject.poster_size = media.thumbnail->size;
  }
  subject.player_color = media.player_color;
  subject.is_unlisted = media.visible() != media::Visibility::Public;
  subject.account = media.account;
  subject.allowed_domains = media.allowed_domains;
  subject.links_from = media.links_from;
  for (const media::Asset& asset : media.assets) {
    if (asset.type == media::AssetType::Hls) subject.has_manifest = true;
    if (asset.type == media::AssetType::Mp4 && subject.mp4.empty()) {
      subject.mp4 = asset.url;
      subject.mp4_size = asset.size;
    }
  }
  Sources sources;
  add_sources(sources, media);
  subject.sources = list_of(sources);
  subject.captions = media.captions;
  subject.chapters = media.chapters;
  subject.storyboard = media.storyboard;
  subject.customizations = media.customizations;
  subject.description = media.description;
  subject.created = media.created;
  return subject;
}

std::optional<Embeddable> embeddable(const media::Playlist& playlist,
                                     const std::vector<media::Media>& medias) {
  std::optional<Embeddable> first;
  std::optional<double> duration;
  Sources sources;
  bool has_own_rules = false;
  for (const media::Media& media : medias) {
    if (why_not_embeddable(media)) continue;
    if (!first) first = embeddable(media);
    has_own_rules |= media.allowed_domains || media.account != playlist.account;
    if (first->is_audio && media.is_video()) {
      const Embeddable video = embeddable(media);
      first->is_audio = false;
      first->native = video.native;
      first->poster = video.poster;
      first->poster_size = video.poster_size;
      first->player_color = video.player_color;
    }
    add_sources(sources, media);
    if (media.duration) duration = duration.value_or(0) + *media.duration;
  }
  if (!first) return std::nullopt;
  first->kind = MediaKind::Playlist;
  first->id = playlist.id;
  first->title = playlist.name;
  first->is_unlisted = false;
  first->account = playlist.account;
  first->allowed_domains.reset();
  first->has_own_rules = has_own_rules;
  first->description.clear();
  first->created.clear();
  first->duration = duration;
  first->sources = list_of(sources);
  first->captions.clear();
  first->chapters.clear();
  first->storyboard.clear();
  first->customizations.clear();
  return first;
}

NotEmbeddable why_nothing_plays(const std::vector<media::Media>& medias) {
  const bool has_private = std::ranges::any_of(medias, [](const media::Media& media) {
    return why_not_embeddable(media) == NotEmbeddable::Private;
  });
  return has_private ? NotEmbeddable::OnlyPrivate : NotEmbeddable::NoEmbedCode;
}

base::Result<Embeddable, NotEmbeddable> playable(const media::Media& media) {
  if (const auto why = why_not_playable(media)) return base::Refusal{*why};
  return embeddable(media);
}

base::Result<Embeddable, NotEmbeddable> opened(const media::Media& media, const Opener& opener) {
  if (!media.is_private()) return playable(media);
  if (const auto why = why_not_playable(media)) return base::Refusal{*why};
  if (opener.token.empty()) return base::Refusal{NotEmbeddable::Private};
  const auto link = opener.keys.open(media.id, media.links_from, opener.token);
  if (!link) {
    return base::Refusal{link.error() == WatchKeys::Wrong::Ended ? NotEmbeddable::EndedLink
                                                                 : NotEmbeddable::WrongLink};
  }
  if (link->is_listed && media::open_link(media, link->issued) == nullptr)
    return base::Refusal{NotEmbeddable::EndedLink};
  Embeddable subject = embeddable(media);
  subject.link = *link;
  subject.watch = opener.token;
  return subject;
}

loop::Task<base::Result<Embeddable, NotEmbeddable>> find_embeddable(
    media::Catalog& catalog, MediaKind kind, const media::HashedId& id, media::Detail detail,
    media::Reads& reads, const Opener* opener) {
  if (kind == MediaKind::Media) {
    auto media = co_await catalog.find_media(id, detail, reads);
    // Whether an audio plays depends on its assets.
    if (media && media->is_audio() && detail != media::Detail::All)
      media = co_await catalog.find_media(id, media::Detail::All, reads);
    if (!media) co_return base::Refusal{NotEmbeddable::NotFound};
    if (opener != nullptr) co_return opened(*media, *opener);
    if (const auto why = why_not_embeddable(*media)) co_return base::Refusal{*why};
    co_return embeddable(*media);
  }
  const auto playlist = co_await catalog.find_playlist(id, reads);
  if (!playlist) co_return base::Refusal{NotEmbeddable::NotFound};
  auto medias = co_await catalog.find_medias(playlist->media_ids, detail, reads);
  const bool has_audio = std::ranges::any_of(medias, &media::Media::is_audio);
  if (has_audio && detail != media::Detail::All)
    medias = co_await catalog.find_medias(playlist->media_ids, media::Detail::All, reads);
  auto subject = embeddable(*playlist, medias);
  if (!subject) co_return base::Refusal{why_nothing_plays(medias)};
  co_return std::move(*subject);
}

Span span_of(const Embeddable& subject, const WatchKeys& keys) {
  return keys.span(subject.duration, subject.link ? subject.link->ends : 0);
}

void guard(Embeddable& subject, const WatchKeys& keys, const Span& span) {
  if (!keys.can_make_links()) return;
  const std::int64_t link = subject.link ? subject.link->number() : 0;
  const auto sign = [&](std::string& url) {
    url = keys.signed_url(url, subject.links_from, span.end, link);
  };
  sign(subject.mp4);
  sign(subject.storyboard);
  if (subject.link) sign(subject.poster);
  for (media::Captions& captions : subject.captions) sign(captions.url);
  subject.pass = keys.pass(subject.id, subject.links_from, span.end, link);
}

void guard(media::Media& media, const WatchKeys& keys, const Span& span, std::int64_t link) {
  const auto sign = [&](std::string& url) {
    url = keys.signed_url(url, media.links_from, span.end, link);
  };
  for (media::Asset& asset : media.assets) sign(asset.url);
  for (media::Captions& captions : media.captions) sign(captions.url);
}

}  // namespace svc::embed
