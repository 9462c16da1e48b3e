// MediaPage: Account → Settings → Media → one media. pages-W13, pages-W34, pages-W54.
//
//   /settings/accounts/<account>/media/<id>          the media; POST: delete it, unless it is ready
//   /settings/accounts/<account>/media/<id>.json     its state for the script of the pages
//   …/<id>/edit                                      its name and description
//   …/<id>/move                                      POST only: its project
//   …/<id>/delete                                    asks, and deletes it
#include <algorithm>

#include "base/public_paths.h"
#include "base/unreadable.h"
#include "embed/embeddable.h"
#include "endpoints/media_response.h"
#include "http/refusal.h"
#include "loop/all.h"
#include "media/upload_form.h"
#include "pages/settings/library.h"
#include "text/json.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

constexpr std::string_view kPageScript = "/assets/uploads.js";
constexpr int kRefresh = 5;  // seconds, without scripts

constexpr std::string_view kEdit = "edit";
constexpr std::string_view kMove = "move";

// What its pages call it.
std::string_view kind_of(const media::Media& media) { return media.is_video() ? "video" : "file"; }

bool wants_json(const http::Request& request) { return request.path.ends_with(kStateSuffix); }

http::Response state_refusal(int status, std::string_view why) {
  http::Response response = http::json_error(status, why);
  return std::move(response.with("Cache-Control", "no-store"));
}

class MediaPage : public MediaPages {
 public:
  using MediaPages::MediaPages;

  std::optional<http::Response> unavailable(const http::Request& request) const override {
    if (!wants_json(request)) return std::nullopt;
    http::Response response = state_refusal(503, "temporarily unavailable");
    return std::move(response.with("Retry-After", "1"));
  }

 private:
  http::Response refuse(const SettingsContext& context, const Refused& refused) const override {
    const bool is_state = context.sent == nullptr && wants_json(context.request);
    return is_state ? state_refusal(refused.page.status, refused.reason) : refused.page;
  }

  loop::Task<http::Response> page(const OfMedia& subject) override {
    const bool is_sent = subject.sent != nullptr;
    const bool is_json = wants_json(subject.request);
    if (subject.is(kEdit)) return form(subject, &MediaPage::show, &MediaPage::edit);
    if (subject.is(kDeleteAction)) return is_sent ? remove(subject) : ask_delete(subject);
    // A login between form and submission redirects here with GET.
    if (subject.is(kMove)) return is_sent ? move(subject) : at_once(go_to(subject, subject.path));
    if (subject.is("") && !is_sent) return is_json ? state(subject) : view(subject);
    if (subject.is("") && !is_json) return remove_pending(subject);
    if (is_sent) return at_once(only_by_form(subject));
    return at_once(nothing_here(subject, "page", subject.path, "The video"));
  }

  loop::Task<http::Response> show(const OfMedia& subject, const Entered& entered) {
    const std::string title = title_with("Edit video", subject.media);
    SettingsPage page(parts_, subject, entered, title, "media_form.tpl");
    Values& body = page.body();
    const Description saved = description_of(subject.media);
    show_way_back(body, subject);
    show_description(body, entered, saved, description_edition(subject.media), 4);
    body.set("ALLOWED", allowed_by(subject));
    co_return page.answer();
  }

  loop::Task<Applied> edit(const OfMedia& subject, Entered& entered) {
    const media::Media& saved = subject.media;
    const Description typed = typed_in(entered);
    check_description(entered, typed);
    refuse_unused_sites(entered, typed, saved.allowed_domains);
    if (entered.has_problems()) co_return entered.refused();
    // What only a browser changed is not a change: it removes line ends at the beginning.
    library::MediaEdit edit;
    if (typed.name != saved.name) edit.name = typed.name;
    if (typed.description != tidy(saved.description)) edit.description = typed.description;
    const auto visibility = media::visibility_of(typed.visibility);
    if (visibility && *visibility != saved.visible()) edit.visibility = visibility;
    const auto sites = sites_in(typed);
    if (sites && *sites != saved.allowed_domains) edit.allowed_domains = sites;
    // Sent twice, or another user had the same idea.
    if (!edit.name && !edit.description && !edit.visibility && !edit.allowed_domains)
      co_return done(subject, subject.path, "saved");
    const auto refused = co_await library_.medias.why_not(saved, edit);
    if (refused) {
      const bool of_sites = refused->field == media::kAllowedDomainsField;
      const std::string choice = of_sites ? "sites " : "who may watch it ";
      co_return entered.refuse(refused->field, "The choice of " + choice + refused->why + ".");
    }
    const library::Condition condition = entered.unless_changed<media::Media>(description_edition);
    const auto edited = co_await library_.medias.edit(saved.id, edit, condition, subject.actor);
    if (!edited) co_return entered.overtaken();
    co_return done(subject, subject.path, "saved");
  }

  loop::Task<http::Response> move(const OfMedia& subject) {
    const std::vector<std::string> ids{subject.media.id.value()};
    const std::string project = tidy(subject.sent->find("project_id").value_or(""));
    const auto moved = co_await library_.projects.move(ids, project, subject.actor);
    if (moved) co_return done(subject, subject.path, "moved");
    if (moved.error().project)
      co_return nothing_here(subject, "project", subject.path, "The video");
    co_return nothing_here(subject, "video", subject.medias, "Media of the account");
  }

  loop::Task<http::Response> ask_delete(const OfMedia& subject) {
    const std::string what(kind_of(subject.media));
    SettingsPage page(parts_, subject, Entered(), title_with("Delete " + what, subject.media),
                      "media_delete.tpl");
    show_way_back(page.body(), subject);
    page.body().set("WHAT", what);
    co_return page.answer();
  }

  loop::Task<http::Response> remove(const OfMedia& subject) {
    const library::Condition any;
    co_await library_.medias.remove(subject.media.id, any, subject.actor);
    // If another user was faster, the goal is reached, too.
    co_return done(subject, subject.medias, "deleted");
  }

  loop::Task<http::Response> remove_pending(const OfMedia& subject) {
    const library::Condition is_not_ready = [](const media::Media& media) {
      return media.status != media::Status::Ready;
    };
    const auto refused =
        co_await library_.medias.remove(subject.media.id, is_not_ready, subject.actor);
    // It became ready while the page was open: its page shows the rest.
    if (refused == library::Refusal::Overtaken) co_return go_to(subject, subject.path);
    co_return done(subject, subject.medias, "deleted");
  }

  loop::Task<http::Response> state(const OfMedia& subject) {
    const std::vector<media::Media> medias{subject.media};
    const endpoints::MediaDetails details =
        co_await endpoints::find_details(library_.catalog, library_.uploads, medias);
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

  // The page of its embed codes; for a private media, by a link that lasts as long as the preview.
  std::string codes_url(const media::Media& media) const {
    const std::string watch = library_.links.preview(media);
    return parts_.site.url(base::paths::kEmbedCodes) + "?url=" +
           (watch.empty() ? media.id.value()
                          : text::percent_encode(parts_.site.media_page(media.id.value(), watch)));
  }

  // Who may watch the media, and where.
  void show_viewers(Values& body, const OfMedia& subject) const {
    const media::Media& media = subject.media;
    body.set("WHO", visibility_text(media.visible()));
    const media::AllowedDomains domains = sites_of(subject, media);
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

  // The upload that is to replace the media's file, or why the last upload failed.
  struct NewFile {
    std::optional<media::HashedId> upload{};
    std::string words{};  // a sentence
  };
  loop::Task<std::optional<NewFile>> find_new_file(const media::HashedId& media) {
    const std::vector<media::Replacement> all = co_await library_.replacements.all();
    const auto newest =
        std::ranges::find(all.rbegin(), all.rend(), media, &media::Replacement::media);
    NewFile file;
    if (newest != all.rend()) {
      try {
        media::Reads reads;  // responses are not cached
        const auto upload =
            co_await library_.catalog.find_media(newest->upload, media::Detail::All, reads);
        if (upload) {
          const std::vector<media::Media> one{*upload};
          const endpoints::MediaDetails details =
              co_await endpoints::find_details(library_.catalog, library_.uploads, one);
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
    std::optional<std::string> failure = co_await library_.replacements.failure(media);
    if (!failure) co_return std::nullopt;
    file.words = *std::move(failure);
    co_return file;
  }

  loop::Task<http::Response> view(const OfMedia& subject) {
    const media::Media& media = subject.media;
    const std::vector<media::Media> medias{media};
    auto reading = loop::all(endpoints::find_details(library_.catalog, library_.uploads, medias),
                             choices(subject, media.project), find_new_file(media.id));
    const auto read = co_await reading;
    const auto& [details, projects, file] = read;
    SettingsPage page(parts_, subject, shown_name(media.name), "media_settings.tpl");
    page.with_script(kPageScript).with_pictures().with_players();
    page.show_done();
    const bool waits = media.next_poster && !media.next_poster->has_failed;
    const bool gets_file = file && file->upload;
    if (is_pending(media) || waits || gets_file) page.refresh_after(kRefresh);
    Values& body = page.body();
    show_way_back(body, subject);
    body.set("LIST", subject.medias).set("ACCOUNT", subject.account_name());
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
    describe(item, subject, subject,
             {media, details.projects.front(), details.progress.front(), false});
    if (media.status == media::Status::Failed) page.body().show("KEPT");
    if (is_ready) {
      body.show_with("DELETE_PAGE").set("WHAT", kind_of(media));
      Values replace = body.show_with("REPLACE");
      if (file) {
        Values shown = replace.show_with(gets_file ? "GETS_FILE" : "GOT_NONE");
        shown.set("WORDS", clipped(file->words, kMaxShownText));
        if (gets_file) shown.set("UPLOAD", subject.medias + "/" + file->upload->value());
      }
      if (subject.account.may_upload()) {
        Values upload = replace.show_with("NEW_FILE");
        page.set_form(upload, subject.medias + std::string(kUploadEnd));
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
      body.show_with("NO_PROJECT").set("PROJECTS", subject.projects);
    } else {
      Values moving = body.show_with("PROJECT");
      page.set_form(moving, subject.path + "/" + std::string(kMove));
      if (!media.project) moving.show("NONE");
      show_choices(moving, projects, media.project);
    }
    co_return page.answer();
  }
};

}  // namespace

OwnedPage media_page(const SettingsParts& parts) { return std::make_unique<MediaPage>(parts); }

}  // namespace svc::pages
