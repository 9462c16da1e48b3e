#include "endpoints/media_response.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/fields.h"
#include "base/unreadable.h"
#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "loop/all.h"
#include "loop/attempt.h"
#include "media/record_table.h"
#include "text/json.h"

namespace svc::endpoints {

namespace {

using base::Field;
using media::Asset;
using media::Media;
using media::Project;
using media::Thumbnail;
using text::json::ObjectWriter;

struct Shown {
  const embed::Site& site;
  const Media& media;
  const std::optional<Project>& project;
  double progress;
};

// What else a row has than its key. Other rules are those of media/record_table.h.
struct NotShown {};
struct OrNull {};
struct Url {};
struct WithProgress {};
struct OrPublic {};
struct TheProject {};  // the record, not its id
struct WithNumber {};  // after a number that is made from it
struct AllAssets {};   // with captions and storyboard
constexpr media::Text kText{0};
constexpr media::Text kIfAny{0, nullptr, media::Absent::Omitted};

// A row that is shown, for developers. `format`: of JSON Schema.
template <class Rule>
struct Shows {
  std::string_view words;
  Rule rule{};
  std::string_view format{};
};
template <class Rule>
Shows(std::string_view, Rule) -> Shows<Rule>;
template <class Rule>
Shows(std::string_view, Rule, std::string_view) -> Shows<Rule>;
template <class Rule = base::NoRule>
Shows(std::string_view) -> Shows<Rule>;
constexpr std::string_view kTime = "date-time";

// In the order of the response. A member without a row does not compile.
constexpr auto kThumbnail =
    base::describe<Thumbnail>(Field{"url", &Thumbnail::url, Shows{"Of the picture.", Url{}}},
                              Field{"", &Thumbnail::size, Shows{"In pixels."}});
constexpr auto kAsset = base::describe<Asset>(
    Field{"type", &Asset::type, Shows{"An HLS playlist or an MP4 file."}},
    Field{"url", &Asset::url, Shows{"Of the file.", Url{}}},
    Field{"", &Asset::size, Shows{"In pixels; null without a picture."}},
    Field{"bandwidth", &Asset::bandwidth, Shows{"The most bits per second."}},
    Field{"average_bandwidth", &Asset::average_bandwidth, Shows{"Bits per second."}},
    Field{"", &Asset::codecs, NotShown{}}, Field{"", &Asset::frame_rate, NotShown{}});
constexpr auto kProject = base::describe<Project>(
    Field{"hashedId", &Project::id, Shows{"The id in paths.", WithNumber{}}},
    Field{"name", &Project::name, Shows{"Written by users.", kText}},
    Field{"", &Project::account, NotShown{}}, Field{"", &Project::description, NotShown{}},
    Field{"", &Project::created, NotShown{}}, Field{"", &Project::updated, NotShown{}});
constexpr auto kMedia = base::describe<Media>(
    Field{"hashed_id", &Media::id, Shows{"The id in paths and embed codes."}},
    Field{"name", &Media::name, Shows{"Written by users.", kText}},
    Field{"type", &Media::type, Shows{"Such as `Video`, `Audio`, `Image`, `PdfDocument`.", kText}},
    Field{"description", &Media::description,
          Shows{"Written by users, perhaps with HTML: do not trust it.", kText}},
    Field{"status", &Media::status, Shows{"What happens to its file.", WithProgress{}}},
    Field{"failure", &Media::failure, Shows{"Why its upload failed, for users.", kIfAny}},
    Field{"duration", &Media::duration, Shows{"In seconds.", OrNull{}}},
    Field{"created", &Media::created, Shows{"When it was created.", kText, kTime}},
    Field{"updated", &Media::updated, Shows{"When it last changed.", kText, kTime}},
    Field{"project", &Media::project, Shows{"Its project.", TheProject{}}},
    Field{"thumbnail", &Media::thumbnail, Shows{"Its poster."}},
    Field{
        "visibility", &Media::visibility,
        Shows{
            "Who may watch it: an `unlisted` one who knows its id, a `private` one who has a link.",
            OrPublic{}}},
    Field{media::kAllowedDomainsField, &Media::allowed_domains,
          Shows{"The sites whose pages may show it. Null: those of the account; none: every site.",
                OrNull{}}},
    Field{"assets", &Media::assets, Shows{"Its files, captions and storyboard.", AllAssets{}}},
    Field{"", &Media::captions, NotShown{}}, Field{"", &Media::chapters, NotShown{}},
    Field{"", &Media::chapters_are_set, NotShown{}}, Field{"", &Media::storyboard, NotShown{}},
    Field{"", &Media::account, NotShown{}}, Field{"", &Media::native, NotShown{}},
    Field{"", &Media::player_color, NotShown{}}, Field{"", &Media::customizations, NotShown{}},
    Field{"", &Media::set_poster, NotShown{}}, Field{"", &Media::next_poster, NotShown{}},
    Field{"", &Media::folders, NotShown{}}, Field{"", &Media::links_from, NotShown{}},
    Field{"", &Media::links, NotShown{}});

template <class Table, class Record>
void write_rows(ObjectWriter& json, const Shown& shown, const Table& table, const Record& record);
template <class Table, class Record>
void write_object(std::string& out, const Shown& shown, const Table& table, const Record& record) {
  ObjectWriter json(out);
  write_rows(json, shown, table, record);
  json.end();
}

void write_assets(ObjectWriter& json, std::string_view key, const Shown& shown) {
  text::json::ArrayWriter assets(json.raw(key));
  for (const Asset& asset : shown.media.assets) write_object(assets.next(), shown, kAsset, asset);
  for (const media::Captions& captions : shown.media.captions) {
    ObjectWriter entry(assets.next());
    append_captions(entry.string("type", "captions"), captions, shown.site.captions(captions));
    entry.end();
  }
  if (!shown.media.storyboard.empty()) {
    ObjectWriter(assets.next())
        .string("type", "storyboard")
        .string("url", shown.site.absolute(shown.media.storyboard))
        .end();
  }
  assets.end();
}

template <class Rule, class Value>
void write_row(ObjectWriter& json, const Shown& shown, std::string_view key, const Value& value,
               const Rule& rule) {
  if constexpr (std::is_same_v<Rule, NotShown>) {
    return;
  } else if constexpr (requires { rule.words; }) {
    write_row(json, shown, key, value, rule.rule);
  } else if constexpr (std::is_same_v<Rule, Url>) {
    json.string(key, shown.site.absolute(value));
  } else if constexpr (std::is_same_v<Rule, WithNumber>) {
    json.integer("id", media::number_of(value.value())).string(key, value.value());
  } else if constexpr (std::is_same_v<Rule, WithProgress>) {
    json.string(key, to_text(value)).decimal("progress", shown.progress);
  } else if constexpr (std::is_same_v<Rule, OrPublic>) {
    json.string(key, to_text(shown.media.visible()));
  } else if constexpr (std::is_same_v<Rule, TheProject>) {
    shown.project ? write_object(json.raw(key), shown, kProject, *shown.project)
                  : void(json.null(key));
  } else if constexpr (std::is_same_v<Rule, AllAssets>) {
    write_assets(json, key, shown);
  } else if constexpr (std::is_same_v<Rule, OrNull>) {
    if (!value) json.null(key);
    media::write_member(json, key, value, rule);
  } else if constexpr (std::is_same_v<Value, std::optional<Thumbnail>>) {
    value ? write_object(json.raw(key), shown, kThumbnail, *value) : void(json.null(key));
  } else if constexpr (std::is_enum_v<Value>) {
    json.string(key, to_text(value));
  } else {
    media::write_member(json, key, value, rule);
  }
}

template <class Table, class Record>
void write_rows(ObjectWriter& json, const Shown& shown, const Table& table, const Record& record) {
  base::for_each(table, [&](const auto& row) {
    write_row(json, shown, row.name, record.*row.member, row.rule);
  });
}

constexpr std::string_view kShortProject = "MediaProject";
constexpr std::string_view kThumbnailRecord = "Thumbnail";
constexpr std::string_view kAssetRecord = "Asset";
constexpr std::string_view kCaptionsAsset = "CaptionsAsset";
constexpr std::string_view kStoryboardAsset = "StoryboardAsset";

// As write_row().
template <class Value, class Rule>
void describe_row(std::vector<DescribedField>& fields, std::string_view key, const Rule& rule,
                  std::string_view words, std::string_view format) {
  const auto add = [&](std::string_view name, Schema schema, bool is_required = true) {
    fields.push_back({std::string(name), std::move(schema), std::string(words), is_required});
  };
  if constexpr (std::is_same_v<Rule, Url>) {
    add(key, text_schema("uri"));
  } else if constexpr (std::is_same_v<Rule, WithNumber>) {
    fields.push_back(described_number());
    add(key, project_id_schema());
  } else if constexpr (std::is_same_v<Rule, WithProgress>) {
    using enum media::Status;
    add(key, one_of({to_text(Queued), to_text(Processing), to_text(Ready), to_text(Failed)}));
    fields.push_back({"progress", number_schema(0, 1), "How much of the file is converted."});
  } else if constexpr (std::is_same_v<Rule, OrPublic>) {
    add(key, visibility_schema());
  } else if constexpr (std::is_same_v<Rule, TheProject>) {
    add(key, or_null(a_record(kShortProject)));
  } else if constexpr (std::is_same_v<Rule, AllAssets>) {
    add(key, array_of(any_of(
                 {a_record(kAssetRecord), a_record(kCaptionsAsset), a_record(kStoryboardAsset)})));
  } else if constexpr (std::is_same_v<Value, std::optional<media::AllowedDomains>>) {
    add(key, or_null(domains_schema()));
  } else if constexpr (std::is_same_v<Rule, OrNull>) {
    add(key, or_null(number_schema(0)));
  } else if constexpr (std::is_same_v<Value, std::optional<Thumbnail>>) {
    add(key, or_null(a_record(kThumbnailRecord)));
  } else if constexpr (std::is_same_v<Value, media::AssetType>) {
    add(key, one_of({to_text(media::AssetType::Hls), to_text(media::AssetType::Mp4)}));
  } else if constexpr (std::is_same_v<Value, std::optional<media::Dimensions>>) {
    base::for_each(media::kDimensions,
                   [&](const auto& row) { add(row.name, or_null(integer_schema(1))); });
  } else if constexpr (std::is_same_v<Value, std::int64_t>) {
    add(key, integer_schema(0));
  } else if constexpr (std::is_same_v<Value, std::optional<std::int64_t>>) {
    add(key, integer_schema(0), false);
  } else if constexpr (std::is_same_v<Rule, media::Text>) {
    add(key, text_schema(format), rule.absent != media::Absent::Omitted);
  } else {
    static_assert(std::is_same_v<Value, media::HashedId>, "a row without a description");
    add(key, media_id_schema());
  }
}

template <class Record, class Value, class Rule>
void describe_field(std::vector<DescribedField>& fields, const Field<Record, Value, Rule>& row) {
  if constexpr (!std::is_same_v<Rule, NotShown>)
    describe_row<Value>(fields, row.name, row.rule.rule, row.rule.words, row.rule.format);
}

template <class Table>
DescribedRecord described(std::string_view name, std::string about, const Table& table) {
  DescribedRecord record{std::string(name), std::move(about), {}};
  base::for_each(table, [&](const auto& row) { describe_field(record.fields, row); });
  return record;
}

// A media is listed without a project whose record cannot be read.
std::optional<media::Project> readable_project(
    loop::Attempt<std::optional<media::Project>>& attempt) {
  try {
    return attempt.get();
  } catch (const base::Unreadable&) {
    return std::nullopt;
  }
}

}  // namespace

loop::Task<MediaDetails> find_details(media::Catalog& catalog, media::Uploads& uploads,
                                      const std::vector<media::Media>& medias) {
  std::map<std::string, std::size_t> numbers;  // the index of a project's task
  std::vector<loop::Task<loop::Attempt<std::optional<media::Project>>>> projects;
  std::vector<loop::Task<double>> progress;
  for (const media::Media& media : medias) {
    if (media.project && numbers.try_emplace(media.project->value(), projects.size()).second)
      projects.push_back(loop::attempt(catalog.find_project(*media.project)));
    if (media.status == media::Status::Processing) progress.push_back(uploads.progress(media.id));
  }
  auto both = loop::all(loop::all(std::move(projects)), loop::all(std::move(progress)));
  auto read = co_await both;
  auto& [attempts, thousandths] = read;
  std::vector<std::optional<media::Project>> found;
  for (auto& attempt : attempts) found.push_back(readable_project(attempt));
  MediaDetails details;
  std::size_t processing = 0;
  for (const media::Media& media : medias) {
    details.projects.push_back(media.project ? found[numbers.at(media.project->value())]
                                             : std::nullopt);
    details.progress.push_back(media.status == media::Status::Processing ? thousandths[processing++]
                               : media.status == media::Status::Ready    ? 1
                                                                         : 0);
  }
  co_return details;
}

DescribedField described_number() {
  return {"id", integer_schema(1, media::kMaxIntegerId),
          "A number for clients that need one. It never changes."};
}

std::vector<DescribedRecord> describe_media() {
  DescribedRecord media = described(kMediaRecord, "A video, sound, image or document.", kMedia);
  media.fields.insert(media.fields.begin(), described_number());
  media.fields.push_back({"archived", only(false), "There is no archive here."});
  media.fields.push_back({"embedCode", or_null(text_schema()),
                          "The HTML to embed it; null if it cannot be embedded."});
  media.fields.push_back({"cursor", text_schema(), "Its place in a list with cursors.", false});
  return {media,
          described(kShortProject, "The project of a media.", kProject),
          described(kThumbnailRecord, "A picture.", kThumbnail),
          described(kAssetRecord, "A file of a media.", kAsset),
          {std::string(kCaptionsAsset),
           "Captions among the assets of a media.",
           {{"type", one_of({"captions"}), "Always the same."},
            {"url", text_schema("uri"), "Of a WebVTT file or an HLS playlist of such files."},
            {"language", text_schema(), "The tag of BCP 47."},
            {"label", text_schema(), "For viewers."},
            {"default", boolean_schema(), "Whether players show them without being asked."}}},
          {std::string(kStoryboardAsset),
           "Small pictures of a video, for the position bar of a player.",
           {{"type", one_of({"storyboard"}), "Always the same."},
            {"url", text_schema("uri"), "Of a WebVTT file that names parts of a picture."}}}};
}

void append_media(std::string& out, const embed::Site& site, const Media& media,
                  const std::optional<Project>& project, double progress, std::string_view cursor) {
  ObjectWriter writer(out);
  writer.integer("id", media::number_of(media.id.value()));
  write_rows(writer, {site, media, project, progress}, kMedia, media);
  writer.boolean("archived", false);
  if (embed::why_not_embeddable(media)) {
    writer.null("embedCode");
  } else {
    const embed::Embeddable subject = embed::embeddable(media);
    embed::EmbedRequest request;
    request.id = media.id;
    writer.string(
        "embedCode",
        embed::build_embed_code(request, subject, embed::fit(request.size, subject.native), site));
  }
  if (!cursor.empty()) writer.string("cursor", cursor);
  writer.end();
}

std::string media_json(const embed::Site& site, const Media& media,
                       const std::optional<Project>& project, double progress) {
  std::string json;
  append_media(json, site, media, project, progress);
  return json;
}

http::Response media_response(const Media& media, std::string json) {
  return http::in_json(std::move(json), media.id.value());
}

}  // namespace svc::endpoints
