// ReplacePage: Account → Settings → Media → one media → Replace the file: this media gets the files
// of another media, which is deleted. pages-W62.
//
//   /settings/accounts/<account>/media/<id>/replace
#include "pages/settings/library.h"
#include "text/ascii.h"
#include "text/rfc3339.h"

namespace svc::pages {
namespace {

constexpr std::string_view kReplacement = "replacement";
constexpr std::string_view kReplacementId = "replacement_id";  // takes precedence

// The edition of the files that the form replaces.
std::string files_edition(const media::Media& media) {
  std::string files;
  for (const media::Asset& asset : media.assets) files += asset.url + '\n';
  return edition_of(files);
}

// Media may have equal names.
std::string option_words(const media::Media& media, std::int64_t now) {
  std::string words = shown_name(media.name);
  if (media.duration) words += ", " + duration_text(*media.duration);
  const auto created = text::seconds_of_rfc3339(media.created);
  return created ? words + ", " + relative_time(*created, now) : words;
}

class ReplacePage : public MediaPages {
  using MediaPages::MediaPages;

  loop::Task<http::Response> page(const OfMedia& subject) override {
    if (subject.sent == nullptr && subject.media.status != media::Status::Ready)
      return at_once(go_to(subject, subject.path));
    return form(subject, &ReplacePage::show, &ReplacePage::apply);
  }

  loop::Task<http::Response> show(const OfMedia& subject, const Entered& entered) {
    const std::vector<media::Media> others =
        co_await newest(subject, subject.media.type, subject.media.id);
    const std::string title = title_with("Replace the file", subject.media);
    SettingsPage page(parts_, subject, entered, title, "replace.tpl",
                      title_with("Not replaced", subject.media));
    Values& body = page.body();
    show_way_back(body, subject);
    body.set("TYPED", entered.text(kReplacementId))
        .set("EDITION", entered.edition(files_edition(subject.media)))
        .show(others.empty() ? "NO_CHOICE" : "CHOICE");
    for (const media::Media& other : others) {
      const bool is_chosen = other.id.value() == entered.text(kReplacement);
      show_choice(body, "OPTION", other.id.value(), option_words(other, subject.now), is_chosen);
    }
    co_return page.answer();
  }

  loop::Task<Applied> apply(const OfMedia& subject, Entered& entered) {
    const std::string chosen = entered.text(kReplacement);
    const std::string typed = entered.text(kReplacementId);
    const std::string replacement = typed.empty() ? chosen : typed;
    if (replacement.empty())
      co_return entered.refuse(kReplacementId, "Choose an item, or enter its id.");
    if (!chosen.empty() && chosen != replacement)
      co_return entered.refuse(kReplacementId, "Choose an item or enter an id, not both.");
    const library::Condition condition = entered.unless_changed(files_edition);
    const auto swapped =
        co_await library_.swaps.swap(subject.media.id, replacement, condition, subject.actor);
    if (swapped) co_return done(subject, subject.path, "replaced");
    using Kind = library::SwapRefusal::Kind;
    const std::string_view field = typed.empty() ? kReplacement : kReplacementId;
    std::string sentence = swapped.error().words + ".";
    switch (swapped.error().kind) {
      case Kind::NotFound:
      case Kind::Overtaken: break;
      case Kind::Busy:
        sentence.front() = text::to_upper(sentence.front());
        co_return entered.refuse(field, sentence, kOvertakenStatus);
      case Kind::Replacement: co_return entered.refuse(field, "The replacement " + sentence);
    }
    co_return entered.overtaken();
  }
};

}  // namespace

OwnedPage replace_page(const SettingsParts& parts) { return std::make_unique<ReplacePage>(parts); }

}  // namespace svc::pages
