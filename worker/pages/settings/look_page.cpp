#include "pages/settings/look_page.h"

#include <utility>

#include "base/paths.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "embed/watch_keys.h"
#include "http/refusal.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "pages/player_form.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

constexpr std::string_view kLook = "look";
constexpr std::string_view kPreview = "preview";

std::string edition_of(const media::Customizations& options) {
  return pages::edition_of(media::to_json(options));
}

// The player's page with all of these options. The stored ones that are not among them are undone,
// as far as a parameter can do that: the page reads the stored ones, too.
std::string player_of(const media::Media& media, const media::Customizations& options,
                      const embed::Site& site, const std::string& watch) {
  std::string url = site.url(base::paths::kMediaFrame, media.id.value());
  char separator = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    url += std::exchange(separator, '&');
    text::append_percent_encoded(url, name);
    url += '=';
    text::append_percent_encoded(url, value);
  };
  if (!watch.empty()) add(embed::kWatch, watch);
  for (const auto& [name, value] : options) add(name, media::to_text(value));
  for (const auto& [name, value] : media.customizations) {
    if (options.contains(name)) continue;
    const std::string text = media::to_text(value);
    if (text == "true" || text == "false") add(name, text == "true" ? "false" : "true");
  }
  return url;
}

}  // namespace

loop::Task<http::Response> LookPage::show(const SettingsContext& context) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  const media::Customizations& stored = subject->media.customizations;
  const text::Form query = text::Form::parse(context.request.query);
  const bool is_preview = query.find(kPreview).has_value();
  co_return form(context, *subject,
                 {.form = is_preview ? query : form_of(stored),
                  .edition = edition_of(stored),
                  .is_preview = is_preview});
}

loop::Task<http::Response> LookPage::take(const SettingsContext& context, const text::Form& form) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  const media::Media& media = subject->media;
  Entered entered{form, std::string(form.find("edition").value_or(""))};
  PlayerOptionsChosen chosen;
  read_player_form(PlayerForm::Media, form, chosen);
  if (form.find(kPreview) || !chosen.wrong.empty()) {
    entered.is_preview = true;
    entered.status = chosen.wrong.empty() ? 200 : kNotSavedStatus;
    co_return this->form(context, *subject, entered);
  }
  const media::Customizations wanted = with_choices(media.customizations, chosen);
  // Sent twice, or another user had the same idea.
  if (wanted == media.customizations) co_return done(context, subject->path, "saved");
  library::CustomizationEdit edit{.replaces = true};
  for (const auto& [name, value] : wanted) edit.options.emplace(name, value);
  const library::Condition condition = [&](const media::Media& each) {
    return edition_of(each.customizations) == entered.edition;
  };
  const library::Actor actor = actor_of(context, subject->place);
  auto customizing = library_.medias.customize(media.id, edit, condition, actor);
  const base::Result<media::Media, library::Refusal> customized = co_await customizing;
  if (customized) co_return done(context, subject->path, "saved");
  media::Reads reads;  // responses are not cached
  auto reading = library_.catalog.find_media(media.id, media::Detail::All, reads);
  std::optional<media::Media> now = co_await reading;
  if (!now || customized.error() == library::Refusal::NotFound)
    co_return nothing_here(context, "video", subject->place.medias, "Media of the account");
  Subject fresh = *subject;
  fresh.media = *std::move(now);
  entered.edition = edition_of(fresh.media.customizations);
  entered.was_overtaken = true;
  entered.is_preview = true;
  entered.status = kOvertakenStatus;
  co_return this->form(context, fresh, entered);
}

http::Response LookPage::form(const SettingsContext& context, const Subject& subject,
                              const Entered& entered) const {
  const media::Media& media = subject.media;
  const bool is_whole = entered.status == 200;
  SettingsPage page(parts_, context, title_with(is_whole ? "Player" : "Not saved: Player", media),
                    "look.tpl");
  page.with_script("/assets/embed-codes.js").with_players();
  Values& body = page.body();
  page.set_form(body, subject.path + "/" + std::string(kLook));
  show_way_back(body, media, subject.path);
  body.set("EDITION", entered.edition);
  PlayerOptionsChosen chosen;
  read_player_form(PlayerForm::Media, entered.form, chosen);
  Values options = body.include("OPTIONS", "player_options.tpl");
  fill_player_form(options, PlayerForm::Media, entered.form, chosen);
  if (!chosen.wrong.empty()) body.show("HAS_PROBLEMS");
  for (const WrongOption& wrong : chosen.wrong)
    body.show_with("SUMMARY").set("FIELD", wrong.parameter).set("PROBLEM", wrong.text);
  if (entered.was_overtaken) {
    Values overtaken = body.show_with("OVERTAKEN");
    for (const auto& [name, value] : media.customizations) {
      overtaken.show_with("SAVED")
          .set("FIELD", name)
          .set("VALUE", clipped(media::to_text(value), kMaxShownName));
    }
    if (media.customizations.empty()) overtaken.show("NOTHING");
  } else if (entered.is_preview) {
    body.show("UNSAVED");
  }
  if (!embed::why_not_playable(media)) {
    const media::Dimensions size = embed::fit({}, embed::embeddable(media).native);
    body.show_with("PLAYER")
        .set("TITLE", shown_name(media.name))
        .set("URL", player_of(media, with_choices(media.customizations, chosen), parts_.site,
                              library_.links.preview(media)))
        .set("WIDTH", static_cast<long>(size.width))
        .set("HEIGHT", static_cast<long>(size.height));
  }
  http::Response response = page.answer(entered.status);
  response.about = media.id.value();
  return response;
}

}  // namespace svc::pages
