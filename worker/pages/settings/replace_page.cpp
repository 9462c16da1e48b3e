#include "pages/settings/replace_page.h"

#include <utility>

#include "pages/formatting.h"
#include "pages/page_response.h"
#include "text/ascii.h"
#include "text/rfc3339.h"

namespace svc::pages {
namespace {

constexpr std::string_view kReplacement = "replacement";
constexpr std::string_view kReplacementId = "replacement_id";

// The edition of the files that the form replaces.
std::string files_edition(const media::Media& media) {
  std::string files;
  for (const media::Asset& asset : media.assets) files += asset.url + '\n';
  return pages::edition_of(files);
}

// Media may have equal names.
std::string option_words(const media::Media& media, std::int64_t now) {
  std::string words = shown_name(media.name);
  if (media.duration) words += ", " + duration_text(*media.duration);
  const auto created = text::seconds_of_rfc3339(media.created);
  return created ? words + ", " + relative_time(*created, now) : words;
}

}  // namespace

loop::Task<http::Response> ReplacePage::show(const SettingsContext& context) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  if (subject->media.status != media::Status::Ready)
    co_return see_other(subject->path, context.visitor);
  auto showing = form(context, *subject, {.edition = files_edition(subject->media)});
  co_return co_await showing;
}

loop::Task<http::Response> ReplacePage::form(const SettingsContext& context, const Subject& subject,
                                             Entered entered) {
  auto listing = newest(subject.place, subject.media.type, subject.media.id);
  const std::vector<media::Media> others = co_await listing;
  const std::string_view what = entered.status == 200 ? "Replace the file" : "Not replaced";
  SettingsPage page(parts_, context, title_with(what, subject.media), "replace.tpl");
  Values& body = page.body();
  page.set_form(body, subject.path + "/replace");
  show_way_back(body, subject.media, subject.path);
  body.set("TYPED", entered.typed)
      .set("EDITION", entered.edition);
  show_problems(body, entered.problems);
  if (entered.was_overtaken) body.show("OVERTAKEN");
  if (!others.empty()) {
    Values choice = body.show_with("CHOICE");
    for (const media::Media& other : others) {
      Values one = choice.show_with("OPTION");
      one.set("VALUE", other.id.value()).set("WORDS", option_words(other, context.now));
      if (other.id.value() == entered.chosen) one.show("CHOSEN");
    }
  } else {
    body.show("NO_CHOICE");
  }
  co_return page.answer(entered.status);
}

loop::Task<http::Response> ReplacePage::take(const SettingsContext& context,
                                             const text::Form& form) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  Entered entered{.chosen = std::string(form.find(kReplacement).value_or("")),
                  .typed = tidy(form.find(kReplacementId).value_or("")),
                  .edition = std::string(form.find("edition").value_or(""))};
  const std::string replacement = entered.typed.empty() ? entered.chosen : entered.typed;
  const bool are_two =
      !entered.chosen.empty() && !entered.typed.empty() && entered.chosen != entered.typed;
  if (replacement.empty() || are_two) {
    entered.problems.push_back({kReplacementId, are_two ? "Choose a media or enter an id, not both."
                                                        : "Choose a media, or enter its id."});
    entered.status = kNotSavedStatus;
    auto showing = this->form(context, *subject, std::move(entered));
    co_return co_await showing;
  }
  const library::Condition condition = [&](const media::Media& media) {
    return files_edition(media) == entered.edition;
  };
  const library::Actor actor = actor_of(context, subject->place);
  auto swapping = library_.swaps.swap(subject->media.id, replacement, condition, actor);
  const library::SwapService::Swapped swapped = co_await swapping;
  if (swapped) co_return done(context, subject->path, "replaced");
  auto refusing = refused(context, *subject, std::move(entered), swapped.error());
  co_return co_await refusing;
}

loop::Task<http::Response> ReplacePage::refused(const SettingsContext& context,
                                                const Subject& subject, Entered entered,
                                                library::SwapRefusal refusal) {
  using Kind = library::SwapRefusal::Kind;
  const std::string_view field = entered.typed.empty() ? kReplacement : kReplacementId;
  Subject now = subject;
  entered.status = kOvertakenStatus;
  switch (refusal.kind) {
    case Kind::NotFound:
      co_return nothing_here(context, "media", subject.place.medias, "Media of the account");
    case Kind::Overtaken: {
      media::Reads reads;  // responses are not cached
      auto reading = library_.catalog.find_media(subject.media.id, media::Detail::All, reads);
      std::optional<media::Media> stored = co_await reading;
      if (!stored)
        co_return nothing_here(context, "media", subject.place.medias, "Media of the account");
      now.media = *std::move(stored);
      entered.edition = files_edition(now.media);
      entered.was_overtaken = true;
      break;
    }
    case Kind::Busy: {
      std::string sentence = refusal.words + ".";
      sentence.front() = text::to_upper(sentence.front());
      entered.problems.push_back({field, sentence});
      break;
    }
    case Kind::Replacement:
      entered.problems.push_back({field, "The replacement " + refusal.words + "."});
      entered.status = kNotSavedStatus;
  }
  auto showing = form(context, now, std::move(entered));
  co_return co_await showing;
}

}  // namespace svc::pages
