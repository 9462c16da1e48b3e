#include "pages/settings/library.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/public_paths.h"
#include "base/settings_paths.h"
#include "base/unreadable.h"
#include "embed/embed_code.h"
#include "embed/embed_request.h"
#include "embed/embeddable.h"
#include "embed/watch_keys.h"
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

constexpr double kThousand = 1000;

std::string type_words(const std::string& type) {
  if (type.empty()) return "Media";
  return type == "PdfDocument" ? "PDF" : clipped(type, kMaxShownName);
}

constexpr std::string_view kSites = "sites";
enum class SitesChoice : std::uint8_t { Account, Any, List };
struct SitesRow {
  SitesChoice choice;
  std::string_view word;
  std::string_view name;
};
constexpr std::array<SitesRow, 3> kSitesChoices{
    {{SitesChoice::Account, "account", "Where the account allows it"},
     {SitesChoice::Any, "any", "On every site"},
     {SitesChoice::List, "list", "Only on these sites"}}};

std::optional<SitesChoice> choice_of(std::string_view word) {
  const auto row = std::ranges::find(kSitesChoices, word, &SitesRow::word);
  return row == kSitesChoices.end() ? std::nullopt : std::optional(row->choice);
}

std::string words_of_visibility(const Description& each) {
  const auto known = media::visibility_of(each.visibility);
  return known ? std::string(visibility_text(*known)) : each.visibility;
}

std::string words_of_sites(const Description& each) {
  if (choice_of(each.sites) == SitesChoice::List) return each.domains;
  const auto row = std::ranges::find(kSitesChoices, each.sites, &SitesRow::word);
  return row == kSitesChoices.end() ? each.sites : std::string(row->name);
}

std::string why_not_sites(const Description& typed) {
  return choice_of(typed.sites) ? "" : "Choose where it may be shown";
}

std::string why_not_domains(const Description& typed) {
  if (choice_of(typed.sites) != SitesChoice::List) return "";
  const auto domains = media::canonical_domains(media::domain_texts(typed.domains));
  return !domains ? domains.error() : domains->empty() ? "is empty" : "";
}

// The fields of the form, in its order: what problems call them, and their rules.
struct DescriptionField {
  std::string_view name;
  std::string Description::*value;
  std::string_view subject;
  std::string (*why_not)(const Description& typed);
  std::string_view if_empty = "";  // the problem of an empty field; "": its rule
};
constexpr std::array<DescriptionField, 5> kDescriptionFields{
    {{"name", &Description::name, "The name ",
      [](const Description& typed) { return media::why_not_given_name(typed.name); },
      "Enter a name."},
     {"description", &Description::description, "The description ",
      [](const Description& typed) { return media::why_not_given_description(typed.description); }},
     {media::kVisibilityField, &Description::visibility, "The choice of who may watch it ",
      [](const Description& typed) { return media::why_not_visibility(typed.visibility); }},
     {kSites, &Description::sites, "", why_not_sites},
     {media::kAllowedDomainsField, &Description::domains, "The list of sites ", why_not_domains}}};

std::string all_of(const Description& saved) {
  std::string all;
  for (const DescriptionField& field : kDescriptionFields) all += saved.*field.value + '\n';
  return all;
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

Description description_of(const media::Media& media) {
  const auto& stored = media.allowed_domains;
  const SitesChoice choice = !stored           ? SitesChoice::Account
                             : stored->empty() ? SitesChoice::Any
                                               : SitesChoice::List;
  Description saved{media.name, media.description, std::string(to_text(media.visible())),
                    std::string(std::ranges::find(kSitesChoices, choice, &SitesRow::choice)->word)};
  for (const std::string& domain : stored.value_or(media::AllowedDomains()))
    saved.domains += domain + "\n";
  return saved;
}

Description description_of(const media::Project& project) {
  return {.name = project.name, .description = project.description};
}

std::string description_edition(const media::Media& media) {
  return edition_of(all_of(description_of(media)));
}

std::string description_edition(const media::Project& project) {
  return edition_of(all_of(description_of(project)));
}

Description typed_in(const Entered& entered, const Description& saved) {
  Description typed;
  for (const DescriptionField& field : kDescriptionFields)
    typed.*field.value = entered.text(field.name, saved.*field.value);
  return typed;
}

void check_description(Entered& entered, const Description& typed) {
  for (const DescriptionField& field : kDescriptionFields) {
    const bool is_choice = field.name == media::kVisibilityField || field.name == kSites;
    if (is_choice && (typed.*field.value).empty()) continue;  // a form without it
    const std::string why = field.why_not(typed);
    if (!field.if_empty.empty() && (typed.*field.value).empty()) {
      entered.refuse(field.name, std::string(field.if_empty));
    } else if (!why.empty()) {
      entered.refuse(field.name, std::string(field.subject) + why + ".");
    }
  }
}

std::optional<std::optional<media::AllowedDomains>> sites_in(const Description& typed) {
  const auto choice = choice_of(typed.sites);
  if (!choice) return std::nullopt;
  if (*choice == SitesChoice::Account) return std::optional<media::AllowedDomains>();
  if (*choice == SitesChoice::Any) return std::optional(media::AllowedDomains());
  return std::optional(media::canonical_domains(media::domain_texts(typed.domains)).value());
}

void refuse_unused_sites(Entered& entered, const Description& typed,
                         const std::optional<media::AllowedDomains>& stored) {
  const auto choice = choice_of(typed.sites);
  if (!choice || choice == SitesChoice::List) return;
  const std::vector<std::string> domains = media::domain_texts(typed.domains);
  if (domains.empty() || domains == stored) return;
  entered.refuse(media::kAllowedDomainsField,
                 "Choose \"Only on these sites\", or empty this field.");
}

void show_description(Values& body, const Entered& entered, const Description& saved,
                      const std::string& edition, long rows) {
  const Description typed = typed_in(entered, saved);
  body.set("ENTERED", typed.name)
      .set("DESCRIPTION", typed.description)
      .set("ROWS", std::max(rows_of(typed.description), rows))
      .set("EDITION", entered.edition(edition));
  if (!saved.visibility.empty()) show_visibilities(body, typed.visibility);
  if (!saved.sites.empty()) {
    for (const SitesRow& row : kSitesChoices)
      show_choice(body, "SITES", row.word, row.name, row.word == typed.sites);
    body.set("DOMAINS", typed.domains);
  }
  if (!entered.is_overtaken()) return;
  const auto show_saved = [&](std::string_view field, const std::string& value,
                              const std::string& entered_value) {
    if (value == entered_value) return;
    body.show_with("SAVED")
        .set("FIELD", field)
        .set("VALUE", value.empty() ? "(nothing)" : clipped(value, kMaxShownText));
  };
  show_saved("Name", saved.name, typed.name);
  show_saved("Description", saved.description, typed.description);
  show_saved("Who may watch it", words_of_visibility(saved), words_of_visibility(typed));
  show_saved("Where it may be shown", words_of_sites(saved), words_of_sites(typed));
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
    const std::string_view name = visibility_text(media::visibility_of(word).value());
    show_choice(values, "VISIBILITY", word, name, word == chosen);
  }
}

std::string shown_name(std::string_view name) {
  if (text::trimmed(name).empty()) return std::string(media::kFallbackName);
  return clipped(name, kMaxShownName);
}

void show_way_back(Values& body, const OfMedia& subject, std::string_view end) {
  body.set("NAME", shown_name(subject.media.name)).set("BACK", subject.path + std::string(end));
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
    const std::string name = clipped(project.name, kMaxShownName);
    show_choice(values, "OPTION", project.id.value(), name, project.id == chosen);
  }
}

loop::Task<base::Result<InLibrary, Refused>> WithLibrary::library_of(
    const SettingsContext& context) {
  base::Result<InAccount, Refused> account = co_await account_of(context);
  if (!account) co_return base::Refusal{account.error()};
  InLibrary in{*std::move(account)};
  in.medias = base::paths::kAccountMedia.with(in.number);
  in.projects = base::paths::kAccountProjects.with(in.number);
  in.sites = base::paths::kAccountSites.with(in.number);
  in.stats = base::paths::kAccountStatsPage.with(in.number);
  in.actor = {.account = in.account.id,
              .contact = context.contact.id,
              .address = context.request.remote_address};
  if (const auto barrier = library_barrier(context.contact, in.account)) {
    const std::string_view path = context.request.path;
    co_return barred(in,
                     path.starts_with(in.projects) ? kProjectsBarred
                     : path.starts_with(in.sites)  ? kSitesBarred
                     : path.starts_with(in.stats)  ? kStatsBarred
                                                   : kMediaBarred,
                     *barrier);
  }
  if (context.request.path.ends_with('/'))
    co_return instead(nothing_here(context, "page"), "no such page");
  co_return in;
}

loop::Task<base::Result<OfMedia, Refused>> WithLibrary::subject_of(const SettingsContext& context) {
  base::Result<InLibrary, Refused> in = co_await library_of(context);
  if (!in) co_return base::Refusal{in.error()};
  std::string_view name = context.request.part("media");
  const std::string_view action = context.after(in->medias + "/" + std::string(name));
  if (action.empty() && name.ends_with(kStateSuffix)) name.remove_suffix(kStateSuffix.size());
  const auto id = media::HashedId::parse(name);
  std::optional<media::Media> media;
  if (id) {
    media::Reads reads;  // responses are not cached
    auto finding = library_.catalog.find_media(*id, media::Detail::All, reads);
    auto asking = library_.catalog.has_media(in->account.id, *id);
    media = co_await read_or_name(std::move(finding), std::move(asking), in->account.id, *id,
                                  action == kDeleteAction);
  }
  if (media && media->account != in->account.id) media.reset();
  if (media) {
    const std::string path = in->medias + "/" + media->id.value();
    co_return OfMedia{*std::move(in), path, action, *std::move(media)};
  }
  const bool deletes =
      context.request.method == "POST" && (action.empty() || action == kDeleteAction);
  // The form was sent twice, or the upload has expired: the goal is reached.
  if (deletes && id) co_return instead(done(context, in->medias, "deleted"));
  co_return instead(nothing_here(context, "video", in->medias, "Media of the account"),
                    "It was deleted.");
}

loop::Task<std::vector<media::NamedProject>> WithLibrary::choices(
    const InLibrary& in, const std::optional<media::ProjectId>& chosen) {
  std::vector<media::NamedProject> projects =
      co_await library_.listings.named_projects(in.account.id, kMostChoices);
  if (!chosen || std::ranges::find(projects, *chosen, &media::NamedProject::id) != projects.end())
    co_return projects;
  try {
    const auto project = co_await library_.catalog.find_project(*chosen);
    if (project && project->account == in.account.id)
      projects.push_back({project->id, project->name});
  } catch (const base::Unreadable&) {
    // The store logs it, and lists leave it out.
  }
  co_return projects;
}

loop::Task<std::vector<media::Media>> WithLibrary::newest(const InLibrary& in, std::string type,
                                                          media::HashedId but) {
  media::MediaQuery query;
  query.order = {.ascending = false, .count = kMostMedias + 1};
  query.type = std::move(type);
  std::vector<media::Media> medias =
      co_await library_.listings.medias(in.account.id, std::move(query));
  std::erase_if(medias, [&](const media::Media& media) {
    return media.status != media::Status::Ready || media.id == but;
  });
  if (medias.size() > kMostMedias) medias.pop_back();
  co_return medias;
}

media::AllowedDomains WithLibrary::sites_of(const InLibrary& in, const media::Media& media) {
  return media.allowed_domains.value_or(in.account.site_rule().domains);
}

std::string WithLibrary::allowed_by(const InLibrary& in) {
  const media::SiteRule rule = in.account.site_rule();
  return rule.domains.empty() ? "every site" : clipped(text::joined(rule.domains), kMaxShownText);
}

std::string WithLibrary::file_of(const InLibrary& in, const media::Media& media,
                                 const std::string& url) const {
  if (!media.is_private() && sites_of(in, media).empty()) return parts_.site.absolute(url);
  const embed::Span span = library_.watch_keys.span(media.duration, 0);
  return parts_.site.absolute(library_.watch_keys.signed_url(url, media.links_from, span.end));
}

// Posters are open unless the media is private.
std::string WithLibrary::picture_of(const media::Media& media, media::Dimensions size) const {
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

void WithLibrary::show_player(Values& values, const media::Media& media) const {
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

void WithLibrary::describe(Values& values, const SettingsContext& context, const InLibrary& in,
                           const Shown& shown) const {
  const media::Media& media = shown.media;
  const std::string id = media.id.value();
  const std::string page = in.medias + "/" + id;
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
  if (!sites_of(in, media).empty()) values.show("ON_SITES");
  if (media.duration) values.show_with("LASTS").set("DURATION", duration_text(*media.duration));
  if (shown.project) {
    values.show_with("IN_PROJECT")
        .set("PROJECT", clipped(shown.project->name, kMaxShownName))
        .set("PATH", in.medias + "?project=" + shown.project->id.value());
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
