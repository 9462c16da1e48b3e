#include "pages/settings/links_page.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "embed/watch_keys.h"
#include "media/contact.h"
#include "media/upload_form.h"
#include "pages/formatting.h"
#include "pages/page_response.h"

namespace svc::pages {
namespace {

constexpr std::string_view kLinks = "links";
constexpr std::string_view kEndLinks = "links/end";
constexpr std::string_view kName = "name";
constexpr std::string_view kLasts = "lasts";
constexpr std::string_view kDays = "days";
constexpr std::string_view kSite = "site";

constexpr std::int64_t kSecondsOfDay = 86'400;
struct Lasting {
  std::string_view value;
  std::string_view name;
  std::int64_t days;  // 0: those that are entered
};
constexpr std::array<Lasting, 5> kLastings{{{"day", "A day", 1},
                                            {"week", "A week", 7},
                                            {"month", "A month", 30},
                                            {"year", "A year", 365},
                                            {"days", "Another number of days", 0}}};
constexpr std::int64_t kMostDays = embed::kLongestLink / kSecondsOfDay;

// The code that embeds the film for viewers of the link; "" if it cannot be embedded.
std::string code_with(const media::Media& media, const std::string& token,
                      const embed::Site& site) {
  const auto subject = embed::playable(media);
  if (!subject) return "";
  embed::EmbedRequest request;
  request.id = media.id;
  request.options.add(embed::kWatch, token);
  return embed::build_page_code(request, *subject, site);
}

// The link that links/<link>/end names.
std::optional<std::int64_t> link_in(std::string_view action) {
  constexpr std::string_view kBefore = "links/";
  constexpr std::string_view kAfter = "/end";
  if (!action.starts_with(kBefore) || !action.ends_with(kAfter) ||
      action.size() < kBefore.size() + kAfter.size())
    return std::nullopt;
  action.remove_prefix(kBefore.size());
  action.remove_suffix(kAfter.size());
  return base::parse_number<std::int64_t>(action, 1, media::kMaxIntegerId);
}

}  // namespace

loop::Task<http::Response> LinksPage::show(const SettingsContext& context) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  if (subject->action == kLinks) {
    auto showing = page(context, *subject, {}, std::nullopt);
    co_return co_await showing;
  }
  if (subject->action == kEndLinks) co_return ask_end(context, *subject);
  co_return nothing_here(context, "page", subject->path, "The media");
}

loop::Task<http::Response> LinksPage::take(const SettingsContext& context, const text::Form& form) {
  auto finding = subject_of(context);
  const base::Result<Subject, Refused> subject = co_await finding;
  if (!subject) co_return subject.error().page;
  if (const auto link = link_in(subject->action)) {
    auto ending = end_one(context, *subject, *link);
    co_return co_await ending;
  }
  if (subject->action != kLinks && subject->action != kEndLinks) co_return only_by_form(context);
  auto doing = subject->action == kLinks ? make(context, *subject, form) : end(context, *subject);
  co_return co_await doing;
}

loop::Task<http::Response> LinksPage::page(const SettingsContext& context, const Subject& subject,
                                           Entered entered, std::optional<library::MadeLink> made) {
  media::Media media = subject.media;
  if (made) {
    media::Reads reads;  // responses are not cached
    auto finding = library_.catalog.find_media(media.id, media::Detail::All, reads);
    std::optional<media::Media> stored = co_await finding;
    if (stored) media = *std::move(stored);
  }
  auto listing = library_.links.list(media);
  const std::vector<library::ListedLink> links = co_await listing;
  std::vector<media::ContactId> ids;
  for (const library::ListedLink& each : links)
    if (each.link.maker) ids.push_back({*each.link.maker});
  const std::vector<media::Contact> makers = co_await parts_.people.find_contacts(ids);
  SettingsPage page(parts_, context,
                    title_with(entered.status == 200 ? "Links" : "Not made: Links", media),
                    "links.tpl");
  page.show_done();
  Values& body = page.body();
  show_way_back(body, media, subject.path);
  show_problems(body, entered.problems);
  if (!media.is_private())
    body.show_with("NOT_PRIVATE").set("VISIBILITY", to_text(media.visible()));
  if (made) {
    Values shown = body.show_with("MADE");
    const std::string end = full_time(made->ends);
    // For one site there is no page (oembed-W8).
    if (made->domain.empty()) shown.show_with("PAGE").set("URL", made->url).set("END", end);
    const std::string code = code_with(media, made->token, parts_.site);
    if (!code.empty()) {
      Values embed = shown.show_with("EMBED");
      embed.set("CODE", code);
      if (made->domain.empty()) {
        embed.show("ALSO");
      } else {
        embed.show_with("ONLY").set("END", end).set("SITE", made->domain);
      }
    }
  }
  if (!links.empty()) {
    Values listed = body.show_with("LISTED");
    listed.set("COUNT", counted(static_cast<std::int64_t>(links.size()), "link", "links"));
    for (const library::ListedLink& each : links) {
      const media::WatchLink& link = each.link;
      Values one = listed.show_with("LINK");
      page.set_form(one, subject.path + "/links/" + std::to_string(link.id) + "/end");
      const std::string made_at = full_time(link.id / 1000);
      one.set("NAME", link.name.empty() ? "Link of " + made_at : clipped(link.name, kMaxShownName))
          .set("OPENED", each.openings == 0 ? "not opened yet"
                                            : "opened " + counted(each.openings, "time", "times"));
      set_time(one, "ENDS", link.ends, context.now);
      set_time(one, "MADE", link.id / 1000, context.now);
      if (!link.domain.empty()) one.show_with("ON").set("SITE", link.domain);
      const auto maker = std::ranges::find_if(
          makers, [&](const media::Contact& contact) { return contact.id.value() == link.maker; });
      if (maker != makers.end()) {
        one.show_with("BY").set("MAKER", clipped(maker->name, kMaxShownName));
      } else if (link.maker) {
        one.show_with("BY").set("MAKER", "a deleted user");
      }
    }
  }
  if (!library_.links.can_make_links()) {
    body.show("NO_KEYS");
    co_return page.answer(entered.status);
  }
  Values making = body.show_with("FORM");
  page.set_form(making, subject.path + "/" + std::string(kLinks));
  for (const Lasting& lasting : kLastings) {
    Values one = making.show_with("LASTS");
    one.set("VALUE", lasting.value).set("WORDS", lasting.name);
    if (lasting.value == entered.lasts) one.show("CHOSEN");
  }
  making.set("LINK_NAME", entered.name)
      .set("DAYS", entered.days)
      .set("MOST", static_cast<long>(kMostDays))
      .set("SITE", entered.site);
  body.show("ENDING");
  co_return page.answer(entered.status);
}

// Without a redirect: a link is only shown in the response to its form.
loop::Task<http::Response> LinksPage::make(const SettingsContext& context, const Subject& subject,
                                           const text::Form& form) {
  const auto field = [&](std::string_view name) { return tidy(form.find(name).value_or("")); };
  Entered entered{
      .name = field(kName), .lasts = field(kLasts), .days = field(kDays), .site = field(kSite)};
  library::NewLink link;
  link.name = entered.name;
  if (const std::string why = media::why_not_link_name(link.name); !why.empty())
    entered.problems.push_back({kName, "The name " + why + "."});
  const auto lasting = std::ranges::find(kLastings, entered.lasts, &Lasting::value);
  if (lasting == kLastings.end()) {
    entered.problems.push_back({kLasts, "Choose for how long the link opens the media."});
  } else {
    const auto days = lasting->days > 0
                          ? std::optional(lasting->days)
                          : base::parse_number<std::int64_t>(entered.days, 1, kMostDays);
    link.lasts = days.value_or(0) * kSecondsOfDay;
    if (!days) {
      entered.problems.push_back(
          {kDays, "Enter a number of days from 1 to " + std::to_string(kMostDays) + "."});
    } else if (lasting->days > 0 && !entered.days.empty()) {
      entered.problems.push_back(
          {kDays, "Choose \"Another number of days\", or empty this field."});
    }
  }
  if (!entered.site.empty()) {
    const auto domain = library::link_domain(entered.site);
    if (domain) link.domain = *domain;
    if (!domain) entered.problems.push_back({kSite, "The site " + domain.error() + "."});
    if (domain && embed::why_not_playable(subject.media)) {
      entered.problems.push_back(
          {kSite,
           "A link for one site opens only in an embed code, which the media does not have "
           "now. Empty this field, or make the link later."});
    }
  }
  if (!entered.problems.empty()) entered.status = kNotSavedStatus;
  if (!entered.problems.empty() || !library_.links.can_make_links()) {
    auto showing = page(context, subject, std::move(entered), std::nullopt);
    co_return co_await showing;
  }
  const library::Actor actor = actor_of(context, subject.place);
  auto making = library_.links.make(subject.media.id, link, actor);
  const base::Result<library::MadeLink, library::Refusal> made = co_await making;
  std::optional<library::MadeLink> shown;
  if (made) {
    shown = *made;
    entered.name.clear();  // the rest is likely to be that of the next one
  } else if (made.error() == library::Refusal::Full) {
    entered.problems.push_back(
        {kName, "The media has " + std::to_string(media::kMaxLinks) +
                    " links, with those that were ended in the last hours: as many as it may "
                    "have. End one, and make the link later."});
    entered.status = kNotSavedStatus;
  } else {
    co_return nothing_here(context, "media", subject.place.medias, "Media of the account");
  }
  auto showing = page(context, subject, std::move(entered), std::move(shown));
  co_return co_await showing;
}

// A link that has ended by itself, or by another user, is as the user wants it.
loop::Task<http::Response> LinksPage::end_one(const SettingsContext& context,
                                              const Subject& subject, std::int64_t link) {
  const library::Actor actor = actor_of(context, subject.place);
  auto ending = library_.links.end_one(subject.media.id, link, actor);
  [[maybe_unused]] const base::Result<media::Media, library::Refusal> ended = co_await ending;
  co_return done(context, subject.path + "/" + std::string(kLinks), "one");
}

http::Response LinksPage::ask_end(const SettingsContext& context, const Subject& subject) const {
  SettingsPage page(parts_, context, title_with("End all links", subject.media), "links_end.tpl");
  Values& body = page.body();
  page.set_form(body, subject.path + "/" + std::string(kEndLinks));
  show_way_back(body, subject.media, subject.path + "/" + std::string(kLinks));
  return page.answer();
}

loop::Task<http::Response> LinksPage::end(const SettingsContext& context, const Subject& subject) {
  const library::Actor actor = actor_of(context, subject.place);
  auto ending = library_.links.end_all(subject.media.id, actor);
  const base::Result<media::Media, library::Refusal> ended = co_await ending;
  if (!ended)
    co_return nothing_here(context, "media", subject.place.medias, "Media of the account");
  co_return done(context, subject.path + "/" + std::string(kLinks), "ended");
}

}  // namespace svc::pages
