#include "endpoints/media_response.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/fields.h"
#include "embed/embed_code.h"
#include "embed/embeddable.h"
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

// What else a row has than its key. Without it, the value is written by its type.
struct NotShown {};
struct IfAny {};
struct Url {};
struct WithProgress {};
struct TheProject {};  // the record, not its id
struct AllAssets {};   // with captions and storyboard

// In the order of the response. A member without a row does not compile.
constexpr auto kThumbnail =
    base::describe<Thumbnail>(Field{"url", &Thumbnail::url, Url{}}, Field{"", &Thumbnail::size});
constexpr auto kAsset = base::describe<Asset>(
    Field{"type", &Asset::type}, Field{"url", &Asset::url, Url{}}, Field{"", &Asset::size},
    Field{"bandwidth", &Asset::bandwidth},
    Field{"average_bandwidth", &Asset::average_bandwidth, IfAny{}},
    Field{"", &Asset::codecs, NotShown{}}, Field{"", &Asset::frame_rate, NotShown{}});
constexpr auto kProject = base::describe<Project>(
    Field{"id", &Project::id}, Field{"name", &Project::name},
    Field{"", &Project::account, NotShown{}}, Field{"", &Project::created, NotShown{}},
    Field{"", &Project::updated, NotShown{}});
constexpr auto kMedia = base::describe<Media>(
    Field{"hashed_id", &Media::id}, Field{"name", &Media::name}, Field{"type", &Media::type},
    Field{"description", &Media::description}, Field{"status", &Media::status, WithProgress{}},
    Field{"failure", &Media::failure, IfAny{}}, Field{"duration", &Media::duration},
    Field{"created", &Media::created}, Field{"updated", &Media::updated},
    Field{"project", &Media::project, TheProject{}}, Field{"thumbnail", &Media::thumbnail},
    Field{"assets", &Media::assets, AllAssets{}}, Field{"", &Media::captions, NotShown{}},
    Field{"", &Media::storyboard, NotShown{}}, Field{"", &Media::account, NotShown{}},
    Field{"", &Media::native, NotShown{}}, Field{"", &Media::player_color, NotShown{}});

void write(ObjectWriter& json, std::string_view key, const std::string& text) {
  json.string(key, text);
}
void write(ObjectWriter& json, std::string_view key, std::int64_t number) {
  json.integer(key, number);
}
void write(ObjectWriter& json, std::string_view key, double number) { json.decimal(key, number); }
template <class Named>
requires requires(Named named) { to_text(named); }
void write(ObjectWriter& json, std::string_view key, Named named) {
  json.string(key, to_text(named));
}
template <class Id>
requires requires(const Id& id) { id.value().size(); }
void write(ObjectWriter& json, std::string_view key, const Id& id) { json.string(key, id.value()); }

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
    append_captions(entry.string("type", "captions"), captions, shown.site.absolute(captions.url));
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
void write_row(ObjectWriter& json, const Shown& shown, std::string_view key, const Value& value) {
  if constexpr (std::is_same_v<Rule, IfAny>) {
    if (value == Value()) return;
    if constexpr (std::is_same_v<Value, std::string>) {
      write(json, key, value);
    } else {
      write(json, key, *value);
    }
  } else if constexpr (std::is_same_v<Rule, Url>) {
    json.string(key, shown.site.absolute(value));
  } else if constexpr (std::is_same_v<Rule, WithProgress>) {
    write(json, key, value);
    json.decimal("progress", shown.progress);
  } else if constexpr (std::is_same_v<Rule, TheProject>) {
    shown.project ? write_object(json.raw(key), shown, kProject, *shown.project)
                  : void(json.null(key));
  } else if constexpr (std::is_same_v<Rule, AllAssets>) {
    write_assets(json, key, shown);
  } else if constexpr (std::is_same_v<Value, std::optional<media::Dimensions>>) {
    media::append_dimensions(json, value);
  } else if constexpr (std::is_same_v<Value, std::optional<Thumbnail>>) {
    value ? write_object(json.raw(key), shown, kThumbnail, *value) : void(json.null(key));
  } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
    value ? write(json, key, *value) : void(json.null(key));
  } else {
    write(json, key, value);
  }
}

template <class Table, class Record>
void write_rows(ObjectWriter& json, const Shown& shown, const Table& table, const Record& record) {
  base::for_each(table, [&]<class Row>(const Row& row) {
    if constexpr (!std::is_same_v<decltype(Row::rule), NotShown>)
      write_row<decltype(Row::rule)>(json, shown, row.name, record.*row.member);
  });
}

}  // namespace

http::Response media_response(const embed::Site& site, const Media& media,
                              const std::optional<Project>& project, double progress) {
  http::Response response;
  response.about = media.id.value();
  response.content_type = http::kJson;
  ObjectWriter writer(response.body);
  write_rows(writer, {site, media, project, progress}, kMedia, media);
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
  writer.end();
  return response;
}

}  // namespace svc::endpoints
