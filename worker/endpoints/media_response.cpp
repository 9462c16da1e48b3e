#include "endpoints/media_response.h"

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/fields.h"
#include "embed/embed_code.h"
#include "embed/embeddable.h"
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
struct TheProject {};  // the record, not its id
struct WithNumber {};  // after a number that is made from it
struct AllAssets {};   // with captions and storyboard
constexpr media::Text kText{0};
constexpr media::Text kIfAny{0, nullptr, media::Absent::Omitted};

// In the order of the response. A member without a row does not compile.
constexpr auto kThumbnail =
    base::describe<Thumbnail>(Field{"url", &Thumbnail::url, Url{}}, Field{"", &Thumbnail::size});
constexpr auto kAsset = base::describe<Asset>(
    Field{"type", &Asset::type}, Field{"url", &Asset::url, Url{}}, Field{"", &Asset::size},
    Field{"bandwidth", &Asset::bandwidth}, Field{"average_bandwidth", &Asset::average_bandwidth},
    Field{"", &Asset::codecs, NotShown{}}, Field{"", &Asset::frame_rate, NotShown{}});
constexpr auto kProject = base::describe<Project>(
    Field{"hashedId", &Project::id, WithNumber{}}, Field{"name", &Project::name, kText},
    Field{"", &Project::account, NotShown{}}, Field{"", &Project::description, NotShown{}},
    Field{"", &Project::created, NotShown{}}, Field{"", &Project::updated, NotShown{}});
constexpr auto kMedia = base::describe<Media>(
    Field{"hashed_id", &Media::id}, Field{"name", &Media::name, kText},
    Field{"type", &Media::type, kText}, Field{"description", &Media::description, kText},
    Field{"status", &Media::status, WithProgress{}}, Field{"failure", &Media::failure, kIfAny},
    Field{"duration", &Media::duration, OrNull{}}, Field{"created", &Media::created, kText},
    Field{"updated", &Media::updated, kText}, Field{"project", &Media::project, TheProject{}},
    Field{"thumbnail", &Media::thumbnail}, Field{"assets", &Media::assets, AllAssets{}},
    Field{"", &Media::captions, NotShown{}}, Field{"", &Media::storyboard, NotShown{}},
    Field{"", &Media::account, NotShown{}}, Field{"", &Media::native, NotShown{}},
    Field{"", &Media::player_color, NotShown{}}, Field{"", &Media::customizations, NotShown{}},
    Field{"", &Media::set_poster, NotShown{}}, Field{"", &Media::folders, NotShown{}},
    Field{"", &Media::swapped_into, NotShown{}});

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
  } else if constexpr (std::is_same_v<Rule, Url>) {
    json.string(key, shown.site.absolute(value));
  } else if constexpr (std::is_same_v<Rule, WithNumber>) {
    json.integer("id", media::number_of(value.value())).string(key, value.value());
  } else if constexpr (std::is_same_v<Rule, WithProgress>) {
    json.string(key, to_text(value)).decimal("progress", shown.progress);
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

}  // namespace

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
  http::Response response;
  response.about = media.id.value();
  response.content_type = http::kJson;
  response.body = std::move(json);
  return response;
}

}  // namespace svc::endpoints
