// PosterPage: Account → Settings → Media → one media → Poster: an image of the account, a picture
// of the video, or the video's own. pages-W63.
//
//   /settings/accounts/<account>/media/<id>/poster
#include <cmath>
#include <utility>

#include "base/number.h"
#include "media/storyboard.h"
#include "pages/settings/library.h"

namespace svc::pages {
namespace {

constexpr std::string_view kImage = "image";
constexpr std::string_view kImageId = "image_id";  // takes precedence
constexpr std::string_view kMoment = "moment";
constexpr std::string_view kTime = "time";  // takes precedence
constexpr std::int64_t kSecond = 1000;      // ms

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

std::string poster_edition(const media::Media& media) { return edition_of(source_of(media)); }

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

// The poster that a form asks for; nullopt: it has a problem.
using Wanted = std::optional<library::NewPoster>;

Wanted moment_in(Entered& entered, const media::Media& media) {
  const std::string time = entered.text(kTime);
  const std::string moment = entered.text(kMoment);
  const auto at = time.empty() ? base::parse_number<std::int64_t>(moment, 0) : position_in(time);
  if (!library::MediaService::has_moment(media, 0)) {
    entered.refuse(kTime, "No picture can be made of this video: its files are elsewhere.");
  } else if (time.empty() && moment.empty()) {
    entered.refuse(kTime, "Choose a picture, or enter a time.");
  } else if (at && library::MediaService::has_moment(media, *at)) {
    return library::NewPoster{.at = at};
  } else {
    entered.refuse(time.empty() ? kMoment : kTime,
                   "The time must be one of the video, such as 0:05, from 0:00 to " +
                       duration_text(*media.duration) + ".");
  }
  return std::nullopt;
}

class PosterPage : public MediaPages {
  using MediaPages::MediaPages;

  loop::Task<http::Response> page(const OfMedia& subject) override {
    const std::string from = subject.sent ? tidy(subject.sent->find("from").value_or("")) : "own";
    const media::Media& media = subject.media;
    if (subject.sent == nullptr && (media.status != media::Status::Ready || !media.is_video()))
      return at_once(go_to(subject, subject.path));
    if (from != "image" && from != "video" && from != "own") return at_once(only_by_form(subject));
    return form(subject, &PosterPage::show, &PosterPage::apply);
  }

  loop::Task<http::Response> show(const OfMedia& subject, const Entered& entered) {
    std::string type = "Image";
    const std::vector<media::Media> images =
        co_await newest(subject, std::move(type), subject.media.id);
    const media::Media& media = subject.media;
    SettingsPage page(parts_, subject, entered, title_with("Poster", media), "poster.tpl");
    page.with_script(kPositionScript, Requests::No).with_pictures().with_players();
    Values& body = page.body();
    show_way_back(body, subject);
    body.set("LIST", subject.medias)
        .set("EDITION", entered.edition(poster_edition(media)))
        .set("IMAGE_ID", entered.text(kImageId));
    show_picture(body, "POSTER", media);
    show_next_poster(body, media);
    if (media.set_poster || media.next_poster) body.show("SET");
    bool has_any = false;
    for (const media::Media& image : images) {
      if (!media::own_poster(image)) continue;
      has_any = true;
      Values one = body.show_with("IMAGE");
      one.set("VALUE", image.id.value()).set("WORDS", shown_name(image.name));
      show_picture(one, "PICTURE", image);
      if (image.id.value() == entered.text(kImage)) one.show("CHOSEN");
    }
    body.show(has_any ? "IMAGES" : "NO_IMAGES");
    show_video(body, subject, entered);
    co_return page.answer();
  }

  void show_picture(Values& values, const std::string& section, const media::Media& media) const {
    const std::string picture = picture_of(media, kListedPicture);
    if (picture.empty()) {
      values.show("NO_" + section);
    } else {
      values.show_with(section).set("URL", picture);
    }
  }

  void show_video(Values& body, const OfMedia& subject, const Entered& entered) const {
    const media::Media& media = subject.media;
    if (!library::MediaService::has_moment(media, 0)) return;
    Values video = body.show_with("VIDEO");
    video.set("TIME", entered.text(kTime)).set("LENGTH", duration_text(*media.duration));
    show_player(video, media);
    const std::optional<Tiles> tiles = tiles_of(media);
    if (!tiles) return;
    const media::Storyboard& board = tiles->board;
    Values shown = video.show_with("TILES");
    shown.set("IMAGE", file_of(subject, media, tiles->image))
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
      if (value == entered.text(kMoment)) one.show("CHOSEN");
    }
  }

  loop::Task<Wanted> image_in(Entered& entered, const library::Actor& actor) {
    const std::string typed = entered.text(kImageId);
    const std::string id = typed.empty() ? entered.text(kImage) : typed;
    if (id.empty()) {
      entered.refuse(kImageId, "Choose an image, or enter its id.");
      co_return std::nullopt;
    }
    const auto picture = co_await library_.medias.picture_of(id, actor);
    if (picture) co_return library::NewPoster{.picture = *picture};
    entered.refuse(typed.empty() ? kImage : kImageId, "The image " + picture.error() + ".");
    co_return std::nullopt;
  }

  loop::Task<Applied> apply(const OfMedia& subject, Entered& entered) {
    Wanted wanted = library::NewPoster{};
    if (entered.text("from") == "image") wanted = co_await image_in(entered, subject.actor);
    if (entered.text("from") == "video") wanted = moment_in(entered, subject.media);
    if (!wanted) co_return entered.refused();
    // Sent twice, or another user had the same idea.
    const bool has_failed = subject.media.next_poster && subject.media.next_poster->has_failed;
    if (!has_failed && source_of(subject.media) == source_of(*wanted, subject.media))
      co_return done(subject, subject.path, "saved");
    library::MediaEdit edit;
    edit.poster = wanted;
    const library::Condition condition = entered.unless_changed(poster_edition);
    const auto edited =
        co_await library_.medias.edit(subject.media.id, edit, condition, subject.actor);
    if (!edited) co_return entered.overtaken();
    co_return done(subject, subject.path, "saved");
  }
};

}  // namespace

OwnedPage poster_page(const SettingsParts& parts) { return std::make_unique<PosterPage>(parts); }

}  // namespace svc::pages
