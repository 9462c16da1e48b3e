#include "pages/settings/library.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/digest.h"
#include "base/hex.h"
#include "base/paths.h"
#include "base/unreadable.h"
#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "embed/watch_keys.h"
#include "loop/attempt.h"
#include "media/upload_form.h"
#include "oauth/consent.h"
#include "pages/formatting.h"
#include "text/ascii.h"
#include "text/csp_source.h"
#include "text/rfc3339.h"
#include "text/uri.h"
#include "text/word_list.h"

namespace svc::pages {
namespace {

constexpr std::size_t kEditionDigits = 16;
constexpr double kThousand = 1000;

std::string type_words(const std::string& type) {
  if (type.empty()) return "Media";
  return type == "PdfDocument" ? "PDF" : clipped(type, kMaxShownName);
}

// A page of an account, for a user who may not see it.
struct Barred {
  std::string_view title = "Media";
  std::string_view does = "see, upload and change its media";  // its owners and managers
  std::string_view lacks = "Media cannot be uploaded";
};
constexpr Barred kProjectsBarred{"Projects", "see and change its projects",
                                 "Projects cannot be changed"};
constexpr Barred kSitesBarred{"Sites", "choose where its films may be shown",
                              "Sites cannot be chosen"};
constexpr Barred kStatsBarred{"Statistics", "see its statistics", "Statistics cannot be seen"};

std::string why_barred(const Barred& page, oauth::Barrier barrier) {
  switch (barrier) {
    case oauth::Barrier::OnlyAUser:
      return "You are a user of this account. Only its owners and managers " +
             std::string(page.does) + ": ask one of them.";
    case oauth::Barrier::OauthDisabled:  // has_library()
      return std::string(page.lacks) +
             " here, because uploads are not enabled for this account. Ask the operator of this "
             "service to enable them.";
    case oauth::Barrier::ContactDisabled: return std::string(page.lacks) + ".";
  }
  return "";
}

constexpr std::string_view kSites = "sites";
constexpr std::array<std::pair<SitesChoice, std::string_view>, 3> kSitesChoices{
    {{SitesChoice::Account, "Where the account allows it"},
     {SitesChoice::Any, "On every site"},
     {SitesChoice::List, "Only on these sites"}}};

std::optional<SitesChoice> choice_of(std::string_view word) {
  for (const auto& [choice, name] : kSitesChoices)
    if (word_of(choice) == word) return choice;
  return std::nullopt;
}

void check_sites(DescriptionForm& entered) {
  if (entered.sites.empty()) return;
  const auto choice = choice_of(entered.sites);
  if (!choice) entered.problems.push_back({kSites, "Choose where it may be shown."});
  if (choice != SitesChoice::List) return;
  const auto domains = media::canonical_domains(media::domain_texts(entered.domains));
  if (!domains) {
    entered.problems.push_back(
        {media::kAllowedDomainsField, "The list of sites " + domains.error() + "."});
  } else if (domains->empty()) {
    entered.problems.push_back({media::kAllowedDomainsField, "The list of sites is empty."});
  }
}

}  // namespace

constexpr std::string_view kUploadEnd =
    base::paths::kUploadForm.after().substr(base::paths::kAccountMedia.after().size());

std::optional<oauth::Barrier> library_barrier(const media::Contact& contact,
                                              const media::Account& account) {
  oauth::Standing standing = oauth::standing_of(contact, account);
  standing.oauth_enabled = account.has_library();
  return oauth::barrier_of(standing);
}

std::string why_no_media(oauth::Barrier barrier) { return why_barred(Barred(), barrier); }

std::string_view word_of(SitesChoice choice) {
  switch (choice) {
    case SitesChoice::Account: return "account";
    case SitesChoice::Any: return "any";
    case SitesChoice::List: return "list";
  }
  return {};
}

std::optional<std::optional<media::AllowedDomains>> sites_in(const DescriptionForm& form) {
  const auto choice = choice_of(form.sites);
  if (!choice) return std::nullopt;
  if (*choice == SitesChoice::Account) return std::optional<media::AllowedDomains>();
  if (*choice == SitesChoice::Any) return std::optional(media::AllowedDomains());
  return std::optional(media::canonical_domains(media::domain_texts(form.domains)).value());
}

void set_sites(DescriptionForm& form, const std::optional<media::AllowedDomains>& domains) {
  form.sites = word_of(!domains           ? SitesChoice::Account
                       : domains->empty() ? SitesChoice::Any
                                          : SitesChoice::List);
  for (const std::string& domain : domains.value_or(media::AllowedDomains()))
    form.domains += domain + "\n";
}

void refuse_unused_sites(DescriptionForm& form,
                         const std::optional<media::AllowedDomains>& stored) {
  const auto choice = choice_of(form.sites);
  if (!choice || choice == SitesChoice::List) return;
  const std::vector<std::string> entered = media::domain_texts(form.domains);
  if (entered.empty() || entered == stored) return;
  form.problems.push_back(
      {media::kAllowedDomainsField, "Choose \"Only on these sites\", or empty this field."});
  form.status = kNotSavedStatus;
}

void show_sites(Values& values, const DescriptionForm& form) {
  for (const auto& [choice, name] : kSitesChoices) {
    Values option = values.show_with("SITES");
    option.set("VALUE", word_of(choice)).set("NAME", name);
    if (word_of(choice) == form.sites) option.show("CHOSEN");
  }
  values.set("DOMAINS", form.domains);
}

std::string edition_of(std::string_view text) {
  return base::to_hex(base::sha256(text)).substr(0, kEditionDigits);
}

void show_problems(Values& body, const std::vector<FieldProblem>& problems) {
  if (!problems.empty()) body.show("HAS_PROBLEMS");
  for (const FieldProblem& problem : problems) {
    body.show_with("SUMMARY").set("FIELD", problem.field).set("PROBLEM", problem.text);
    std::string section;
    for (const char c : problem.field) section += c == '-' ? '_' : text::to_upper(c);
    body.show(section + "_WRONG");
    body.show_with(section + "_PROBLEM").set("PROBLEM", problem.text);
  }
}

DescriptionForm description_form(const text::Form& form) {
  DescriptionForm entered{
      .name = tidy(form.find("name").value_or("")),
      .description = tidy(form.find("description").value_or("")),
      .visibility = std::string(form.find(media::kVisibilityField).value_or("")),
      .sites = std::string(form.find(kSites).value_or("")),
      .domains = tidy(form.find(media::kAllowedDomainsField).value_or("")),
      .edition = std::string(form.find("edition").value_or(""))};
  if (entered.name.empty())
    entered.problems.push_back({"name", "Enter a name."});
  else if (const std::string why = media::why_not_given_name(entered.name); !why.empty())
    entered.problems.push_back({"name", "The name " + why + "."});
  if (const std::string why = media::why_not_given_description(entered.description); !why.empty())
    entered.problems.push_back({"description", "The description " + why + "."});
  if (const std::string why = media::why_not_visibility(entered.visibility);
      !entered.visibility.empty() && !why.empty())
    entered.problems.push_back(
        {media::kVisibilityField, "The choice of who may watch it " + why + "."});
  check_sites(entered);
  if (!entered.problems.empty()) entered.status = kNotSavedStatus;
  return entered;
}

void show_description_form(Values& body, const DescriptionForm& form, long rows) {
  body.set("ENTERED", form.name)
      .set("DESCRIPTION", form.description)
      .set("ROWS", std::max(rows_of(form.description), rows))
      .set("EDITION", form.edition);
  show_problems(body, form.problems);
}

void show_overtaken(Values& body, const DescriptionForm& form, const DescriptionForm& stored) {
  if (!form.was_overtaken) return;
  Values overtaken = body.show_with("OVERTAKEN");
  const auto saved = [&](std::string_view field, const std::string& value,
                         const std::string& typed) {
    if (value == typed) return;
    overtaken.show_with("SAVED")
        .set("FIELD", field)
        .set("VALUE", value.empty() ? "(nothing)" : clipped(value, kMaxShownText));
  };
  saved("Name", stored.name, form.name);
  saved("Description", stored.description, form.description);
  const auto words_of = [](const std::string& visibility) {
    const auto known = media::visibility_of(visibility);
    return known ? std::string(visibility_text(*known)) : visibility;
  };
  saved("Who may watch it", words_of(stored.visibility), words_of(form.visibility));
  const auto places_of = [](const DescriptionForm& each) {
    if (each.sites == word_of(SitesChoice::List)) return each.domains;
    const auto choice = choice_of(each.sites);
    const auto named = std::ranges::find_if(
        kSitesChoices, [&](const auto& one) { return choice && one.first == *choice; });
    return named == kSitesChoices.end() ? each.sites : std::string(named->second);
  };
  saved("Where it may be shown", places_of(stored), places_of(form));
}

std::string_view visibility_text(media::Visibility visibility) {
  switch (visibility) {
    case media::Visibility::Public: return "Everyone, search engines too";
    case media::Visibility::Unlisted: return "Only people who know its address";
    case media::Visibility::Private: return "Only people to whom you give a link that ends";
  }
  return {};
}

void show_visibilities(Values& values, std::string_view chosen) {
  for (const std::string_view word : media::visibility_words()) {
    Values option = values.show_with("VISIBILITY");
    option.set("VALUE", word).set("NAME", visibility_text(media::visibility_of(word).value()));
    if (word == chosen) option.show("CHOSEN");
  }
}

std::string shown_name(std::string_view name) {
  if (text::trimmed(name).empty()) return std::string(media::kFallbackName);
  return clipped(name, kMaxShownName);
}

void show_way_back(Values& body, const media::Media& media, const std::string& path) {
  body.set("NAME", shown_name(media.name)).set("BACK", path);
}

std::string title_with(std::string_view page, const media::Media& media) {
  return std::string(page) + " – " + shown_name(media.name);
}

bool is_pending(const media::Media& media) {
  return media.status == media::Status::Queued || media.status == media::Status::Processing;
}

std::string status_text(const media::Media& media, double progress) {
  switch (media.status) {
    case media::Status::Queued: return "Waiting to be processed.";
    case media::Status::Processing:
      return "Processing: " + std::to_string(static_cast<int>(progress * 100)) + " %.";
    case media::Status::Ready: return "Ready.";
    case media::Status::Failed: return "Failed.";
  }
  return "";
}

void show_next_poster(Values& body, const media::Media& media) {
  if (!media.next_poster) return;
  const double seconds = static_cast<double>(media.next_poster->at) / kThousand;
  body.show_with(media.next_poster->has_failed ? "NOT_MADE" : "BEING_MADE")
      .set("AT", duration_text(seconds));
}

std::string code_of(const media::Media& media, const embed::Site& site) {
  if (embed::why_not_embeddable(media)) return "";
  const embed::Embeddable subject = embed::embeddable(media);
  embed::EmbedRequest request;
  request.id = media.id;
  return embed::build_page_code(request, subject, site);
}

void show_choices(Values& values, const std::vector<media::NamedProject>& projects,
                  const std::optional<media::ProjectId>& chosen) {
  for (const media::NamedProject& project : projects) {
    Values one = values.show_with("OPTION");
    one.set("VALUE", project.id.value()).set("NAME", clipped(project.name, kMaxShownName));
    if (project.id == chosen) one.show("CHOSEN");
  }
}

loop::Task<base::Result<Library::Place, Library::Refused>> Library::place_of(
    const SettingsContext& context) {
  auto found = co_await account_of(context);
  if (!found) co_return base::Refusal{Refused{found.error(), "no such account"}};
  Place place;
  place.account = std::move(found->account);
  const std::string_view number = context.request.part("account");
  place.medias = base::paths::kAccountMedia.with(number);
  place.projects = base::paths::kAccountProjects.with(number);
  place.sites = base::paths::kAccountSites.with(number);
  place.stats = base::paths::kAccountStatsPage.with(number);
  const std::string_view path = context.request.path;
  if (const auto barrier = library_barrier(context.contact, place.account)) {
    const Barred barred = path.starts_with(place.projects) ? kProjectsBarred
                          : path.starts_with(place.sites)  ? kSitesBarred
                          : path.starts_with(place.stats)  ? kStatsBarred
                                                           : Barred();
    const std::string why = why_barred(barred, *barrier);
    SettingsPage page(parts_, context, barred.title, "library_barred.tpl");
    page.body()
        .set("PAGE", barred.title)
        .set("ACCOUNT", clipped(place.account.name, kMaxShownName))
        .set("WHY", why);
    co_return base::Refusal{Refused{page.answer(403), why}};
  }
  if (path.ends_with('/'))
    co_return base::Refusal{Refused{nothing_here(context, "page"), "no such page"}};
  co_return place;
}

loop::Task<base::Result<Library::Subject, Library::Refused>> Library::subject_of(
    const SettingsContext& context) {
  base::Result<Place, Refused> place = co_await place_of(context);
  if (!place) co_return base::Refusal{place.error()};
  std::string_view name = context.request.part("media");
  const std::size_t end = place->medias.size() + 1 + name.size();
  const bool has_action = end < context.request.path.size();
  const std::string_view action = has_action ? context.request.path.substr(end + 1) : "";
  if (!has_action && name.ends_with(kStateSuffix)) name.remove_suffix(kStateSuffix.size());
  std::optional<media::Media> media;
  if (const auto id = media::HashedId::parse(name)) {
    media::Reads reads;  // responses are not cached
    auto reading = loop::attempt(library_.catalog.find_media(*id, media::Detail::All, reads));
    auto attempt = co_await reading;
    bool is_unreadable = false;
    try {
      media = attempt.get();
    } catch (const base::Unreadable&) {
      if (action != kDeleteAction) throw;
      is_unreadable = true;
    }
    if (is_unreadable) {
      auto asking = library_.catalog.has_media(place->account.id, *id);
      const bool is_here = co_await asking;
      if (is_here) {
        media.emplace();
        media->id = *id;
        media->account = place->account.id;
        media->name = id->value();
      }
    }
  }
  if (media && media->account != place->account.id) media.reset();
  if (media) {
    const std::string path = place->medias + "/" + media->id.value();
    co_return Subject{*std::move(place), path, action, *std::move(media)};
  }
  const bool deletes =
      context.request.method == "POST" && (action.empty() || action == kDeleteAction);
  // The form was sent twice, or the upload has expired: the goal is reached.
  if (deletes && media::HashedId::parse(name))
    co_return base::Refusal{Refused{done(context, place->medias, "deleted"), ""}};
  co_return base::Refusal{Refused{
      nothing_here(context, "video", place->medias, "Media of the account"), "It was deleted."}};
}

loop::Task<std::vector<media::NamedProject>> Library::choices(
    const Place& place, const std::optional<media::ProjectId>& chosen) {
  auto listing = library_.listings.named_projects(place.account.id, kMostChoices);
  std::vector<media::NamedProject> projects = co_await listing;
  if (!chosen || std::ranges::find(projects, *chosen, &media::NamedProject::id) != projects.end())
    co_return projects;
  auto finding = loop::attempt(library_.catalog.find_project(*chosen));
  auto attempt = co_await finding;
  try {
    const std::optional<media::Project>& project = attempt.get();
    if (project && project->account == place.account.id)
      projects.push_back({project->id, project->name});
  } catch (const base::Unreadable&) {
    // The store logs it, and lists leave it out.
  }
  co_return projects;
}

loop::Task<std::vector<media::Media>> Library::newest(const Place& place, std::string type,
                                                      media::HashedId but) {
  media::MediaQuery query;
  query.order = {.ascending = false, .count = kMostMedias + 1};
  query.type = std::move(type);
  auto listing = library_.listings.medias(place.account.id, std::move(query));
  std::vector<media::Media> medias = co_await listing;
  std::erase_if(medias, [&](const media::Media& media) {
    return media.status != media::Status::Ready || media.swapped_into || media.id == but;
  });
  if (medias.size() > kMostMedias) medias.pop_back();
  co_return medias;
}

media::AllowedDomains Library::sites_of(const Place& place, const media::Media& media) {
  return media.allowed_domains.value_or(place.account.site_rule().domains);
}

std::string Library::allowed_by(const Place& place) {
  const media::SiteRule rule = place.account.site_rule();
  return rule.domains.empty() ? "every site" : clipped(text::joined(rule.domains), kMaxShownText);
}

std::string Library::file_of(const Place& place, const media::Media& media,
                             const std::string& url) const {
  if (!media.is_private() && sites_of(place, media).empty()) return parts_.site.absolute(url);
  const embed::Span span = library_.watch_keys.span(media.duration, 0);
  return parts_.site.absolute(library_.watch_keys.signed_url(url, media.links_from, span.end));
}

// Posters are open unless the media is private.
std::string Library::picture_of(const media::Media& media, media::Dimensions size) const {
  if (!media.thumbnail) return "";
  const std::string url = parts_.site.absolute(media.thumbnail->url);
  const std::string source = text::csp_source(url);
  if (source != text::csp_source(parts_.site.embed_host) &&
      source != text::csp_source(parts_.site.asset_base))
    return "";
  embed::Embeddable shown = embed::embeddable(media);
  if (media.is_private()) {
    const embed::Span span = library_.watch_keys.span(media.duration, 0);
    shown.poster = library_.watch_keys.signed_url(shown.poster, media.links_from, span.end);
  }
  return embed::thumbnail_url(shown, size, parts_.site);
}

void Library::show_player(Values& values, const media::Media& media) const {
  if (embed::why_not_playable(media)) return;
  const media::Dimensions size = embed::fit({}, embed::embeddable(media).native);
  const std::string watch = library_.links.preview(media);
  std::string url = parts_.site.url(base::paths::kMediaFrame, media.id.value());
  if (!watch.empty()) url += "?" + std::string(embed::kWatch) + "=" + text::percent_encode(watch);
  Values player = values.show_with("PLAYER");
  player.include("STAGE", "stage.tpl")
      .set("TITLE", shown_name(media.name))
      .set("URL", url)
      .set("WIDTH", static_cast<long>(size.width))
      .set("HEIGHT", static_cast<long>(size.height));
}

void Library::describe(Values& values, const SettingsContext& context, const Place& place,
                       const Shown& shown) const {
  const media::Media& media = shown.media;
  const std::string id = media.id.value();
  const std::string page = place.medias + "/" + id;
  const std::string name = shown_name(media.name);
  values.set("ID", id).set("PAGE", page).set("NAME", name);
  if (shown.is_titled) values.show("TITLED");
  if (media.status != media::Status::Ready || !shown.is_titled) {
    Values state = values.show_with("STATE");
    state.set("WORDS", status_text(media, shown.progress));
    if (media.status == media::Status::Failed)
      state.show_with("FAILED").set("REASON", clipped(media.failure, kMaxShownText));
  }
  set_time(values, "CREATED", text::seconds_of_rfc3339(media.created).value_or(0), context.now);
  if (media.updated != media.created) {
    Values changed = values.show_with("CHANGED");
    set_time(changed, "UPDATED", text::seconds_of_rfc3339(media.updated).value_or(0), context.now);
  }
  values.set("TYPE", type_words(media.type));
  if (media.visible() != media::Visibility::Public)
    values.show_with("NOT_PUBLIC").set("WORD", to_text(media.visible()));
  if (!sites_of(place, media).empty()) values.show("ON_SITES");
  if (media.duration) values.show_with("LASTS").set("DURATION", duration_text(*media.duration));
  if (shown.project) {
    values.show_with("IN_PROJECT")
        .set("PROJECT", clipped(shown.project->name, kMaxShownName))
        .set("PATH", place.medias + "?project=" + shown.project->id.value());
  }
  if (!shown.is_titled) show_player(values, media);
  const std::string picture = picture_of(media, kListedPicture);
  if (picture.empty()) {
    values.show("NO_PICTURE");
  } else {
    values.show_with("PICTURE").set("URL", picture).set("PAGE", page);
  }
  if (is_pending(media)) {
    values.show_with("PENDING").set("THOUSANDTHS", static_cast<long>(shown.progress * kThousand));
    return;
  }
  const std::string code = code_of(media, parts_.site);
  if (code.empty()) return;
  values.show_with(shown.is_titled ? "FOLDED_CODE" : "CODE")
      .set("TEXT", code)
      .set("PUBLIC", parts_.site.media_page(id));
}

}  // namespace svc::pages
