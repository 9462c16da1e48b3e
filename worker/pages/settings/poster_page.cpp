#include "pages/settings/poster_page.h"

#include <cmath>
#include <utility>

#include "base/number.h"
#include "media/storyboard.h"
#include "pages/formatting.h"
#include "pages/page_response.h"

namespace svc::pages {
namespace {

constexpr std::string_view kImage = "image";
constexpr std::string_view kImageId = "image_id";
constexpr std::string_view kMoment = "moment";
constexpr std::string_view kTime = "time";
constexpr std::int64_t kSecond = 1000;  // ms

// The picture that the media shows, or will show: where it is from.
std::string source_of(const media::Media& media) {
  const media::Asset* const video = media::own_video(media);
  if (media.next_poster && !media.next_poster->has_failed && video != nullptr)
    return media::url_of_moment(*video, media.next_poster->at);
  return media.set_poster ? media.set_poster->source : "";
}

std::string source_of(const library::NewPoster& poster, const media::Media& media) {
  const media::Asset* const video = media::own_video(media);
  if (poster.at && video != nullptr) return media::url_of_moment(*video, *poster.at);
  return poster.picture ? poster.picture->url : "";
}

std::string poster_edition(const media::Media& media) {
  return pages::edition_of(source_of(media));
}

// The picture of the storyboard that svc-ingest made. nullptr: none.
struct Tiles {
  media::Storyboard board;
  std::string image;
};
std::optional<Tiles> tiles_of(const media::Media& media) {
  const auto file = media::own_file(media.storyboard);
  if (!file || !media.duration || *media.duration <= 0) return std::nullopt;
  for (const media::Asset& asset : media.assets) {
    if (asset.type != media::AssetType::Mp4 || !asset.size || !media::own_file(asset.url)) continue;
    return Tiles{media::storyboard(*media.duration, *asset.size),
                 media::url_of_file(file->folder, media::kStoryboardImage)};
  }
  return std::nullopt;
}

}  // namespace

loop::Task<http::Response> PosterPage::show(const SettingsContext& context) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  if (subject->media.status != media::Status::Ready || !subject->media.is_video())
    co_return see_other(subject->path, context.visitor);
  auto showing = form(context, *subject, {.edition = poster_edition(subject->media)});
  co_return co_await showing;
}

loop::Task<http::Response> PosterPage::form(const SettingsContext& context, const Subject& subject,
                                            Entered entered) {
  auto listing = newest(subject.place, "Image", subject.media.id);
  const std::vector<media::Media> images = co_await listing;
  const media::Media& media = subject.media;
  const std::string_view what = entered.status == 200 ? "Poster" : "Not saved: Poster";
  SettingsPage page(parts_, context, title_with(what, media), "poster.tpl");
  page.with_script(kPositionScript, Requests::No).with_pictures().with_players();
  Values& body = page.body();
  page.set_form(body, subject.path + "/poster");
  show_way_back(body, media, subject.path);
  body.set("LIST", subject.place.medias).set("EDITION", entered.edition);
  show_problems(body, entered.problems);
  if (entered.was_overtaken) body.show("OVERTAKEN");
  const std::string picture = picture_of(media, kListedPicture);
  if (picture.empty()) {
    body.show("NO_POSTER");
  } else {
    body.show_with("POSTER").set("URL", picture);
  }
  show_next_poster(body, media);
  if (media.set_poster || media.next_poster) body.show("SET");
  show_images(body, images, entered.image);
  body.set("IMAGE_ID", entered.image_id);
  show_video(body, subject, entered);
  co_return page.answer(entered.status);
}

void PosterPage::show_images(Values& body, const std::vector<media::Media>& images,
                             const std::string& chosen) const {
  bool has_any = false;
  for (const media::Media& image : images) {
    if (!media::own_poster(image)) continue;
    has_any = true;
    Values one = body.show_with("IMAGE");
    one.set("VALUE", image.id.value()).set("WORDS", shown_name(image.name));
    const std::string picture = picture_of(image, kListedPicture);
    if (!picture.empty()) one.show_with("PICTURE").set("URL", picture);
    if (image.id.value() == chosen) one.show("CHOSEN");
  }
  body.show(has_any ? "IMAGES" : "NO_IMAGES");
}

void PosterPage::show_video(Values& body, const Subject& subject, const Entered& entered) const {
  const media::Media& media = subject.media;
  if (!library::MediaService::has_moment(media, 0)) return;
  Values video = body.show_with("VIDEO");
  video.set("TIME", entered.time).set("LENGTH", duration_text(*media.duration));
  show_player(video, media);
  const std::optional<Tiles> tiles = tiles_of(media);
  if (!tiles) return;
  const media::Storyboard& board = tiles->board;
  Values shown = video.show_with("TILES");
  shown.set("IMAGE", file_of(subject.place, media, tiles->image))
      .set("WIDTH", static_cast<long>(board.tile.width))
      .set("HEIGHT", static_cast<long>(board.tile.height))
      .set("ALL_WIDTH", static_cast<long>(board.columns) * board.tile.width)
      .set("ALL_HEIGHT", static_cast<long>(board.rows) * board.tile.height);
  for (int i = 0; i < board.tiles; ++i) {
    const std::int64_t seconds = static_cast<std::int64_t>(i) * board.interval;
    const std::string value = std::to_string(seconds * kSecond);
    Values one = shown.show_with("TILE");
    one.set("VALUE", value)
        .set("AT", duration_text(static_cast<double>(seconds)))
        .set("LEFT", static_cast<long>(board.left_of(i)))
        .set("TOP", static_cast<long>(board.top_of(i)));
    if (value == entered.moment) one.show("CHOSEN");
  }
}

loop::Task<http::Response> PosterPage::take(const SettingsContext& context,
                                            const text::Form& form) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  const auto field = [&](std::string_view name) { return tidy(form.find(name).value_or("")); };
  Entered entered{.image = field(kImage),
                  .image_id = field(kImageId),
                  .moment = field(kMoment),
                  .time = field(kTime),
                  .edition = field("edition")};
  const std::string from = field("from");
  Wanted wanted = library::NewPoster{};
  if (from == "image") {
    const library::Actor actor = actor_of(context, subject->place);
    auto asking = image_in(entered, actor);
    wanted = co_await asking;
  } else if (from == "video") {
    wanted = moment_in(entered, subject->media);
  } else if (from != "own") {
    co_return only_by_form(context);
  }
  if (wanted) {
    auto setting = set(context, *subject, std::move(entered), *wanted);
    co_return co_await setting;
  }
  entered.problems.push_back(wanted.error());
  entered.status = kNotSavedStatus;
  auto showing = this->form(context, *subject, std::move(entered));
  co_return co_await showing;
}

loop::Task<PosterPage::Wanted> PosterPage::image_in(const Entered& entered,
                                                    const library::Actor& actor) {
  const bool is_typed = !entered.image_id.empty();
  const std::string id = is_typed ? entered.image_id : entered.image;
  if (id.empty())
    co_return base::Refusal{FieldProblem{kImageId, "Choose an image, or enter its id."}};
  auto finding = library_.medias.picture_of(id, actor);
  const base::Result<media::Thumbnail, std::string> picture = co_await finding;
  if (!picture) {
    co_return base::Refusal{
        FieldProblem{is_typed ? kImageId : kImage, "The image " + picture.error() + "."}};
  }
  co_return library::NewPoster{.picture = *picture};
}

PosterPage::Wanted PosterPage::moment_in(const Entered& entered, const media::Media& media) {
  const auto refuse = [](std::string_view field, std::string text) {
    return base::Refusal{FieldProblem{field, std::move(text)}};
  };
  if (!library::MediaService::has_moment(media, 0))
    return refuse(kTime, "No picture can be made of this video: its files are elsewhere.");
  if (entered.time.empty() && entered.moment.empty())
    return refuse(kTime, "Choose a picture, or enter a time.");
  const auto at = entered.time.empty() ? base::parse_number<std::int64_t>(entered.moment, 0)
                                       : position_in(entered.time);
  if (at && library::MediaService::has_moment(media, *at)) return library::NewPoster{.at = at};
  return refuse(entered.time.empty() ? kMoment : kTime,
                "The time must be one of the video, such as 0:05, from 0:00 to " +
                    duration_text(*media.duration) + ".");
}

loop::Task<http::Response> PosterPage::set(const SettingsContext& context, const Subject& subject,
                                           Entered entered, const library::NewPoster& poster) {
  // Sent twice, or another user had the same idea.
  const bool has_failed = subject.media.next_poster && subject.media.next_poster->has_failed;
  if (!has_failed && source_of(subject.media) == source_of(poster, subject.media))
    co_return done(context, subject.path, "saved");
  library::MediaEdit edit;
  edit.poster = poster;
  const library::Condition condition = [&](const media::Media& media) {
    return poster_edition(media) == entered.edition;
  };
  const library::Actor actor = actor_of(context, subject.place);
  auto editing = library_.medias.edit(subject.media.id, edit, condition, actor);
  const base::Result<media::Media, library::Refusal> edited = co_await editing;
  if (edited) co_return done(context, subject.path, "saved");
  Subject now = subject;
  media::Reads reads;  // responses are not cached
  auto reading = library_.catalog.find_media(subject.media.id, media::Detail::All, reads);
  std::optional<media::Media> stored = co_await reading;
  if (edited.error() == library::Refusal::NotFound || !stored)
    co_return nothing_here(context, "video", subject.place.medias, "Media of the account");
  now.media = *std::move(stored);
  entered.edition = poster_edition(now.media);
  entered.was_overtaken = true;
  entered.status = kOvertakenStatus;
  auto showing = form(context, now, std::move(entered));
  co_return co_await showing;
}

}  // namespace svc::pages
