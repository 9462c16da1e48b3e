#include "pages/settings/media_page.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/paths.h"
#include "base/unreadable.h"
#include "embed/embeddable.h"
#include "endpoints/media_list.h"
#include "http/refusal.h"
#include "loop/all.h"
#include "media/upload_form.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "text/json.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

constexpr std::string_view kPageScript = "/assets/uploads.js";
constexpr int kRefresh = 5;  // seconds, without scripts

constexpr std::string_view kEdit = "edit";
constexpr std::string_view kMove = "move";

// As saved.
DescriptionForm form_of(const media::Media& media) {
  DescriptionForm form{.name = media.name,
                       .description = media.description,
                       .visibility = std::string(to_text(media.visible()))};
  set_sites(form, media.allowed_domains);
  form.edition = pages::edition_of(form.name + '\n' + form.description + '\n' + form.visibility +
                                   '\n' + form.sites + '\n' + form.domains);
  return form;
}

// What its pages call it.
std::string_view kind_of(const media::Media& media) { return media.is_video() ? "video" : "file"; }

bool wants_json(const http::Request& request) { return request.path.ends_with(kStateSuffix); }

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

loop::Task<http::Response> MediaPage::show(const SettingsContext& context) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) {
    const Refused& refused = subject.error();
    co_return wants_json(context.request) ? state_refusal(refused.page.status, refused.reason)
                                          : refused.page;
  }
  http::Response response;
  if (subject->action.empty()) {
    auto answering = wants_json(context.request) ? state(*subject) : view(context, *subject);
    response = co_await answering;
  } else if (subject->action == kEdit) {
    response = form(context, *subject, form_of(subject->media));
  } else if (subject->action == kDeleteAction) {
    response = ask_delete(context, *subject);
  } else if (subject->action == kMove) {
    // A login between form and submission redirects here with GET.
    response = see_other(subject->path, context.visitor);
  } else {
    response = nothing_here(context, "page", subject->path, "The video");
  }
  response.about = subject->media.id.value();
  co_return response;
}

loop::Task<http::Response> MediaPage::take(const SettingsContext& context, const text::Form& form) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  if (subject->action == kEdit) {
    auto editing = edit(context, *subject, form);
    co_return co_await editing;
  }
  if (subject->action == kMove) {
    auto moving = move(context, *subject, form);
    co_return co_await moving;
  }
  if (subject->action == kDeleteAction) {
    auto removing = remove(context, *subject);
    co_return co_await removing;
  }
  if (!subject->action.empty() || wants_json(context.request)) co_return only_by_form(context);
  auto removing = remove_pending(context, *subject);
  co_return co_await removing;
}

http::Response MediaPage::form(const SettingsContext& context, const Subject& subject,
                               const DescriptionForm& entered) const {
  const std::string_view what = entered.status == 200 ? "Edit video" : "Not saved: Edit video";
  SettingsPage page(parts_, context, title_with(what, subject.media), "media_form.tpl");
  Values& body = page.body();
  page.set_form(body, subject.path + "/" + std::string(kEdit));
  show_way_back(body, subject.media, subject.path);
  show_description_form(body, entered, 4);
  show_visibilities(body, entered.visibility);
  show_sites(body, entered);
  body.set("ALLOWED", allowed_by(subject.place));
  show_overtaken(body, entered, form_of(subject.media));
  return page.answer(entered.status);
}

loop::Task<http::Response> MediaPage::edit(const SettingsContext& context, const Subject& subject,
                                           const text::Form& form) {
  DescriptionForm entered = description_form(form);
  refuse_unused_sites(entered, subject.media.allowed_domains);
  if (!entered.problems.empty()) co_return this->form(context, subject, entered);
  // What only a browser changed is not a change: it removes line ends at the beginning.
  library::MediaEdit edit;
  if (entered.name != subject.media.name) edit.name = entered.name;
  if (entered.description != tidy(subject.media.description))
    edit.description = entered.description;
  const auto visibility = media::visibility_of(entered.visibility);
  if (visibility && *visibility != subject.media.visible()) edit.visibility = visibility;
  const auto sites = sites_in(entered);
  if (sites && *sites != subject.media.allowed_domains) edit.allowed_domains = sites;
  // Sent twice, or another user had the same idea.
  if (!edit.name && !edit.description && !edit.visibility && !edit.allowed_domains)
    co_return done(context, subject.path, "saved");
  auto asking = library_.medias.why_not(subject.media, edit);
  const std::optional<library::EditRefusal> refused = co_await asking;
  if (refused) {
    const bool of_sites = refused->field == media::kAllowedDomainsField;
    entered.problems.push_back(
        {refused->field, (of_sites ? "The choice of sites " : "The choice of who may watch it ") +
                             refused->why + "."});
    entered.status = kNotSavedStatus;
    co_return this->form(context, subject, entered);
  }
  const library::Condition condition = [&](const media::Media& media) {
    return form_of(media).edition == entered.edition;
  };
  const library::Actor actor = actor_of(context, subject.place);
  auto editing = library_.medias.edit(subject.media.id, edit, condition, actor);
  const base::Result<media::Media, library::Refusal> edited = co_await editing;
  if (edited) co_return done(context, subject.path, "saved");
  Subject now = subject;
  const std::vector<media::HashedId> ids{subject.media.id};
  media::Reads reads;  // responses are not cached
  auto reading = library_.catalog.find_medias(ids, media::Detail::All, reads);
  const std::vector<media::Media> stored = co_await reading;
  if (edited.error() == library::Refusal::NotFound || stored.empty())
    co_return nothing_here(context, "video", subject.place.medias, "Media of the account");
  now.media = stored.front();
  entered.edition = form_of(now.media).edition;
  entered.was_overtaken = true;
  entered.status = kOvertakenStatus;
  co_return this->form(context, now, entered);
}

loop::Task<http::Response> MediaPage::move(const SettingsContext& context, const Subject& subject,
                                           const text::Form& form) {
  const std::vector<std::string> ids{subject.media.id.value()};
  const std::string project(tidy(form.find("project_id").value_or("")));
  const library::Actor actor = actor_of(context, subject.place);
  auto moving = library_.projects.move(ids, project, actor);
  const base::Result<std::size_t, library::Missing> moved = co_await moving;
  if (moved) co_return done(context, subject.path, "moved");
  if (moved.error().project) co_return nothing_here(context, "project", subject.path, "The video");
  co_return nothing_here(context, "video", subject.place.medias, "Media of the account");
}

http::Response MediaPage::ask_delete(const SettingsContext& context, const Subject& subject) const {
  SettingsPage page(parts_, context, title_with("Delete " + std::string(kind_of(subject.media)), subject.media), "media_delete.tpl");
  Values& body = page.body();
  page.set_form(body, subject.path + "/" + std::string(kDeleteAction));
  show_way_back(body, subject.media, subject.path);
  body.set("WHAT", kind_of(subject.media));
  return page.answer();
}

loop::Task<http::Response> MediaPage::remove(const SettingsContext& context,
                                             const Subject& subject) {
  const library::Actor actor = actor_of(context, subject.place);
  const library::Condition any;
  auto removing = library_.medias.remove(subject.media.id, any, actor);
  co_await removing;
  // If another user was faster, the goal is reached, too.
  co_return done(context, subject.place.medias, "deleted");
}

loop::Task<http::Response> MediaPage::remove_pending(const SettingsContext& context,
                                                     const Subject& subject) {
  // It became ready while the page was open: its page shows the rest.
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

std::string MediaPage::codes_url(const media::Media& media) const {
  const std::string watch = library_.links.preview(media);
  return parts_.site.url(base::paths::kEmbedCodes) + "?url=" +
         (watch.empty() ? media.id.value()
                        : text::percent_encode(parts_.site.media_page(media.id.value(), watch)));
}

void MediaPage::show_viewers(Values& body, const Subject& subject) const {
  const media::Media& media = subject.media;
  body.set("WHO", visibility_text(media.visible()));
  const media::AllowedDomains domains = sites_of(subject.place, media);
  if (media.is_private() || !domains.empty()) {
    Values guarded = body.show_with("GUARDED");
    if (media.is_private()) guarded.show("PRIVATE");
  }
  const std::string watch = library_.links.preview(media);
  if (!watch.empty() && !embed::why_not_playable(media))
    body.show_with("WATCH").set("URL", parts_.site.media_page(media.id.value(), watch));
  if (domains.empty()) return;
  Values sites = body.show_with("SITES");
  if (!media.allowed_domains) sites.show("INHERITED");
  for (const std::string& domain : domains) body.show_with("DOMAIN").set("NAME", domain);
}

loop::Task<std::optional<MediaPage::NewFile>> MediaPage::find_new_file(
    const media::HashedId& media) {
  auto listing = library_.replacements.all();
  const std::vector<media::Replacement> all = co_await listing;
  const auto newest =
      std::ranges::find(all.rbegin(), all.rend(), media, &media::Replacement::media);
  NewFile file;
  if (newest != all.rend()) {
    try {
      media::Reads reads;  // responses are not cached
      auto finding = library_.catalog.find_media(newest->upload, media::Detail::All, reads);
      const std::optional<media::Media> upload = co_await finding;
      if (upload) {
        const std::vector<media::Media> one{*upload};
        auto detailing = endpoints::find_details(library_.catalog, library_.uploads, one);
        const endpoints::MediaDetails details = co_await detailing;
        file.words = is_pending(*upload) ? status_text(*upload, details.progress.front())
                                         : "It takes the place of the former one now.";
        file.upload = upload->id;
      }
    } catch (const base::Unreadable&) {
      // The store logs it. The media itself has its page.
      file.words = "What has become of it cannot be read: ask the operator of this service.";
      file.upload = newest->upload;
    }
    if (file.upload) co_return file;
  }
  auto asking = library_.replacements.failure(media);
  std::optional<std::string> failure = co_await asking;
  if (!failure) co_return std::nullopt;
  file.words = *std::move(failure);
  co_return file;
}

loop::Task<http::Response> MediaPage::view(const SettingsContext& context, const Subject& subject) {
  const media::Media& media = subject.media;
  const std::vector<media::Media> medias{media};
  auto reading = loop::all(endpoints::find_details(library_.catalog, library_.uploads, medias),
                           choices(subject.place, media.project), find_new_file(media.id));
  const auto read = co_await reading;
  const auto& [details, projects, file] = read;
  SettingsPage page(parts_, context, shown_name(media.name), "media_settings.tpl");
  page.with_script(kPageScript).with_pictures().with_players();
  page.show_done();
  const bool waits = media.next_poster && !media.next_poster->has_failed;
  const bool gets_file = file && file->upload;
  if (is_pending(media) || waits || gets_file) page.refresh_after(kRefresh);
  Values& body = page.body();
  show_way_back(body, media, subject.path);
  body.set("LIST", subject.place.medias)
      .set("ACCOUNT", clipped(subject.place.account.name, kMaxShownName));
  const std::string description = plain_text(media.description);
  if (!description.empty())
    body.show_with("DESCRIBED").set("DESCRIPTION", clipped(description, kMaxShownText));
  const bool is_ready = media.status == media::Status::Ready;
  const bool plays = !embed::why_not_playable(media);
  const bool never_plays = media.status == media::Status::Failed || (is_ready && !plays);
  if (!never_plays) {
    Values watchable = body.show_with("WATCHABLE");
    show_viewers(watchable, subject);
  }
  Values item = page.body().include("ITEM", "library_item.tpl");
  describe(item, context, subject.place,
           {media, details.projects.front(), details.progress.front(), false});
  if (media.status == media::Status::Failed) page.body().show("KEPT");
  if (is_ready) {
    body.show_with("DELETE_PAGE").set("WHAT", kind_of(media));
    Values replace = body.show_with("REPLACE");
    if (file) {
      Values shown = replace.show_with(gets_file ? "GETS_FILE" : "GOT_NONE");
      shown.set("WORDS", clipped(file->words, kMaxShownText));
      if (gets_file) shown.set("UPLOAD", subject.place.medias + "/" + file->upload->value());
    }
    if (subject.place.account.may_upload()) {
      Values upload = replace.show_with("NEW_FILE");
      page.set_form(upload, subject.place.medias + std::string(kUploadEnd));
      upload.set("REPLACES", kReplaces).set("ID", media.id.value());
      upload.show(plays ? "PLAYS" : "LIES");
    }
  } else {
    Values deletion = body.show_with("DELETION");
    page.set_form(deletion, subject.path);
  }
  if (is_ready && media.is_video()) {
    Values video = body.show_with("VIDEO");
    video.set("CODES", codes_url(media));
    if (media.captions.empty()) video.show("NO_CAPTIONS");
    for (const media::Captions& captions : media.captions)
      video.show_with("CAPTIONS").set("LABEL", captions.label);
    video.show(media.customizations.empty() ? "PLAIN" : "CUSTOMIZED");
    show_next_poster(video, media);
  }
  if (plays) {
    Values played = body.show_with("PLAYED");
    if (media.chapters.empty()) played.show("NO_CHAPTERS");
    constexpr std::size_t kMostShown = 12;
    for (std::size_t i = 0; i < std::min(media.chapters.size(), kMostShown); ++i) {
      const media::Chapter& chapter = media.chapters[i];
      played.show_with("CHAPTER")
          .set("TIME", position_text(chapter.at))
          .set("TITLE", clipped(chapter.title, kMaxShownName));
    }
  }
  if (projects.empty()) {
    body.show_with("NO_PROJECT").set("PROJECTS", subject.place.projects);
  } else {
    Values moving = body.show_with("PROJECT");
    page.set_form(moving, subject.path + "/" + std::string(kMove));
    if (!media.project) moving.show("NONE");
    show_choices(moving, projects, media.project);
  }
  co_return page.answer();
}

}  // namespace svc::pages
