// LookPage: Account → Settings → Media → one media → Player: options that the player has for this
// media in every embed code. pages-W56.
//
//   /settings/accounts/<account>/media/<id>/look     the form with a preview; POST: save, or with
//                                                    the field `preview` only show
//
// A GET with options shows these in form and preview: the page's script asks so.

#include "base/public_paths.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "pages/player_form.h"
#include "pages/settings/library.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

constexpr std::string_view kPreview = "preview";

std::string options_edition(const media::Media& media) {
  return edition_of(media::to_json(media.customizations));
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

class LookPage : public MediaPages {
  using MediaPages::MediaPages;

  loop::Task<http::Response> page(const OfMedia& subject) override {
    return form(subject, &LookPage::show, &LookPage::apply);
  }

  loop::Task<http::Response> show(const OfMedia& subject, const Entered& entered) {
    const media::Media& media = subject.media;
    const text::Form query = text::Form::parse(subject.request.query);
    const bool is_preview = entered.sent() != nullptr || query.find(kPreview);
    const text::Form shown = entered.sent() != nullptr ? *entered.sent()
                             : is_preview              ? query
                                                       : form_of(media.customizations);
    PlayerOptionsChosen chosen;
    read_player_form(PlayerForm::Media, shown, chosen);
    Entered with_problems = entered;
    if (entered.sent() == nullptr) {
      for (const WrongOption& wrong : chosen.wrong)
        with_problems.refuse(wrong.parameter, wrong.text, 200);
    }
    SettingsPage page(parts_, subject, with_problems, title_with("Player", media), "look.tpl");
    page.with_script("/assets/embed-codes.js").with_players();
    Values& body = page.body();
    show_way_back(body, subject);
    body.set("EDITION", entered.edition(options_edition(media)));
    Values options = body.include("OPTIONS", "player_options.tpl");
    fill_player_form(options, PlayerForm::Media, shown, chosen);
    if (entered.is_overtaken()) {
      for (const auto& [name, value] : media.customizations) {
        const std::string text = clipped(media::to_text(value), kMaxShownName);
        body.show_with("SAVED").set("FIELD", name).set("VALUE", text);
      }
      if (media.customizations.empty()) body.show("NOTHING");
    } else if (is_preview) {
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
    co_return page.answer();
  }

  loop::Task<Applied> apply(const OfMedia& subject, Entered& entered) {
    PlayerOptionsChosen chosen;
    read_player_form(PlayerForm::Media, *subject.sent, chosen);
    for (const WrongOption& wrong : chosen.wrong) entered.refuse(wrong.parameter, wrong.text);
    if (entered.has_problems() || entered.has(kPreview)) co_return entered.refused();
    const media::Customizations& saved = subject.media.customizations;
    const media::Customizations wanted = with_choices(saved, chosen);
    // Sent twice, or another user had the same idea.
    if (wanted == saved) co_return done(subject, subject.path, "saved");
    library::CustomizationEdit edit{.replaces = true};
    for (const auto& [name, value] : wanted) edit.options.emplace(name, value);
    const library::Condition condition = entered.unless_changed(options_edition);
    const auto customized =
        co_await library_.medias.customize(subject.media.id, edit, condition, subject.actor);
    if (!customized) co_return entered.overtaken();
    co_return done(subject, subject.path, "saved");
  }
};

}  // namespace

OwnedPage look_page(const SettingsParts& parts) { return std::make_unique<LookPage>(parts); }

}  // namespace svc::pages
