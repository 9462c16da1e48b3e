// LinksPage: Account → Settings → Media → one media → Links. pages-W128, pages-W160.
//
//   …/<id>/links              the links; POST: makes one, which is shown once
//   …/<id>/links/<link>/end   POST only: ends one
//   …/<id>/links/end          asks, and ends all links
#include <algorithm>
#include <array>

#include "base/number.h"
#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "media/upload_form.h"
#include "pages/settings/library.h"

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

class LinksPage : public MediaPages {
  using MediaPages::MediaPages;

  loop::Task<http::Response> page(const OfMedia& subject) override {
    const auto link = link_in(subject.action);
    const bool is_sent = subject.sent != nullptr;
    if (subject.is(kLinks)) return form(subject, &LinksPage::show, &LinksPage::make);
    if (is_sent && link) return end_one(subject, *link);
    if (subject.is(kEndLinks)) return is_sent ? end(subject) : ask_end(subject);
    if (is_sent) return at_once(only_by_form(subject));
    return at_once(nothing_here(subject, "page", subject.path, "The video"));
  }

  loop::Task<http::Response> show(const OfMedia& subject, const Entered& entered) {
    return show_all(subject, entered, std::nullopt);
  }

  // Reads the links again if a link was just made.
  loop::Task<http::Response> show_all(const OfMedia& subject, const Entered& entered,
                                      std::optional<library::MadeLink> made) {
    media::Media media = subject.media;
    if (made) {
      media::Reads reads;  // responses are not cached
      std::optional<media::Media> stored =
          co_await library_.catalog.find_media(media.id, media::Detail::All, reads);
      if (stored) media = *std::move(stored);
    }
    const std::vector<library::ListedLink> links = co_await library_.links.list(media);
    std::vector<media::ContactId> ids;
    for (const library::ListedLink& each : links)
      if (each.link.maker) ids.push_back({*each.link.maker});
    const std::vector<media::Contact> makers = co_await parts_.people.find_contacts(ids);
    SettingsPage page(parts_, subject, entered, title_with("Links", media), "links.tpl",
                      title_with("Not made: Links", media));
    Values& body = page.body();
    show_way_back(body, subject);
    if (!media.is_private())
      body.show_with("NOT_PRIVATE").set("VISIBILITY", to_text(media.visible()));
    if (made) show_made(body, media, *made);
    if (!links.empty()) {
      Values listed = body.show_with("LISTED");
      listed.set("COUNT", counted(static_cast<std::int64_t>(links.size()), "link", "links"));
      for (const library::ListedLink& each : links) {
        Values one = listed.show_with("LINK");
        page.set_form(one, subject.path + "/links/" + std::to_string(each.link.id) + "/end");
        show_link(one, subject, each, makers);
      }
    }
    if (!library_.links.can_make_links()) {
      body.show("NO_KEYS");
      co_return page.answer();
    }
    Values making = body.show_with("FORM");
    for (const Lasting& lasting : kLastings) {
      const bool is_chosen = lasting.value == entered.text(kLasts, "week");
      show_choice(making, "LASTS", lasting.value, lasting.name, is_chosen);
    }
    // The rest of a form is likely to be that of the next link.
    making.set("LINK_NAME", made ? "" : entered.text(kName))
        .set("DAYS", entered.text(kDays))
        .set("MOST", static_cast<long>(kMostDays))
        .set("SITE", entered.text(kSite));
    body.show("ENDING");
    co_return page.answer();
  }

  void show_made(Values& body, const media::Media& media, const library::MadeLink& made) const {
    Values shown = body.show_with("MADE");
    const std::string end = full_time(made.ends);
    // A link for one site lacks a page (oembed-W8).
    if (made.domain.empty()) shown.show_with("PAGE").set("URL", made.url).set("END", end);
    const std::string code = code_with(media, made.token, parts_.site);
    if (code.empty()) return;
    Values embed = shown.show_with("EMBED");
    embed.set("CODE", code);
    if (made.domain.empty()) {
      embed.show("ALSO");
    } else {
      embed.show_with("ONLY").set("END", end).set("SITE", made.domain);
    }
  }

  static void show_link(Values& one, const OfMedia& subject, const library::ListedLink& each,
                        const std::vector<media::Contact>& makers) {
    const media::WatchLink& link = each.link;
    const std::int64_t made = link.id / 1000;
    one.set("NAME",
            link.name.empty() ? "Link of " + full_time(made) : clipped(link.name, kMaxShownName))
        .set("OPENED", each.openings == 0 ? "not opened yet"
                                          : "opened " + counted(each.openings, "time", "times"));
    set_time(one, "ENDS", link.ends, subject.now);
    set_time(one, "MADE", made, subject.now);
    if (!link.domain.empty()) one.show_with("ON").set("SITE", link.domain);
    if (!link.maker) return;
    const auto maker =
        std::ranges::find(makers, media::ContactId{*link.maker}, &media::Contact::id);
    one.show_with("BY").set(
        "MAKER", maker == makers.end() ? "a deleted user" : clipped(maker->name, kMaxShownName));
  }

  // Without a redirect: a link is only shown in the response to its form.
  loop::Task<Applied> make(const OfMedia& subject, Entered& entered) {
    const std::string typed_days = entered.text(kDays);
    const std::string site = entered.text(kSite);
    library::NewLink link;
    link.name = entered.text(kName);
    if (const std::string why = media::why_not_link_name(link.name); !why.empty())
      entered.refuse(kName, "The name " + why + ".");
    const auto lasting = std::ranges::find(kLastings, entered.text(kLasts), &Lasting::value);
    if (lasting == kLastings.end()) {
      entered.refuse(kLasts, "Choose how long the link works.");
    } else {
      const auto days = lasting->days > 0
                            ? std::optional(lasting->days)
                            : base::parse_number<std::int64_t>(typed_days, 1, kMostDays);
      link.lasts = days.value_or(0) * kSecondsOfDay;
      if (!days)
        entered.refuse(kDays,
                       "Enter a number of days from 1 to " + std::to_string(kMostDays) + ".");
      if (lasting->days > 0 && !typed_days.empty())
        entered.refuse(kDays, "Choose \"Another number of days\", or empty this field.");
    }
    if (!site.empty()) {
      const auto domain = library::link_domain(site);
      if (domain) link.domain = *domain;
      if (!domain) entered.refuse(kSite, "The site " + domain.error() + ".");
      if (domain && embed::why_not_playable(subject.media)) {
        entered.refuse(kSite,
                       "A link for one site opens only in an embed code, and there is none now. "
                       "Empty this field, or make the link later.");
      }
    }
    if (entered.has_problems() || !library_.links.can_make_links()) co_return entered.refused();
    const auto made = co_await library_.links.make(subject.media.id, link, subject.actor);
    if (made) {
      std::optional<library::MadeLink> shown(*made);
      co_return co_await show_all(subject, entered, std::move(shown));
    }
    if (made.error() != library::Refusal::Full) co_return entered.overtaken();
    co_return entered.refuse(
        kName, "There are " + std::to_string(media::kMaxLinks) +
                   " links, with those that were ended in the last hours: as many as are possible. "
                   "End one, and make the link later.");
  }

  // A link that has expired, or that another user ended, is as the user wants it.
  loop::Task<http::Response> end_one(const OfMedia& subject, std::int64_t link) {
    [[maybe_unused]] const auto ended =
        co_await library_.links.end_one(subject.media.id, link, subject.actor);
    co_return done(subject, subject.path + "/" + std::string(kLinks), "one");
  }

  loop::Task<http::Response> ask_end(const OfMedia& subject) {
    SettingsPage page(parts_, subject, Entered(), title_with("End all links", subject.media),
                      "links_end.tpl");
    show_way_back(page.body(), subject, "/links");
    co_return page.answer();
  }

  loop::Task<http::Response> end(const OfMedia& subject) {
    const auto ended = co_await library_.links.end_all(subject.media.id, subject.actor);
    if (!ended) co_return nothing_here(subject, "video", subject.medias, "Media of the account");
    co_return done(subject, subject.path + "/" + std::string(kLinks), "ended");
  }
};

}  // namespace

OwnedPage links_page(const SettingsParts& parts) { return std::make_unique<LinksPage>(parts); }

}  // namespace svc::pages
