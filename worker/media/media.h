// Media: one video, audio or document of an account, as in the catalog.
//
// Stored as two lines of JSON with the keys of the import format. The first
// line has the fields that an embed code needs, the second the rest. Most
// requests need only the first, and so parse a third of the record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "media/allowed_domains.h"
#include "media/customizations.h"
#include "media/id.h"
#include "text/json.h"
#include "text/json_record.h"

namespace svc::media {

struct Dimensions {
  int width = 0;
  int height = 0;
  bool operator==(const Dimensions&) const = default;
};
// Appends both sides, or null for each.
void append_dimensions(text::json::ObjectWriter& json, const std::optional<Dimensions>& size);
// If no size was requested: of a video (oembed-S1), and of a popover's
// thumbnail.
inline constexpr Dimensions kDefaultDimensions{640, 360};
inline constexpr Dimensions kPopoverThumbnail{150, 100};

struct Thumbnail {
  std::string url;
  std::optional<Dimensions> size;
  bool operator==(const Thumbnail&) const = default;
};

// A poster that a client set (api-M3). The media's thumbnail is the picture's URL, until svc-ingest
// has copied its file into the media's folder.
struct SetPoster {
  std::string source;            // the picture's URL
  std::optional<Thumbnail> own;  // the picture that the media shows without it
  bool operator==(const SetPoster&) const = default;
};

// A picture of the video is to become its poster (pages-W63). svc-ingest makes it.
struct NextPoster {
  std::int64_t at = 0;      // in the video, in ms
  bool has_failed = false;  // no picture can be made there
  bool operator==(const NextPoster&) const = default;
};

// The limit of folders that a media has from other media, by swaps.
inline constexpr std::size_t kMaxFolders = 100;

enum class AssetType { Hls, Mp4 };
std::string_view to_text(AssetType type);  // as in an import line

struct Asset {
  AssetType type = AssetType::Hls;
  std::string url;                 // absolute, or a path below the asset base
  std::optional<Dimensions> size;  // absent for audio
  std::int64_t bandwidth = 0;      // peak, bit/s
  std::optional<std::int64_t> average_bandwidth;
  std::string codecs;                // RFC 6381; empty: unknown
  std::optional<double> frame_rate;  // frames per second
};

// One captions track. In an import line it is an asset of type "captions"; in
// the store it is under a key of its own, which workers of older versions
// ignore.
struct Captions {
  std::string url;       // absolute, or a path below the asset base
  std::string language;  // BCP 47
  std::string label;     // for viewers; unique in its media, can be a quoted string of a manifest
  bool by_default = false;  // shown unless the viewer chose otherwise; at most one per media

  // Returns true for an HLS media playlist of WebVTT segments (RFC 8216 §3.5):
  // the path of the URL ends in ".m3u8". Otherwise it is one WebVTT file.
  bool is_segmented() const;
  // Returns the version of the text that a client set (media/caption_texts.h), a view of the URL.
  // "": a file that an import or svc-ingest names.
  std::string_view version() const;
  bool operator==(const Captions&) const = default;
};

// The URL of captions whose text a client set: a path of the embed host, new with each version.
std::string url_of_captions(const HashedId& media, std::string_view language,
                            std::string_view version);

// Per media, including captions from an import.
inline constexpr std::size_t kMaxCaptions = 64;

// Appends the keys of captions, with their URL as given.
void append_captions(text::json::ObjectWriter& json, const Captions& captions,
                     std::string_view url);

// Returns true if the label has a visible character and can be a quoted string
// of a manifest: no double quote, no character that terminals or browsers obey.
bool is_captions_label(std::string_view label);
inline constexpr std::size_t kMaxCaptionsLabelBytes = 128;

// A part of a media, until the next one begins. In an import line they are an asset of type
// "chapters".
struct Chapter {
  std::int64_t at = 0;  // ms from the beginning
  std::string title;    // for viewers
  bool operator==(const Chapter&) const = default;
};
inline constexpr std::size_t kMaxChapters = 200;
inline constexpr std::size_t kMaxChapterBytes = 256;
// Returns why a text cannot be the title of a chapter, "must …"; "" if it can.
std::string_view why_not_chapter_title(std::string_view title);
// The same of a title that an application or a form sets, whose limit counts what is stored.
std::string why_not_given_chapter_title(std::string_view title);
// The limit of all titles together, in JSON. Returns "must …" if they are above, unless those of
// `before` are not shorter; "" otherwise.
inline constexpr std::size_t kMaxTitlesBytes = 16 * 1024;
std::string why_not_titles(const std::vector<Chapter>& chapters,
                           const std::vector<Chapter>& before);

// Who finds a media (api-V1). Unlisted: who knows its id. Private: who has a link
// (embed/watch_keys.h).
enum class Visibility { Public, Unlisted, Private };
inline constexpr std::string_view kVisibilityField = "visibility";  // in forms and bodies
std::string_view to_text(Visibility visibility);                    // as in an import line
std::vector<std::string_view> visibility_words();
// As an application or a form names it. nullopt: there is no such word.
std::optional<Visibility> visibility_of(std::string_view word);
std::string why_not_visibility(const std::string& word);  // "must be …", or ""

// A link to a private media (embed/watch_keys.h) that ends by itself, at most kMaxLinks per media.
// The token of a link is stored nowhere.
struct WatchLink {
  std::int64_t id = 0;    // when it was made, in ms since 1970; no other of the media has it
  std::string name;       // written by users, not trusted; "": none
  std::string domain;     // as in allowed_domains; "": each that may show the media
  std::int64_t ends = 0;  // seconds since 1970
  std::optional<std::int64_t> maker{};  // the contact's id; nullopt: no contact made it
  // It was ended. Addresses of files that were made for it are refused until then, in seconds since
  // 1970: afterwards they have ended.
  std::optional<std::int64_t> refused_until{};

  bool is_open() const { return !refused_until; }
  bool operator==(const WatchLink&) const = default;
};
inline constexpr std::size_t kMaxLinks = 100;       // with those that were ended
inline constexpr std::size_t kMaxLinkName = 128;    // bytes
inline constexpr std::size_t kMaxLinkDomain = 128;  // bytes

enum class Status { Queued, Processing, Ready, Failed };
std::string_view to_text(Status status);  // as in an import line

// Bytes of a record, without texts of captions.
inline constexpr std::size_t kMaxMediaRecord = 32 * 1024;

struct Media {
  HashedId id;
  AccountId account;
  std::optional<ProjectId> project;
  std::string type;         // Video, Audio, Image, PdfDocument, …
  std::string name;         // written by users, not trusted
  std::string description;  // HTML written by users, not trusted
  Status status = Status::Queued;
  std::optional<double> duration;    // seconds
  std::optional<Dimensions> native;  // pixels
  std::string player_color;          // six hex digits or empty
  std::optional<Thumbnail> thumbnail;
  // nullopt: public, or in an import line that of the stored record.
  std::optional<Visibility> visibility;
  // Where it may be shown (oembed-W1). nullopt: where its account says, or in an import line as in
  // the stored record.
  std::optional<AllowedDomains> allowed_domains;
  // In stored records only, as below: links and signatures that were made before are refused, in ms
  // since 1970 (oembed-W9). nullopt: never private until now.
  std::optional<std::int64_t> links_from;
  std::vector<WatchLink> links;  // the same, in the order of their ids
  std::string created;           // RFC 3339
  std::string updated;           // RFC 3339
  std::vector<Asset> assets;
  std::vector<Captions> captions;
  std::vector<Chapter> chapters;  // in their order
  // In stored records only: an application or a form set them, and an import leaves them (api-N11).
  bool chapters_are_set = false;
  // URL of a WebVTT file whose cues name parts of a picture (#xywh=), for the
  // position bar of a player; absolute, or a path below the asset base. Empty:
  // none. In an import line it is an asset of type "storyboard".
  std::string storyboard;
  // Why an upload failed, for users. In stored records only; workers of older
  // versions ignore it.
  std::string failure;
  // In stored records only, as above: an import leaves those of the stored record (api-N11).
  Customizations customizations;
  std::optional<SetPoster> set_poster;
  std::optional<NextPoster> next_poster;
  // Folders of files that belong to this media, in addition to the folder with its own id: from
  // media that were swapped into it.
  std::vector<HashedId> folders;

  Visibility visible() const { return visibility.value_or(Visibility::Public); }
  bool is_private() const { return visible() == Visibility::Private; }
  bool is_video() const { return type == "Video"; }
  bool is_audio() const { return type == "Audio"; }
};

// A file that svc-ingest made, by its URL.
struct OwnFile {
  HashedId folder;
  std::string name;  // below the folder, without dots at the beginning of its parts
};
// Returns nullopt for any other URL.
std::optional<OwnFile> own_file(std::string_view url);
// The URL of a file in the folder.
std::string url_of_file(const HashedId& folder, std::string_view name);

// Returns all URLs of files in the record.
std::vector<std::string_view> urls_of(const Media& media);
std::vector<std::string_view> urls_without_posters(const Media& media);

// The video file of ours with the most pixels, of two with as many the MP4. nullptr: none.
const Asset* own_video(const Media& media);
// The address of a picture of that file, as the source of a poster: a Media Fragments URI 1.0.
std::string url_of_moment(const Asset& video, std::int64_t at);  // in ms

// Ends all links to the media: those to come are newer. `now` in ms since 1970.
void end_links(Media& media, std::int64_t now);

// Returns the link if it was not ended; nullptr: there is none.
const WatchLink* open_link(const Media& media, std::int64_t id);
// Adds a link, with the next id from `now` on, in ms since 1970. Returns false if there are as many
// as there may be.
bool add_link(Media& media, WatchLink& link, std::int64_t now);
// Removes links whose end, or whose files' end, is over. `now` in seconds since 1970.
void forget_ended_links(Media& media, std::int64_t now);

// Sets who finds the media. One that becomes private has no link from an earlier time.
void set_visibility(Media& media, Visibility visibility, std::int64_t now);

// The poster that the media shows unless a client sets one.
const std::optional<Thumbnail>& own_poster(const Media& media);
void set_own_poster(Media& media, std::optional<Thumbnail> poster);

// Reads one line of an import file. The refusal names the key. Unknown keys are
// ignored, unless the record is strict and the caller used
// allow_only(kMediaKeys) before.
base::Result<Media, std::string> media_from_record(text::JsonRecord& record);

// Returns the two lines, without a newline after the second. `before`: the stored record that it
// replaces. As of every record, throws base::Unwritable if the gate refuses it
// (text/record_gate.h).
std::string to_record(const Media& media, const Media* before = nullptr);
// Reads these lines. With Detail::Embed it leaves project, description, times, assets and captions
// empty.
enum class Detail { Embed, All };
base::Result<Media, std::string> media_from_stored(text::json::Document& document,
                                                   std::string_view text, Detail detail);

// Returns the account of a stored record, also of one that media_from_stored() refuses. nullopt:
// the first line has none.
std::optional<AccountId> account_in_stored(text::json::Document& document, std::string_view text);

extern const std::vector<std::string_view> kMediaKeys;

}  // namespace svc::media
