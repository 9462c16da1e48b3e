// Embeddable: the properties of a media or a playlist that an embed code needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "embed/media_url.h"
#include "embed/watch_keys.h"
#include "media/catalog.h"
#include "media/media.h"
#include "media/playlist.h"

namespace svc::embed {

// A policy has them twice, and the head of a response has to fit into one buffer of nginx (8 KiB,
// with the sites that may show the film).
inline constexpr std::size_t kMaxSources = 768;  // bytes

struct Embeddable {
  MediaKind kind = MediaKind::Media;
  media::HashedId id;
  media::HashedId first_video;  // the media itself, or the first that the playlist plays
  bool is_audio = false;        // without pictures: a playlist without a video, too
  std::string title;
  std::optional<media::Dimensions> native;  // if it is audio: kAudioSize
  std::optional<double> duration;           // seconds
  std::string poster;                       // a URL or a path below the asset base; empty: none
  std::optional<media::Dimensions> poster_size;
  std::string player_color;
  bool is_unlisted = false;  // only for a media; false for a playlist (pages-W120)
  // Where it may be shown (embed/showing.h). A playlist has its own account; has_own_rules: one of
  // its media has a list of its own or another account.
  media::AccountId account;
  std::optional<media::AllowedDomains> allowed_domains;
  bool has_own_rules = false;
  // Only for a media. `link`: the link that opened it, if it is private; `watch`: its token, which
  // other addresses of the film carry on. `pass`: see guard().
  std::optional<std::int64_t> links_from;
  std::optional<Link> link;
  std::string watch;
  std::string pass;
  // Assets of the first video. Only set if its assets were loaded
  // (media::Detail::All).
  bool has_manifest = false;
  std::string mp4;  // a URL or a path below the asset base; empty: no such file
  std::vector<media::Captions> captions;  // only for a media; empty for a playlist
  std::vector<media::Chapter> chapters;   // the same
  std::string storyboard;                 // the same; URL or path, or empty
  media::Customizations customizations;   // the same
  std::optional<media::Dimensions> mp4_size;
  // Sources of a Content-Security-Policy, separated by spaces: the hosts of all files that the
  // player fetches and that are not below the asset base, of every video of a playlist. At most
  // kMaxSources bytes; if the hosts take more, their schemes.
  std::string sources;
  // Only for a media, and only set if loaded, as above. Empty for a playlist.
  std::string description;  // HTML written by users, not trusted
  std::string created;      // RFC 3339
};

// The player of an audio: its title above the bar, also on a phone.
inline constexpr media::Dimensions kAudioSize{640, 240};

// Only a video, or an audio with a file that browsers play, can be embedded, each with status
// Ready. A failed media is NotFound for clients; any other has NoEmbedCode. An audio needs
// media::Detail::All: without assets it has NoEmbedCode.
// A private media needs a link that opens it. Private: the request lacks a link. WrongLink: this
// service did not make it for this media. EndedLink: it has ended.
// OnlyPrivate: only private media are left of a playlist, which links do not open.
enum class NotEmbeddable { NotFound, NoEmbedCode, OnlyPrivate, Private, WrongLink, EndedLink };
constexpr bool needs_link(NotEmbeddable why) { return why >= NotEmbeddable::Private; }
std::optional<NotEmbeddable> why_not_embeddable(const media::Media& media);
// The same for users of its account, who need no link.
std::optional<NotEmbeddable> why_not_playable(const media::Media& media);

Embeddable embeddable(const media::Media& media);

// A playlist plays its media that can be embedded. Returns the assets of the first media, the size,
// poster and colour of the first video or else of the first media, and the duration of all.
// Returns nullopt if the playlist lacks such media. Audio needs media::Detail::All, as above.
std::optional<Embeddable> embeddable(const media::Playlist& playlist,
                                     const std::vector<media::Media>& medias);

// Returns the reason for a playlist if none of its media can be embedded.
NotEmbeddable why_nothing_plays(const std::vector<media::Media>& medias);

// The link in a request, with the keys that check it.
struct Opener {
  const WatchKeys& keys;
  std::string_view token;  // "": none
};

// Refuses a media that cannot be embedded, and a private media that `opener` does not open.
base::Result<Embeddable, NotEmbeddable> opened(const media::Media& media, const Opener& opener);
// The same for users who need no link.
base::Result<Embeddable, NotEmbeddable> playable(const media::Media& media);

// Reads the media or playlist, and refuses if it cannot be embedded. A private media needs a link
// in `opener`, which outlives the task. Throws base::Unavailable if the store does not reply.
loop::Task<base::Result<Embeddable, NotEmbeddable>> find_embeddable(
    media::Catalog& catalog, MediaKind kind, const media::HashedId& id, media::Detail detail,
    media::Reads& reads, const Opener* opener = nullptr);

Span span_of(const Embeddable& subject, const WatchKeys& keys);

// Signs the addresses of the film's files, so that nginx serves them although the film is
// restricted or private (oembed-W10), and sets `pass`. Posters are open unless it is private.
// Without watch keys, does nothing.
void guard(Embeddable& subject, const WatchKeys& keys, const Span& span);
// The same for the files that a manifest names. `link`: that of Link::number().
void guard(media::Media& media, const WatchKeys& keys, const Span& span, std::int64_t link = 0);

}  // namespace svc::embed
