#include "media/media.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/api_paths.h"
#include "base/public_paths.h"
#include "media/record_table.h"
#include "text/ascii.h"
#include "text/characters.h"
#include "text/language_tag.h"
#include "text/record_gate.h"
#include "text/utf8.h"

namespace svc::media {

std::string_view why_not_chapter_title(std::string_view title) { return why_not_line(title); }

std::string why_not_given_chapter_title(std::string_view title) {
  if (!text::is_utf8(title)) return "must be UTF-8";
  if (text::json::written_size(title) > kMaxChapterBytes)
    return "must have at most " + std::to_string(kMaxChapterBytes) +
           " bytes in JSON, where each <, > and & takes six";
  return std::string(why_not_chapter_title(title));
}

namespace {

constexpr std::size_t kMaxAssets = 64;  // with captions and storyboard
static_assert(kMaxCaptions >= kMaxAssets);
constexpr std::string_view kVersion = "?v=";
constexpr std::size_t kMaxFailureBytes = 1024;
constexpr Words<Status, 4> kStatuses{{{"queued", Status::Queued},
                                      {"processing", Status::Processing},
                                      {"ready", Status::Ready},
                                      {"failed", Status::Failed}}};
constexpr Words<Visibility, 3> kVisibilities{{{"public", Visibility::Public},
                                              {"unlisted", Visibility::Unlisted},
                                              {"private", Visibility::Private}}};
constexpr Words<AssetType, 2> kAssetTypes{{{"hls", AssetType::Hls}, {"mp4", AssetType::Mp4}}};
// The types of assets in an import line.
enum class ImportedType { Hls, Mp4, Captions, Chapters, Storyboard };
constexpr Words<ImportedType, 5> kImportedTypes{{{"hls", ImportedType::Hls},
                                                 {"mp4", ImportedType::Mp4},
                                                 {"captions", ImportedType::Captions},
                                                 {"chapters", ImportedType::Chapters},
                                                 {"storyboard", ImportedType::Storyboard}}};

// RFC 6381, limited to characters that a quoted string of a manifest can
// contain.
std::string_view why_not_codecs(std::string_view codecs) {
  for (const char c : codecs) {
    if (!text::is_alnum(c) && std::string_view(".,-_+ ").find(c) == std::string_view::npos)
      return "must be a list of RFC 6381 codec names";
  }
  return "";
}

// RFC 8216 §4.3.4.1.1: the names in a group differ, and at most one member is
// the default.
void check_captions(text::JsonRecord& json, const Captions& added,
                    const std::vector<Captions>& before) {
  for (const Captions& other : before) {
    if (other.label == added.label) json.refuse("label", "is that of other captions of the media");
    if (other.by_default && added.by_default)
      json.refuse("default", "must be true for one of the media's captions only");
  }
}

std::string_view why_not_language(std::string_view language) {
  return text::is_language_tag(language) ? "" : "must be a BCP 47 language tag such as en or pt-BR";
}

std::string_view why_not_label(std::string_view label) {
  return is_captions_label(label)
             ? ""
             : "must have a visible character, and no control character or double quote";
}

std::string_view why_not_color(std::string_view color) {
  bool hex = color.size() == 6;
  for (const char c : color) hex &= text::is_hex_digit(c);
  return hex ? "" : "must be six hex digits or empty";
}

constexpr auto kThumbnail =
    base::describe<Thumbnail>(Field{"url", &Thumbnail::url, kUrl}, Field{"", &Thumbnail::size});

constexpr auto kSetPoster = base::describe<SetPoster>(
    Field{"source", &SetPoster::source, kUrl}, Field{"own", &SetPoster::own, Object{kThumbnail}});

constexpr auto kNextPoster =
    base::describe<NextPoster>(Field{"at", &NextPoster::at, Range<std::int64_t>{0, kMaxIntegerId}},
                               Field{"failed", &NextPoster::has_failed, Stored<>{}});

constexpr auto kAsset = base::describe<Asset>(
    Field{"type", &Asset::type, Given{kAssetTypes}}, Field{"url", &Asset::url, kUrl},
    Field{"", &Asset::size}, Field{"bandwidth", &Asset::bandwidth, kIntegers},
    Field{"average_bandwidth", &Asset::average_bandwidth, kIntegers},
    Field{"codecs", &Asset::codecs, Text{256, why_not_codecs, Absent::Written}},
    Field{"frame_rate", &Asset::frame_rate, Range{0.001, 1000.0}});

constexpr auto kCaptions = base::describe<Captions>(
    Field{"url", &Captions::url, kUrl},
    Field{"language", &Captions::language, Text{text::kMaxLanguageTag, why_not_language}},
    Field{"label", &Captions::label, Text{kMaxCaptionsLabelBytes, why_not_label}},
    Field{"default", &Captions::by_default});

constexpr auto kChapter = base::describe<Chapter>(
    Field{"at", &Chapter::at, Range<std::int64_t>{0, kMaxIntegerId}},
    Field{"title", &Chapter::title, Text{kMaxChapterBytes, why_not_chapter_title}});

constexpr auto kLink = base::describe<WatchLink>(
    Field{"id", &WatchLink::id, kIntegers},
    Field{"name", &WatchLink::name, Text{kMaxLinkName, nullptr, Absent::Omitted}},
    Field{"domain", &WatchLink::domain, Text{kMaxLinkDomain, nullptr, Absent::Omitted}},
    Field{"ends", &WatchLink::ends, kIntegers}, Field{"maker", &WatchLink::maker, kIntegers},
    Field{"refused_until", &WatchLink::refused_until, kIntegers});

void check_link(text::JsonRecord& json, const WatchLink& added,
                const std::vector<WatchLink>& before) {
  if (!before.empty() && added.id <= before.back().id)
    json.refuse("id", "must be after that of the link before");
  if (before.size() >= kMaxLinks)
    json.refuse("id", "is that of more than " + std::to_string(kMaxLinks) + " links");
}

void check_chapter(text::JsonRecord& json, const Chapter& added,
                   const std::vector<Chapter>& before) {
  if (!before.empty() && added.at <= before.back().at)
    json.refuse("at", "must be after that of the chapter before");
  if (before.size() >= kMaxChapters)
    json.refuse("at", "is that of more than " + std::to_string(kMaxChapters) + " chapters");
}
constexpr List kChapters{kChapter, check_chapter};

void accept(text::JsonRecord& /*json*/, const Asset& /*added*/,
            const std::vector<Asset>& /*before*/) {}

// In the second line.
template <class Rule = NoRule>
struct Second {
  Rule rule{};
};
template <class Rule>
Second(Rule) -> Second<Rule>;

struct UrlInObject {};

constexpr auto kMedia = base::describe<Media>(
    Field{"id", &Media::id}, Field{"account_id", &Media::account},
    Field{"project_id", &Media::project, Second<>{}},
    Field{"type", &Media::type, Text{64, why_not_name}},
    Field{"name", &Media::name, Text{kMaxNameBytes}},
    Field{"description", &Media::description,
          Second{Text{kMaxDescriptionBytes, nullptr, Absent::Written}}},
    Field{"status", &Media::status, kStatuses},
    Field{"duration", &Media::duration, Range{0.0, 1e7}}, Field{"", &Media::native},
    Field{"player_color", &Media::player_color, Text{6, why_not_color, Absent::Written}},
    Field{"thumbnail", &Media::thumbnail, Object{kThumbnail}},
    Field{"visibility", &Media::visibility, IfOther{kVisibilities}},
    Field{kAllowedDomainsField, &Media::allowed_domains},
    Field{"links_from", &Media::links_from, Stored{kIntegers}},
    Field{"links", &Media::links, Stored{List{kLink, check_link}}},
    Field{"created", &Media::created, Second{kTime}},
    Field{"updated", &Media::updated, Second{kTime}},
    Field{"assets", &Media::assets, Second{List{kAsset, accept}}},
    Field{"captions", &Media::captions, Second{Stored{List{kCaptions, check_captions}}}},
    Field{"chapters", &Media::chapters, Second{Stored{kChapters}}},
    Field{"chapters_are_set", &Media::chapters_are_set, Second{Stored<>{}}},
    Field{"storyboard", &Media::storyboard, Second{Stored{UrlInObject{}}}},
    Field{"failure", &Media::failure,
          Second{Stored{Text{kMaxFailureBytes, nullptr, Absent::Omitted}}}},
    Field{"customizations", &Media::customizations, Second{Stored<>{}}},
    Field{"set_poster", &Media::set_poster, Second{Stored{Object{kSetPoster}}}},
    Field{"next_poster", &Media::next_poster, Second{Stored{Object{kNextPoster}}}},
    Field{"folders", &Media::folders, Second{Stored{AtMost{kMaxFolders}}}});

const std::vector<std::string_view> kAssetKeys = keys_of(kAsset);
const std::vector<std::string_view> kCaptionsKeys = keys_of(kCaptions, {"type"});
const std::vector<std::string_view> kChaptersKeys{"type", "chapters"};
const std::vector<std::string_view> kStoryboardKeys{"type", "url"};

void read_asset(text::JsonRecord& json, Media& media) {
  const ImportedType type = read_choice(json, "type", kImportedTypes);
  switch (type) {
    case ImportedType::Hls:
    case ImportedType::Mp4: {
      json.allow_only(kAssetKeys);
      Asset& asset = media.assets.emplace_back();
      asset.type = type == ImportedType::Hls ? AssetType::Hls : AssetType::Mp4;
      read_members(json, kAsset, asset);
      break;
    }
    case ImportedType::Captions: {
      json.allow_only(kCaptionsKeys);
      Captions captions;
      read_members(json, kCaptions, captions);
      if (!captions.version().empty())
        json.refuse("url", "must not be that of captions that a client set");
      check_captions(json, captions, media.captions);
      media.captions.push_back(std::move(captions));
      break;
    }
    case ImportedType::Chapters:
      json.allow_only(kChaptersKeys);
      if (!media.chapters.empty())
        json.refuse("type", "must be chapters for one of the media's assets only");
      read_member(json, "chapters", media.chapters, kChapters);
      break;
    case ImportedType::Storyboard:
      json.allow_only(kStoryboardKeys);
      if (!media.storyboard.empty())
        json.refuse("type", "must be storyboard for one of the media's assets only");
      read_member(json, "url", media.storyboard, kUrl);
      break;
  }
}

// Captions, chapters and storyboard are among the assets of an import line.
void read_assets(text::JsonRecord& json, std::string_view key, Media& media) {
  const auto assets = json.array(key);
  if (!assets) return;
  if (assets->size() > kMaxAssets)
    json.refuse(key, "has more than " + std::to_string(kMaxAssets) + " entries");
  media.assets.reserve(assets->size());
  for (std::size_t i = 0; i < assets->size() && json.ok(); ++i) {
    text::JsonRecord inner(json, key, i, assets->at(i));
    read_asset(inner, media);
    json.adopt(inner);
  }
}

// Visits the rows of one line with their keys, members and rules.
template <bool kOfSecond, class Visit>
void for_each_of_line(const Visit& visit) {
  base::for_each(kMedia, [&](const auto& row) {
    if constexpr (kIs<std::remove_cvref_t<decltype(row.rule)>, Second>) {
      if constexpr (kOfSecond) visit(row.name, row.member, row.rule.rule);
    } else {
      if constexpr (!kOfSecond) visit(row.name, row.member, row.rule);
    }
  });
}

template <bool kOfSecond>
void read_line(text::JsonRecord& json, Media& media) {
  for_each_of_line<kOfSecond>([&](std::string_view key, auto member, const auto& rule) {
    using Rule = std::remove_cvref_t<decltype(rule)>;
    if constexpr (std::is_same_v<Rule, Stored<UrlInObject>>) {
      const auto object = json.optional_object(key);
      if (!object) return;
      text::JsonRecord inner(json, key, *object);
      read_member(inner, "url", media.*member, kUrl);
      json.adopt(inner);
    } else if constexpr (std::is_same_v<decltype(member), std::vector<Asset> Media::*>) {
      read_assets(json, key, media);
    } else {
      read_member(json, key, media.*member, rule);
    }
  });
}

template <class Value, class Rule>
void append_member(text::json::ObjectWriter& json, std::string_view key, const Value& value,
                   const Rule& rule) {
  if constexpr (!std::is_same_v<Rule, Stored<UrlInObject>>) {
    write_member(json, key, value, rule);
  } else if (!value.empty()) {
    text::json::ObjectWriter(json.raw(key)).string("url", value).end();
  }
}

template <bool kOfSecond>
void append_line(std::string& out, const Media& media) {
  text::json::ObjectWriter json(out);
  for_each_of_line<kOfSecond>([&](std::string_view key, auto member, const auto& rule) {
    append_member(json, key, media.*member, rule);
  });
  json.end();
}

// Both lines, for the gate (text/record_gate.h).
struct MediaRecord {
  static constexpr std::size_t kLimit = kMaxMediaRecord;
  static constexpr auto kMayGrow = kWhoMayWatch;

  static std::string write(const Media& media) {
    std::string out;
    out.reserve(512 + media.assets.size() * 256);
    append_line<false>(out, media);
    out += '\n';
    append_line<true>(out, media);
    return out;
  }
  static base::Result<Media, std::string> read(std::string_view written) {
    text::json::Document document;
    return media_from_stored(document, written, Detail::All);
  }
  template <class Visit>
  static void for_each_field(const Visit& visit) {
    const auto visit_row = [&](std::string_view key, auto member, const auto& rule) {
      visit(
          field_name(key),
          [&](text::json::ObjectWriter& json, const Media& media) {
            append_member(json, key, media.*member, rule);
          },
          [&](const Media& written, const Media& read) {
            return is_same(written.*member, read.*member, rule);
          });
    };
    for_each_of_line<false>(visit_row);
    for_each_of_line<true>(visit_row);
  }
};

}  // namespace

const std::vector<std::string_view> kMediaKeys = keys_of(kMedia, {"kind"});

base::Result<Media, std::string> media_from_record(text::JsonRecord& record) {
  Media media;
  read_line<false>(record, media);
  read_line<true>(record, media);
  if (!record.ok()) return base::Refusal{record.error()};
  return media;
}

base::Result<Media, std::string> media_from_stored(text::json::Document& document,
                                                   std::string_view text, Detail detail) {
  Media media;
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos)
    return base::Refusal{std::string("must have two lines, but has one")};
  const auto read = [&](std::string_view line, auto read_part) -> std::string {
    const auto value = document.parse(line, text::json::Origin::Ours);
    if (!value) return value.error();
    text::JsonRecord record(*value);
    read_part(record, media);
    return record.error();
  };
  std::string error = read(text.substr(0, end), read_line<false>);
  if (error.empty() && detail == Detail::All) error = read(text.substr(end + 1), read_line<true>);
  if (!error.empty()) return base::Refusal{std::move(error)};
  return media;
}

std::optional<AccountId> account_in_stored(text::json::Document& document, std::string_view text) {
  return member_in<AccountId, Media>(document, text.substr(0, text.find('\n')), kMedia);
}

// A quoted string of a manifest cannot contain a double quote (RFC 8216 §4.2),
// and has no escape for one.
bool is_captions_label(std::string_view label) {
  bool visible = false;
  while (!label.empty()) {
    const std::size_t length = text::utf8_length(label);
    if (length == 0) return false;
    const std::string_view character = label.substr(0, length);
    if (character == "\"" || text::is_obeyed(character)) return false;
    visible |= !text::is_blank(character);
    label.remove_prefix(length);
  }
  return visible;
}

bool Captions::is_segmented() const {
  const std::string_view path = std::string_view(url).substr(0, url.find_first_of("?#"));
  return path.ends_with(".m3u8");
}

std::string_view Captions::version() const {
  const std::size_t at = url.rfind(kVersion);
  return at != std::string::npos && url.starts_with(base::paths::kCaptionsFile.before())
             ? std::string_view(url).substr(at + kVersion.size())
             : std::string_view();
}

std::string url_of_captions(const HashedId& media, std::string_view language,
                            std::string_view version) {
  return base::paths::kCaptionsFile.with(media.value(), language).append(kVersion).append(version);
}

std::optional<OwnFile> own_file(std::string_view url) {
  constexpr std::string_view kBefore = base::paths::kFiles.before();
  if (!url.starts_with(kBefore)) return std::nullopt;
  url = url.substr(kBefore.size(), url.find_first_of("?#") - kBefore.size());
  const std::size_t slash = url.find('/');
  if (slash == std::string_view::npos || url.ends_with('/')) return std::nullopt;
  const auto folder = HashedId::parse(url.substr(0, slash));
  if (!folder || url.find("/.") != std::string_view::npos ||
      url.find("//") != std::string_view::npos)
    return std::nullopt;
  return OwnFile{*folder, std::string(url.substr(slash + 1))};
}

std::string url_of_file(const HashedId& folder, std::string_view name) {
  return base::paths::kFiles.with(folder.value() + "/" + std::string(name));
}

std::vector<std::string_view> urls_without_posters(const Media& media) {
  std::vector<std::string_view> urls;
  for (const Asset& asset : media.assets) urls.emplace_back(asset.url);
  for (const Captions& captions : media.captions) urls.emplace_back(captions.url);
  if (!media.storyboard.empty()) urls.emplace_back(media.storyboard);
  return urls;
}

std::vector<std::string_view> urls_of(const Media& media) {
  std::vector<std::string_view> urls = urls_without_posters(media);
  if (media.thumbnail) urls.emplace_back(media.thumbnail->url);
  if (media.set_poster && media.set_poster->own) urls.emplace_back(media.set_poster->own->url);
  return urls;
}

const Asset* own_video(const Media& media) {
  const auto rank = [](const Asset& asset) {
    const auto pixels = static_cast<std::int64_t>(asset.size->width) * asset.size->height;
    return std::pair(pixels, asset.type == AssetType::Mp4);
  };
  const Asset* best = nullptr;
  for (const Asset& asset : media.assets) {
    if (!asset.size || !own_file(asset.url)) continue;
    if (best == nullptr || rank(*best) < rank(asset)) best = &asset;
  }
  return best;
}

std::string url_of_moment(const Asset& video, std::int64_t at) {
  const std::string ms = std::to_string(1000 + at % 1000).substr(1);
  return video.url + "#t=" + std::to_string(at / 1000) + "." + ms;
}

void end_links(Media& media, std::int64_t now) {
  media.links_from = std::max(now, media.links_from.value_or(0)) + 1;
  media.links.clear();  // no signature of before is good
}

const WatchLink* open_link(const Media& media, std::int64_t id) {
  const auto found = std::ranges::find(media.links, id, &WatchLink::id);
  return found != media.links.end() && found->is_open() ? &*found : nullptr;
}

bool add_link(Media& media, WatchLink& link, std::int64_t now) {
  if (media.links.size() >= kMaxLinks) return false;
  link.id = std::max(now, media.links_from.value_or(0));
  if (!media.links.empty()) link.id = std::max(link.id, media.links.back().id + 1);
  media.links.push_back(link);
  return true;
}

void forget_ended_links(Media& media, std::int64_t now) {
  std::erase_if(media.links, [now](const WatchLink& link) {
    return link.refused_until.value_or(link.ends) <= now;
  });
}

void set_visibility(Media& media, Visibility visibility, std::int64_t now) {
  if (visibility == Visibility::Private && !media.is_private()) end_links(media, now);
  media.visibility = visibility;
}

const std::optional<Thumbnail>& own_poster(const Media& media) {
  return media.set_poster ? media.set_poster->own : media.thumbnail;
}

void set_own_poster(Media& media, std::optional<Thumbnail> poster) {
  (media.set_poster ? media.set_poster->own : media.thumbnail) = std::move(poster);
}

std::string_view to_text(Visibility visibility) { return name_of(kVisibilities, visibility); }

std::optional<Visibility> visibility_of(std::string_view word) {
  for (const auto& [name, visibility] : kVisibilities) {
    if (name == word) return visibility;
  }
  return std::nullopt;
}

std::vector<std::string_view> visibility_words() {
  std::vector<std::string_view> words;
  for (const auto& [name, visibility] : kVisibilities) words.push_back(name);
  return words;
}

std::string why_not_visibility(const std::string& word) {
  if (visibility_of(word)) return "";
  std::string allowed;
  for (const std::string_view each : visibility_words())
    allowed.append(allowed.empty() ? "must be one of " : ", ").append(each);
  return allowed;
}

std::string_view to_text(Status status) { return name_of(kStatuses, status); }

std::string_view to_text(AssetType type) { return name_of(kAssetTypes, type); }

void append_captions(text::json::ObjectWriter& json, const Captions& captions,
                     std::string_view url) {
  base::for_each(kCaptions, [&](const auto& row) {
    if (row.name == "url") {
      json.string(row.name, url);
    } else {
      write_member(json, row.name, captions.*row.member, row.rule);
    }
  });
}

std::string why_not_titles(const std::vector<Chapter>& chapters,
                           const std::vector<Chapter>& before) {
  const auto bytes_of = [](const std::vector<Chapter>& all) {
    std::size_t bytes = 0;
    for (const Chapter& chapter : all) bytes += text::json::written_size(chapter.title);
    return bytes;
  };
  const std::size_t bytes = bytes_of(chapters);
  if (bytes <= kMaxTitlesBytes || bytes <= bytes_of(before)) return "";
  return "must have titles of at most " + std::to_string(kMaxTitlesBytes) +
         " bytes together in JSON, not of " + std::to_string(bytes);
}

std::string to_record(const Media& media, const Media* before) {
  const std::string why =
      why_not_titles(media.chapters, before == nullptr ? std::vector<Chapter>() : before->chapters);
  if (!why.empty()) throw base::Unwritable("chapters " + why);
  return text::pass_gate<MediaRecord>(media, before);
}

}  // namespace svc::media
