#include "pages/settings/media_page.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/paths.h"
#include "endpoints/media_list.h"
#include "http/refusal.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "text/json.h"

namespace svc::pages {
namespace {

constexpr std::string_view kJson = ".json";
constexpr std::string_view kPageScript = "/assets/uploads.js";
constexpr int kRefresh = 5;  // seconds, without scripts

bool wants_json(const http::Request& request) { return request.path.ends_with(kJson); }

http::Response state_refusal(int status, std::string_view why) {
  http::Response response = http::json_error(status, why);
  return std::move(response.with("Cache-Control", "no-store"));
}

}  // namespace

std::optional<http::Response> MediaPage::unavailable(const http::Request& request) const {
  if (!wants_json(request)) return std::nullopt;
  http::Response response = state_refusal(503, "temporarily unavailable");
  return std::move(response.with("Retry-After", "1"));
}

loop::Task<base::Result<MediaPage::Subject, Library::Refused>> MediaPage::subject_of(
    const SettingsContext& context) {
  base::Result<Place, Refused> place = co_await place_of(context);
  if (!place) co_return base::Refusal{std::move(place.error())};
  std::string_view rest = place->rest;
  rest.remove_prefix(std::min(rest.find('/') + 1, rest.size()));
  std::string_view name = rest.substr(0, rest.find('/'));
  const bool has_action = name.size() < rest.size();
  const std::string_view action = has_action ? rest.substr(name.size() + 1) : "";
  if (!has_action && name.ends_with(kJson)) name.remove_suffix(kJson.size());
  auto finding = media_of(*place, name);
  std::optional<media::Media> media = co_await finding;
  if (media) {
    const std::string path = place->medias + "/" + media->id.value();
    co_return Subject{*std::move(place), path, action, *std::move(media)};
  }
  const bool deletes = context.request.method == "POST" && (action.empty() || action == "delete");
  // The form was sent twice, or the upload has expired: the goal is reached.
  if (deletes && media::HashedId::parse(name))
    co_return base::Refusal{Refused{done(context, place->medias, "deleted"), ""}};
  co_return base::Refusal{Refused{
      nothing_here(context, "media", place->medias, "Media of the account"), "It was deleted."}};
}

loop::Task<http::Response> MediaPage::show(const SettingsContext& context) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) {
    const Refused& refused = subject.error();
    co_return wants_json(context.request) ? state_refusal(refused.page.status, refused.reason)
                                          : refused.page;
  }
  if (!subject->action.empty()) co_return nothing_here(context, "page");
  auto answering = wants_json(context.request) ? state(*subject) : view(context, *subject);
  http::Response response = co_await answering;
  response.about = subject->media.id.value();
  co_return response;
}

loop::Task<http::Response> MediaPage::take(const SettingsContext& context, const text::Form&) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  if (!subject->action.empty() || wants_json(context.request)) co_return only_by_form(context);
  auto removing = remove_pending(context, *subject);
  co_return co_await removing;
}

loop::Task<http::Response> MediaPage::remove_pending(const SettingsContext& context,
                                                     const Subject& subject) {
  // It became ready while the page was open: the page says the rest.
  if (subject.media.status == media::Status::Ready)
    co_return see_other(subject.path, context.visitor);
  const library::Condition is_not_ready = [](const media::Media& media) {
    return media.status != media::Status::Ready;
  };
  const library::Actor actor = actor_of(context, subject.place);
  auto removing = library_.medias.remove(subject.media.id, is_not_ready, actor);
  const std::optional<library::Refusal> refused = co_await removing;
  if (refused == library::Refusal::Overtaken) co_return see_other(subject.path, context.visitor);
  co_return done(context, subject.place.medias, "deleted");
}

loop::Task<http::Response> MediaPage::state(const Subject& subject) {
  const std::vector<media::Media> medias{subject.media};
  auto detailing = endpoints::find_details(library_.catalog, library_.uploads, medias);
  const endpoints::MediaDetails details = co_await detailing;
  const double progress = details.progress.front();
  const media::Media& media = subject.media;
  http::Response response;
  response.content_type = http::kJson;
  response.with("Cache-Control", "no-store").with("X-Content-Type-Options", "nosniff");
  text::json::ObjectWriter writer(response.body);
  writer.string("hashed_id", media.id.value())
      .string("name", media.name)
      .string("status", to_text(media.status))
      .decimal("progress", progress)
      .string("words", status_text(media, progress));
  if (!media.failure.empty()) writer.string("failure", media.failure);
  const std::string code = code_of(media, parts_.site);
  if (code.empty()) {
    writer.null("embedCode");
  } else {
    writer.string("embedCode", code);
  }
  writer.end();
  co_return response;
}

loop::Task<http::Response> MediaPage::view(const SettingsContext& context, const Subject& subject) {
  const media::Media& media = subject.media;
  const std::vector<media::Media> medias{media};
  auto detailing = endpoints::find_details(library_.catalog, library_.uploads, medias);
  const endpoints::MediaDetails details = co_await detailing;
  SettingsPage page(parts_, context, clipped(media.name, kMaxShownName), "media_settings.tpl");
  page.with_script(kPageScript).with_pictures();
  page.show_done();
  if (is_pending(media)) page.refresh_after(kRefresh);
  page.body()
      .set("NAME", clipped(media.name, kMaxShownName))
      .set("LIST", subject.place.medias)
      .set("ACCOUNT", clipped(subject.place.account.name, kMaxShownName));
  Values item = page.body().include("ITEM", "library_item.tpl");
  describe(item, context, subject.place,
           {media, details.projects.front(), details.progress.front(), false});
  if (media.status == media::Status::Failed) page.body().show("KEPT");
  if (media.status != media::Status::Ready) {
    Values deletion = page.body().show_with("DELETION");
    page.set_form(deletion, subject.path);
  }
  co_return page.answer();
}

}  // namespace svc::pages
