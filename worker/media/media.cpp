#include "media/media.h"

#include <array>
#include <utility>

#include "media/record_fields.h"
#include "text/ascii.h"
#include "text/characters.h"
#include "text/language_tag.h"
#include "text/uri.h"
#include "text/utf8.h"

namespace svc::media {
namespace {

constexpr int kMaxSide = 32768;
constexpr std::size_t kMaxAssets = 64;  // with captions and storyboard
constexpr std::size_t kMaxFailureBytes = 1024;
constexpr std::array<std::pair<std::string_view, Status>, 4> kStatuses{
    {{"queued", Status::Queued},
     {"processing", Status::Processing},
     {"ready", Status::Ready},
     {"failed", Status::Failed}}};
constexpr std::array<std::pair<std::string_view, AssetType>, 2> kAssetTypes{
    {{"hls", AssetType::Hls}, {"mp4", AssetType::Mp4}}};
// Of the assets in an import line.
enum class ImportedType { Hls, Mp4, Captions, Storyboard };
constexpr std::array<std::pair<std::string_view, ImportedType>, 4> kImportedTypes{
    {{"hls", ImportedType::Hls},
     {"mp4", ImportedType::Mp4},
     {"captions", ImportedType::Captions},
     {"storyboard", ImportedType::Storyboard}}};

const std::vector<std::string_view> kAssetKeys{
    "type", "url", "width", "height", "bandwidth", "codecs", "frame_rate", "average_bandwidth"};
const std::vector<std::string_view> kCaptionsKeys{"type", "url", "language", "label", "default"};
const std::vector<std::string_view> kStoryboardKeys{"type", "url"};

// Width and height belong together: with only one, the ratio is unknown.
std::optional<Dimensions> read_dimensions(text::JsonRecord& record) {
  const auto width = record.optional_integer("width", 1, kMaxSide);
  const auto height = record.optional_integer("height", 1, kMaxSide);
  if (width.has_value() != height.has_value()) {
    record.refuse(width ? "height" : "width", "is missing: width and height must be set together");
  }
  if (!width || !height) return std::nullopt;
  return Dimensions{static_cast<int>(*width), static_cast<int>(*height)};
}

std::string read_url(text::JsonRecord& record) {
  std::string url = record.text("url", 2048);
  if (record.ok() && !text::is_http_uri_or_path(url)) {
    record.refuse("url", "must be an absolute http(s) URI or a path that begins with one slash");
  }
  return url;
}

// RFC 6381, limited to characters that a quoted string of a manifest can
// contain.
bool is_codecs(std::string_view codecs) {
  for (const char c : codecs) {
    if (!text::is_alnum(c) && std::string_view(".,-_+ ").find(c) == std::string_view::npos)
      return false;
  }
  return true;
}

Captions read_captions(text::JsonRecord& record) {
  Captions captions;
  captions.url = read_url(record);
  captions.language = record.text("language", text::kMaxLanguageTag);
  if (record.ok() && !text::is_language_tag(captions.language))
    record.refuse("language", "must be a BCP 47 language tag such as en or pt-BR");
  captions.label = record.text("label", kMaxCaptionsLabelBytes);
  if (record.ok() && !is_captions_label(captions.label))
    record.refuse("label",
                  "must have a visible character, and no control character or double quote");
  captions.by_default = record.optional_boolean("default", false);
  return captions;
}

// RFC 8216 §4.3.4.1.1: the names in a group differ, and at most one member is
// the default.
void add_captions(text::JsonRecord& record, Captions captions, std::vector<Captions>& all) {
  for (const Captions& other : all) {
    if (record.ok() && other.label == captions.label)
      record.refuse("label", "is that of other captions of the media");
    if (record.ok() && other.by_default && captions.by_default)
      record.refuse("default", "must be true for one of the media's captions only");
  }
  all.push_back(std::move(captions));
}

Asset read_asset(text::JsonRecord& record, AssetType type) {
  Asset asset;
  asset.type = type;
  asset.url = read_url(record);
  asset.size = read_dimensions(record);
  asset.bandwidth = record.integer("bandwidth", 1, kMaxIntegerId);
  asset.average_bandwidth = record.optional_integer("average_bandwidth", 1, kMaxIntegerId);
  asset.codecs = record.optional_text("codecs", 256).value_or("");
  if (!is_codecs(asset.codecs)) record.refuse("codecs", "must be a list of RFC 6381 codec names");
  asset.frame_rate = record.optional_number("frame_rate", 0.001, 1000);
  return asset;
}

void append_dimensions(text::json::ObjectWriter& writer, const std::optional<Dimensions>& size) {
  if (size) {
    writer.integer("width", size->width).integer("height", size->height);
  } else {
    writer.null("width").null("height");
  }
}

void read_embed_part(text::JsonRecord& record, Media& media) {
  media.id = read_hashed_id(record, "id");
  media.account = {record.integer("account_id", 1, kMaxIntegerId)};
  media.type = record.text("type", 64);
  if (media.type.empty()) record.refuse("type", "must not be empty");
  media.name = record.text("name", kMaxNameBytes);
  media.status = read_choice(record, "status", kStatuses);
  media.duration = record.optional_number("duration", 0, 1e7);
  media.native = read_dimensions(record);
  media.player_color = record.optional_text("player_color", 6).value_or("");
  if (!media.player_color.empty()) {
    bool hex = media.player_color.size() == 6;
    for (const char c : media.player_color) hex &= text::is_hex_digit(c);
    if (!hex) record.refuse("player_color", "must be six hex digits or empty");
  }
  if (const auto thumbnail = record.optional_object("thumbnail")) {
    static const std::vector<std::string_view> kKeys{"url", "width", "height"};
    text::JsonRecord fields(record, "thumbnail", *thumbnail);
    fields.allow_only(kKeys);
    media.thumbnail = Thumbnail{read_url(fields), read_dimensions(fields)};
    record.adopt(fields);
  }
}

void read_rest(text::JsonRecord& record, Media& media) {
  if (record.optional_text("project_id", ProjectId::kMaxLength))
    media.project = read_project_id(record, "project_id");
  media.description = record.optional_text("description", kMaxDescriptionBytes).value_or("");
  media.created = read_time(record, "created");
  media.updated = read_time(record, "updated");
  if (const auto assets = record.array("assets")) {
    if (assets->size() > kMaxAssets) {
      record.refuse("assets", "has more than " + std::to_string(kMaxAssets) + " entries");
    }
    media.assets.reserve(assets->size());
    for (std::size_t i = 0; i < assets->size() && record.ok(); ++i) {
      text::JsonRecord fields(record, "assets", i, assets->at(i));
      switch (read_choice(fields, "type", kImportedTypes)) {
        case ImportedType::Hls:
          fields.allow_only(kAssetKeys);
          media.assets.push_back(read_asset(fields, AssetType::Hls));
          break;
        case ImportedType::Mp4:
          fields.allow_only(kAssetKeys);
          media.assets.push_back(read_asset(fields, AssetType::Mp4));
          break;
        case ImportedType::Captions:
          fields.allow_only(kCaptionsKeys);
          add_captions(fields, read_captions(fields), media.captions);
          break;
        case ImportedType::Storyboard:
          fields.allow_only(kStoryboardKeys);
          if (!media.storyboard.empty())
            fields.refuse("type", "must be storyboard for one of the media's assets only");
          media.storyboard = read_url(fields);
          break;
      }
      record.adopt(fields);
    }
  }
  // In stored records only: kMediaKeys does not contain these.
  if (const auto captions = record.optional_array("captions")) {
    for (std::size_t i = 0; i < captions->size() && record.ok(); ++i) {
      text::JsonRecord fields(record, "captions", i, captions->at(i));
      add_captions(fields, read_captions(fields), media.captions);
      record.adopt(fields);
    }
  }
  if (const auto storyboard = record.optional_object("storyboard")) {
    text::JsonRecord fields(record, "storyboard", *storyboard);
    media.storyboard = read_url(fields);
    record.adopt(fields);
  }
  media.failure = record.optional_text("failure", kMaxFailureBytes).value_or("");
}

}  // namespace

const std::vector<std::string_view> kMediaKeys{
    "kind",        "id",      "account_id", "project_id", "type",   "name",
    "description", "status",  "duration",   "width",      "height", "player_color",
    "thumbnail",   "created", "updated",    "assets"};

base::Result<Media, std::string> media_from_record(text::JsonRecord& record) {
  Media media;
  read_embed_part(record, media);
  read_rest(record, media);
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
  std::string error = read(text.substr(0, end), read_embed_part);
  if (error.empty() && detail == Detail::All) error = read(text.substr(end + 1), read_rest);
  if (!error.empty()) return base::Refusal{std::move(error)};
  return media;
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

std::string_view to_text(Status status) { return name_of(kStatuses, status); }

std::string to_record(const Media& media) {
  std::string out;
  out.reserve(512 + media.assets.size() * 256);
  text::json::ObjectWriter writer(out);
  writer.string("id", media.id.text())
      .integer("account_id", media.account.number)
      .string("type", media.type)
      .string("name", media.name)
      .string("status", name_of(kStatuses, media.status));
  if (media.duration) writer.decimal("duration", *media.duration);
  append_dimensions(writer, media.native);
  writer.string("player_color", media.player_color);
  if (media.thumbnail) {
    text::json::ObjectWriter thumbnail(writer.raw("thumbnail"));
    thumbnail.string("url", media.thumbnail->url);
    append_dimensions(thumbnail, media.thumbnail->size);
    thumbnail.end();
  }
  writer.end();
  out += '\n';
  text::json::ObjectWriter rest(out);
  if (media.project) rest.string("project_id", media.project->text);
  rest.string("description", media.description)
      .string("created", media.created)
      .string("updated", media.updated);
  text::json::ArrayWriter assets(rest.raw("assets"));
  for (const Asset& asset : media.assets) {
    text::json::ObjectWriter fields(assets.next());
    fields.string("type", name_of(kAssetTypes, asset.type)).string("url", asset.url);
    append_dimensions(fields, asset.size);
    fields.integer("bandwidth", asset.bandwidth);
    if (asset.average_bandwidth) fields.integer("average_bandwidth", *asset.average_bandwidth);
    fields.string("codecs", asset.codecs);
    if (asset.frame_rate) fields.decimal("frame_rate", *asset.frame_rate);
    fields.end();
  }
  assets.end();
  if (!media.captions.empty()) {
    text::json::ArrayWriter captions(rest.raw("captions"));
    for (const Captions& track : media.captions) {
      text::json::ObjectWriter fields(captions.next());
      fields.string("url", track.url)
          .string("language", track.language)
          .string("label", track.label)
          .boolean("default", track.by_default)
          .end();
    }
    captions.end();
  }
  if (!media.storyboard.empty()) {
    text::json::ObjectWriter fields(rest.raw("storyboard"));
    fields.string("url", media.storyboard).end();
  }
  if (!media.failure.empty()) rest.string("failure", media.failure);
  rest.end();
  return out;
}

}  // namespace svc::media
