#include "embed/player_facts.h"

#include "embed/embed_code.h"
#include "embed/showing.h"
#include "text/json.h"

namespace svc::embed {
namespace {

// The picture before play, not larger than a player without a size of its own. For an audio the
// player shows a square. Addresses on other hosts stay: they may be signed, or lack sizes.
std::string poster_of(const Embeddable& subject, const Site& site) {
  if (!subject.poster.starts_with('/')) return subject.poster;
  constexpr media::Dimensions kSquare{360, 360};
  return thumbnail_url(subject, subject.is_audio ? kSquare : size_in_ratio(subject), site);
}

}  // namespace

void append_facts(std::string& out, const Embeddable& subject, const Site& site,
                  const WatchKeys& keys) {
  const std::string& id = subject.id.value();
  text::json::ObjectWriter writer(out);
  writer.string("id", id).string("title", subject.title);
  if (subject.is_audio) writer.boolean("audio", true);
  if (subject.native)
    writer.integer("width", subject.native->width).integer("height", subject.native->height);
  if (subject.duration) writer.decimal("duration", *subject.duration);
  if (!subject.poster.empty()) writer.string("poster", poster_of(subject, site));
  if (!subject.player_color.empty()) writer.string("player_color", subject.player_color);
  if (subject.has_manifest) writer.string("manifest", site.manifest(id, subject.pass));
  if (!subject.mp4.empty()) writer.string("mp4", site.absolute(subject.mp4));
  if (!subject.captions.empty()) {
    text::json::ArrayWriter tracks(writer.raw("captions"));
    for (const media::Captions& captions : subject.captions) {
      text::json::ObjectWriter track(tracks.next());
      append_captions(track, captions, site.captions(captions, subject.pass));
      track.boolean("segmented", captions.is_segmented()).end();
    }
    tracks.end();
  }
  if (!subject.chapters.empty()) {
    text::json::ArrayWriter chapters(writer.raw("chapters"));
    for (const media::Chapter& chapter : subject.chapters)
      text::json::ObjectWriter(chapters.next())
          .decimal("at", static_cast<double>(chapter.at) / 1000)
          .string("title", chapter.title)
          .end();
    chapters.end();
  }
  if (!subject.storyboard.empty()) writer.string("storyboard", site.absolute(subject.storyboard));
  if (!subject.customizations.empty())
    media::append_customizations(writer.raw("customizations"), subject.customizations);
  const std::string ticket = site.counts_viewing ? keys.ticket(subject.id) : "";
  if (!ticket.empty()) writer.string("viewing", ticket);
  if (!subject.watch.empty()) writer.string(kWatch, subject.watch);
  writer.string("url", site.media_page(id, subject.watch)).end();
}

loop::Task<PlaylistFacts> playlist_facts(const media::Playlist& playlist,
                                         const std::vector<media::Media>& medias,
                                         media::SiteRules& rules, const WatchKeys& keys,
                                         const Site& site, Asker asker, media::Reads& reads) {
  PlaylistFacts facts;
  // The last video is played after all others.
  double length = 0;
  for (const media::Media& media : medias) length += media.duration.value_or(0);
  text::json::ObjectWriter writer(facts.json);
  writer.string("id", playlist.id.value()).string("title", playlist.name);
  text::json::ArrayWriter videos(writer.raw("videos"));
  for (const media::Media& media : medias) {
    if (why_not_embeddable(media)) continue;
    const media::SiteRule rule =
        co_await site_rule(rules, media.account, media.allowed_domains, reads);
    facts.varies_by_site |= !rule.is_everywhere();
    const bool is_enforced = asker.rule != nullptr && asker.rule->domains == rule.domains;
    if (!is_enforced && !may_show(rule, site, asker.origin)) continue;
    Embeddable video = embeddable(media);
    if (is_guarded(video, rule)) {
      const Span span = keys.span(length, 0);
      guard(video, keys, span);
      if (!facts.span || span.changes < facts.span->changes) facts.span = span;
    }
    append_facts(videos.next(), video, site, keys);
    facts.is_empty = false;
  }
  videos.end();
  writer.end();
  co_return facts;
}

}  // namespace svc::embed
