#include "app/service.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ios>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "app/api_description.h"
#include "app/deprecations.h"
#include "app/developer_facts.h"
#include "app/routes.h"
#include "app/version.h"
#include "app/viewing_writer.h"
#include "base/secret_file.h"
#include "base/unavailable.h"
#include "base/unreadable.h"
#include "endpoints/account.h"
#include "endpoints/allowed_domains.h"
#include "endpoints/body_permission.h"
#include "endpoints/captions.h"
#include "endpoints/captions_file.h"
#include "endpoints/chapters.h"
#include "endpoints/customizations.h"
#include "endpoints/fixed.h"
#include "endpoints/health.h"
#include "endpoints/introspect.h"
#include "endpoints/manifest.h"
#include "endpoints/media_links.h"
#include "endpoints/media_list.h"
#include "endpoints/media_move.h"
#include "endpoints/media_swap.h"
#include "endpoints/medias.h"
#include "endpoints/metadata.h"
#include "endpoints/oembed.h"
#include "endpoints/openapi.h"
#include "endpoints/own_origins.h"
#include "endpoints/player_data.h"
#include "endpoints/projects.h"
#include "endpoints/repeated.h"
#include "endpoints/revoke.h"
#include "endpoints/security_text.h"
#include "endpoints/stats.h"
#include "endpoints/status.h"
#include "endpoints/token.h"
#include "endpoints/upload.h"
#include "endpoints/upload_commit.h"
#include "endpoints/upload_permission.h"
#include "endpoints/viewing.h"
#include "library/caption_service.h"
#include "library/link_service.h"
#include "library/media_service.h"
#include "library/project_service.h"
#include "library/replacement_service.h"
#include "library/site_service.h"
#include "library/swap_service.h"
#include "login/passkeys.h"
#include "login/password_login.h"
#include "login/second_factor.h"
#include "login/visitors.h"
#include "oauth/account_token_service.h"
#include "oauth/application_service.h"
#include "oauth/applications.h"
#include "oauth/client_authentication.h"
#include "oauth/grant_handler.h"
#include "pages/authorize/authorize_page.h"
#include "pages/brand.h"
#include "pages/login_page.h"
#include "pages/public/design_page.h"
#include "pages/public/developers_page.h"
#include "pages/public/embed_codes_page.h"
#include "pages/public/home_page.h"
#include "pages/public/public_problem.h"
#include "pages/public/watch_page.h"
#include "pages/refusal_page.h"
#include "pages/settings/account_choice_page.h"
#include "pages/settings/applications_page.h"
#include "pages/settings/captions_page.h"
#include "pages/settings/chapters_page.h"
#include "pages/settings/connected_page.h"
#include "pages/settings/library.h"
#include "pages/settings/library_page.h"
#include "pages/settings/links_page.h"
#include "pages/settings/look_page.h"
#include "pages/settings/media_page.h"
#include "pages/settings/not_found_page.h"
#include "pages/settings/overview_page.h"
#include "pages/settings/poster_page.h"
#include "pages/settings/projects_page.h"
#include "pages/settings/replace_page.h"
#include "pages/settings/second_factor_page.h"
#include "pages/settings/security_page.h"
#include "pages/settings/settings.h"
#include "pages/settings/sites_page.h"
#include "pages/settings/stats_page.h"
#include "pages/settings/tokens_page.h"
#include "redis/store_tracking.h"
#include "stores/account_tokens.h"
#include "stores/audit.h"
#include "stores/caption_texts.h"
#include "stores/catalog.h"
#include "stores/catalog_index.h"
#include "stores/catalog_registry.h"
#include "stores/client_documents.h"
#include "stores/client_registry.h"
#include "stores/clients.h"
#include "stores/factors.h"
#include "stores/form_limit.h"
#include "stores/grants.h"
#include "stores/keys.h"
#include "stores/login_attempts.h"
#include "stores/passkeys.h"
#include "stores/people.h"
#include "stores/project_registry.h"
#include "stores/public_applications.h"
#include "stores/repetitions.h"
#include "stores/replacements.h"
#include "stores/resource_servers.h"
#include "stores/sessions.h"
#include "stores/site_rules.h"
#include "stores/standings.h"
#include "stores/statistics.h"
#include "stores/uploads.h"
#include "stores/usage.h"

namespace svc::app {

namespace {

// Interval at which each worker looks for removed applications.
constexpr base::Duration kLookForRemovedEvery = std::chrono::seconds(5);
constexpr base::Duration kLookAgain = std::chrono::milliseconds(5);

oauth::OwnResources own_resources(const embed::Site& site) {
  return {site.base_url, site.url(base::paths::kApi)};
}

// How this worker does what takes long.
struct LongWork {
  explicit LongWork(loop::Loop& loop) : heavy(loop), pieces(loop) {}

  loop::HeavyWork heavy;
  loop::Pieces pieces;
};

// The endpoints for applications, for the role grant.
struct Grant {
  Grant(const Options& options, redis::Store& state, stores::Catalog& catalog,
        const base::KeyRing& keys, const embed::WatchKeys& watch_keys,
        const pages::Languages& languages, const base::WallClock& time, LongWork& work,
        loop::Loop& loop)
      : clients(state),
        grants(state, keys, options.limits, time, entropy, &loop),
        account_tokens(state, keys, time),
        standings(state),
        own(own_resources(options.site)),
        access{grants,
               account_tokens,
               standings,
               own,
               options.site.url(base::paths::kApiResource),
               watch_keys,
               work.heavy,
               work.pieces},
        audit(state),
        authentication(clients, clients, keys, options.limits.documents),
        authorization_code(grants, standings, audit, options.limits, keys, entropy, own),
        refresh_token(grants, standings, audit, options.limits, keys, entropy, time, own),
        resource_servers(state, clients),
        client_credentials(grants, standings, resource_servers, options.limits, entropy, time, own),
        token(authentication, authorization_code, refresh_token, client_credentials),
        revoke(authentication, grants, audit),
        public_applications(state),
        token_for_pages(token, clients, public_applications),
        revoke_for_pages(revoke, clients, public_applications),
        introspect(authentication, grants, standings, own, options.issuer),
        metadata(options.site, options.issuer, languages.tags(), public_applications,
                 options.limits.documents.is_on() ? endpoints::Documents::Taken
                                                  : endpoints::Documents::Refused),
        resource("application/json", endpoints::protected_resource_json(
                                         options.site, options.issuer, options.site.base_url)),
        api_resource("application/json",
                     endpoints::protected_resource_json(options.site, options.issuer,
                                                        options.site.url(base::paths::kApi))),
        openapi(std::string(http::kJson),
                endpoints::openapi_json(describe_api(), options.site, kVersion)),
        uploads(state),
        records(state),
        people(state, stores::People::Hashes::Hidden),
        listings(state, &work.pieces),
        media_service(catalog, records, uploads, people, audit, time),
        medias(options.site, catalog, uploads, media_service, access),
        repetitions(state),
        repeated(repetitions, time, keys, entropy),
        customizations(options.site, catalog, media_service, repeated, access),
        chapters(catalog, media_service, access),
        account(people, listings, access),
        statistics(state),
        account_stats(endpoints::AccountStats::Form::Whole, statistics, time, access),
        account_stats_by_date(endpoints::AccountStats::Form::ByDate, statistics, time, access),
        project_stats(catalog, listings, statistics, access),
        media_stats(endpoints::MediaStats::Form::Whole, catalog, statistics, time, access),
        media_stats_by_date(endpoints::MediaStats::Form::ByDate, catalog, statistics, time, access),
        media_engagement(endpoints::MediaStats::Form::Engagement, catalog, statistics, time,
                         access),
        stats_of_media(endpoints::MediaStats::Form::Percents, catalog, statistics, time, access),
        site_service(people, listings, records, uploads, audit),
        allowed_domains(options.site, site_service, repeated, access),
        allowed_domain(site_service, access),
        upload_permission(access, audit, uploads, catalog, people, options.uploads, keys, entropy),
        body_permission(access),
        media_list(options.site, catalog, listings, uploads, access, upload_permission),
        project_records(state),
        upload_commit(options.site, catalog, uploads, project_records, &repeated, keys, time,
                      nullptr, nullptr),
        project_service(catalog, records, project_records, listings, audit, entropy, time),
        projects(options.site, listings, project_service, repeated, access),
        project(options.site, catalog, listings, uploads, project_service, access),
        media_move(project_service, access),
        caption_texts(state, &work.heavy),
        caption_service(catalog, records, caption_texts, audit, entropy, time, options.captions),
        link_service(options.site, watch_keys, media_service, statistics, time),
        media_links(options.site, catalog, link_service, repeated, access),
        media_link(link_service, access),
        captions_list(options.site, catalog, listings, caption_service, repeated, access),
        captions(catalog, caption_service, access),
        swap_service(catalog, records, uploads, people, caption_service, audit, time),
        media_swap(options.site, catalog, swap_service, access) {}

  base::SystemEntropy entropy;
  stores::Clients clients;
  stores::Grants grants;
  stores::AccountTokens account_tokens;
  stores::Standings standings;
  const oauth::OwnResources own;
  const endpoints::ApiAccess access;
  stores::Audit audit;
  oauth::ClientAuthentication authentication;
  oauth::AuthorizationCodeHandler authorization_code;
  oauth::RefreshTokenHandler refresh_token;
  stores::ResourceServers resource_servers;
  oauth::ClientCredentialsHandler client_credentials;
  endpoints::Token token;
  endpoints::Revoke revoke;
  stores::PublicApplications public_applications;
  endpoints::OwnOrigins token_for_pages;
  endpoints::OwnOrigins revoke_for_pages;
  endpoints::Introspect introspect;
  endpoints::Metadata metadata;
  endpoints::Fixed resource;
  endpoints::Fixed api_resource;
  endpoints::Fixed openapi;
  stores::Uploads uploads;
  stores::CatalogRegistry records;
  stores::People people;
  stores::CatalogIndex listings;
  library::MediaService media_service;
  endpoints::Medias medias;
  stores::Repetitions repetitions;
  endpoints::Repeated repeated;
  endpoints::Customizations customizations;
  endpoints::Chapters chapters;
  endpoints::Account account;
  stores::Statistics statistics;
  endpoints::AccountStats account_stats;
  endpoints::AccountStats account_stats_by_date;
  endpoints::ProjectStats project_stats;
  endpoints::MediaStats media_stats;
  endpoints::MediaStats media_stats_by_date;
  endpoints::MediaStats media_engagement;
  endpoints::MediaStats stats_of_media;
  library::SiteService site_service;
  endpoints::AllowedDomainList allowed_domains;
  endpoints::AllowedDomain allowed_domain;
  endpoints::UploadPermission upload_permission;
  endpoints::BodyPermission body_permission;
  endpoints::MediaList media_list;
  stores::ProjectRegistry project_records;
  endpoints::UploadCommit upload_commit;
  library::ProjectService project_service;
  endpoints::ProjectList projects;
  endpoints::Projects project;
  endpoints::MediaMove media_move;
  stores::CaptionTexts caption_texts;
  library::CaptionService caption_service;
  library::LinkService link_service;
  endpoints::MediaLinks media_links;
  endpoints::MediaLink media_link;
  endpoints::CaptionsList captions_list;
  endpoints::Captions captions;
  library::SwapService swap_service;
  endpoints::MediaSwap media_swap;
};

// The pages that users log in to, for the role web.
struct Web {
  Web(const Options& options, redis::Store& state, stores::Catalog& catalog,
      const base::KeyRing& keys, const embed::WatchKeys& watch_keys,
      const pages::Languages& languages, base::Places& hashing, const base::WallClock& wall_clock,
      login::Passwords* other_passwords, const redis::ConnectionSettings& tracking, LongWork& work,
      loop::Loop& loop)
      : time(wall_clock),
        people(state),
        sessions(state, keys, entropy, time, options.sessions),
        attempts(state, keys, time),
        audit(state),
        // Its share, so that no worker needs the memory of all.
        hashed(options.password_cost,
               (hashing.count() + options.pool.workers - 1) / options.pool.workers, hashing,
               entropy, loop),
        passwords(other_passwords != nullptr ? *other_passwords : hashed),
        visitors(sessions, keys, entropy, options.site.app_url.starts_with("https://")),
        factors(state),
        second_factor(factors, keys, entropy, audit, time),
        stored_passkeys(state),
        passkeys(stored_passkeys, keys, entropy, audit, time, options.site.app_url,
                 options.site.provider_name),
        password_login(people, attempts, passwords, factors, audit, time),
        clients(state),
        resource_servers(state, clients),
        own(own_resources(options.site)),
        documents(state, tracking, options.limits.documents, time, loop),
        grants(state, keys, options.limits, time, entropy),
        login(options.site, visitors, password_login, second_factor, passkeys, people, keys,
              entropy, languages),
        logout(options.site, visitors, keys, languages),
        form_limit(state),
        authorize({options.site, options.issuer, visitors, login, people, clients, resource_servers,
                   own, documents, options.limits.documents, grants, audit, form_limit,
                   second_factor, keys, entropy, time, languages}),
        applications(state),
        application_service(applications, grants, audit, options.limits, keys, entropy, time),
        settings_parts{options.site,  visitors, login,        password_login, sessions, form_limit,
                       second_factor, people,   applications, grants,         audit,    keys,
                       entropy,       time},
        overview(settings_parts),
        my_media(settings_parts, pages::AccountChoicePage::Of::Media),
        my_applications(settings_parts, pages::AccountChoicePage::Of::Applications),
        applications_page(settings_parts, application_service),
        connected(settings_parts),
        account_tokens(state, keys, time),
        account_token_service(account_tokens, audit, options.limits, entropy, time),
        tokens_page(settings_parts, account_token_service),
        uploads(state),
        records(state),
        listings(state, &work.pieces),
        media_service(catalog, records, uploads, people, audit, time),
        project_records(state),
        project_service(catalog, records, project_records, listings, audit, entropy, time),
        caption_texts(state, &work.heavy),
        caption_service(catalog, records, caption_texts, audit, entropy, time, options.captions),
        swap_service(catalog, records, uploads, people, caption_service, audit, time),
        statistics(state),
        link_service(options.site, watch_keys, media_service, statistics, time),
        replacements(state),
        replacement_service(catalog, replacements, media_service, swap_service),
        library_parts{catalog,         listings,        uploads,      media_service,
                      project_service, caption_service, swap_service, link_service,
                      replacements,    watch_keys,      work.heavy},
        site_service(people, listings, records, uploads, audit),
        sites_page(settings_parts, library_parts, site_service),
        account_stats(settings_parts, library_parts, statistics),
        media_stats(settings_parts, library_parts, statistics),
        library(settings_parts, library_parts, options.uploads),
        upload_commit(options.site, catalog, uploads, project_records, nullptr, keys, time,
                      pages::refused_upload_page, &replacements),
        media_settings(settings_parts, library_parts),
        media_look(settings_parts, library_parts),
        media_chapters(settings_parts, library_parts),
        media_poster(settings_parts, library_parts),
        media_replace(settings_parts, library_parts),
        media_links(settings_parts, library_parts),
        captions_forms(settings_parts, library_parts),
        projects(settings_parts, library_parts),
        security(settings_parts),
        second_factor_page(settings_parts, second_factor, passkeys),
        not_found(options.site),
        change_password(options.site.url(base::paths::kSecurity) + "#password-title"),
        home(options.site, visitors, people, catalog, keys),
        design(options.site),
        developers(options.site, developer_facts(options), visitors, people, applications, keys) {}

  const base::WallClock& time;
  base::SystemEntropy entropy;
  stores::People people;
  stores::Sessions sessions;
  stores::LoginAttempts attempts;
  stores::Audit audit;
  login::HashedPasswords hashed;
  login::Passwords& passwords;
  login::Visitors visitors;
  stores::Factors factors;
  login::SecondFactor second_factor;
  stores::Passkeys stored_passkeys;
  login::Passkeys passkeys;
  login::PasswordLogin password_login;
  stores::Clients clients;
  stores::ResourceServers resource_servers;
  const oauth::OwnResources own;
  stores::ClientDocuments documents;
  stores::Grants grants;
  pages::LoginPage login;
  pages::LogoutPage logout;
  stores::FormLimit form_limit;
  pages::AuthorizePage authorize;
  stores::ClientRegistry applications;
  oauth::ApplicationService application_service;
  pages::SettingsParts settings_parts;
  pages::OverviewPage overview;
  pages::AccountChoicePage my_media;
  pages::AccountChoicePage my_applications;
  pages::ApplicationsPage applications_page;
  pages::ConnectedPage connected;
  stores::AccountTokens account_tokens;
  oauth::AccountTokenService account_token_service;
  pages::TokensPage tokens_page;
  stores::Uploads uploads;
  stores::CatalogRegistry records;
  stores::CatalogIndex listings;
  library::MediaService media_service;
  stores::ProjectRegistry project_records;
  library::ProjectService project_service;
  stores::CaptionTexts caption_texts;
  library::CaptionService caption_service;
  library::SwapService swap_service;
  stores::Statistics statistics;
  library::LinkService link_service;
  stores::Replacements replacements;
  library::ReplacementService replacement_service;
  pages::LibraryParts library_parts;
  library::SiteService site_service;
  pages::SitesPage sites_page;
  pages::AccountStatsPage account_stats;
  pages::MediaStatsPage media_stats;
  pages::LibraryPage library;
  endpoints::UploadCommit upload_commit;
  pages::MediaPage media_settings;
  pages::LookPage media_look;
  pages::ChaptersPage media_chapters;
  pages::PosterPage media_poster;
  pages::ReplacePage media_replace;
  pages::LinksPage media_links;
  pages::CaptionsPage captions_forms;
  pages::ProjectsPage projects;
  pages::SecurityPage security;
  pages::SecondFactorPage second_factor_page;
  pages::NotFoundPage not_found;
  endpoints::Redirect change_password;
  pages::HomePage home;
  pages::DesignPage design;
  pages::DevelopersPage developers;
};

// The checks of /healthz and /readyz.
loop::Task<> nothing() { co_return; }

redis::ConnectionSettings observed(redis::ConnectionSettings settings,
                                   redis::TripObserver* observer) {
  settings.observer = observer;
  return settings;
}

constexpr std::string_view kSvg = "image/svg+xml";

// A file that a logo may be, by the end of its name: what its bytes have in common.
struct LogoType {
  std::string_view end;
  std::string_view media_type;
  std::string_view name;
  std::string_view mark;
  bool is_mark_first;
};
constexpr std::array kLogoTypes{
    LogoType{".svg", kSvg, "an SVG", "<svg", false},
    LogoType{".png", "image/png", "a PNG", "\x89PNG\r\n\x1a\n", true},
    LogoType{".ico", "image/x-icon", "an icon", std::string_view("\0\0\1\0", 4), true}};

// The setting allows these ends only.
const LogoType& logo_type(std::string_view path) {
  return *std::ranges::find_if(kLogoTypes,
                               [&](const LogoType& type) { return path.ends_with(type.end); });
}

// Returns "" for no path.
// Returns the whole file. The error says why not, without its name.
base::Result<std::string, std::string> read_small_file(const std::string& path) {
  constexpr std::size_t kMost = 64 * 1024;
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::Refusal{std::string(std::strerror(errno))};
  std::string bytes(kMost + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad()) return base::Refusal{std::string("it is not a file")};
  if (bytes.empty()) return base::Refusal{std::string("it is empty")};
  if (bytes.size() > kMost) return base::Refusal{std::string("it is larger than 64 KiB")};
  return bytes;
}

base::Result<viewing::Bots, std::string> read_bots(const std::string& path) {
  if (path.empty()) return viewing::Bots();
  const auto refused = [&](const std::string& why) {
    return base::Refusal{"cannot read stats-bots-file " + path + ": " + why};
  };
  const auto text = read_small_file(path);
  if (!text) return refused(text.error());
  auto bots = viewing::Bots::parse(*text);
  if (!bots) return refused(bots.error());
  return bots;
}

base::Result<std::string, std::string> read_logo(const std::string& path) {
  if (path.empty()) return std::string();
  const auto refused = [&](const std::string& why) {
    return base::Refusal{"cannot read a logo from logo-file " + path + ": " + why};
  };
  auto bytes = read_small_file(path);
  if (!bytes) return refused(bytes.error());
  const LogoType& type = logo_type(path);
  const std::size_t mark = bytes->find(type.mark);
  if (mark == std::string::npos || (type.is_mark_first && mark != 0))
    return refused("it is not " + std::string(type.name));
  return bytes;
}

// Returns all settings that affect the renderings of a media. Names the other settings too, so that
// the compiler rejects a new setting until its place is decided.
std::string configuration_of(const Options& options) {
  const auto& [max_age, stale_while_revalidate, negative_max_age, cache_age] = options.oembed;
  const auto& [app_url, base_url, oembed_url, embed_host, asset_base, service_domain, short_domain,
               provider_name, provider_url, amp_script_url, example_media, demo_gallery, demo_users,
               security_contact, accent_colour, help_url, terms_url, privacy_url, counts_viewing] =
      options.site;
  std::string all = std::to_string(cache_age.value_or(-1)) + (counts_viewing ? "" : "-");
  for (const std::string* each :
       {&app_url, &embed_host, &asset_base, &provider_name, &provider_url, &oembed_url})
    all += '\n' + *each;
  return all;
}

}  // namespace

struct Service::Parts {
  Parts(const Options& options, const Secrets& secrets, loop::Loop& of_worker, http::Router& router,
        const base::WallClock& of_service, PoolSide pool)
      : loop(of_worker),
        has_store(options.roles.has_store()),
        clean_up_at(loop.clock().now() + kLookForRemovedEvery),
        work(loop),
        state(observed(state_connection(options, secrets, "svc-worker:" + options.roles.to_text()),
                       pool.state_trips),
              loop),
        catalog(state),
        responses(router, options.cache, pool.hasher, loop),
        tracking(state,
                 state_connection(options, secrets,
                                  "svc-worker:" + options.roles.to_text() + ":tracking"),
                 {stores::keys::kMedias, stores::keys::kPlaylists, stores::keys::kCaptions,
                  stores::keys::kAccounts},
                 responses, loop),
        site_rules(state, tracking, loop.clock()),
        cache(cache_connection(options, secrets, "svc-worker:" + options.roles.to_text()), loop),
        renderings(cache, tracking, options.renderings, configuration_of(options), loop.clock()),
        counts(pool.usage),
        watch_keys(secrets.watch_keys ? &*secrets.watch_keys : nullptr, of_service),
        oembed(endpoints::Oembed::Path::Open, options.site, options.oembed, catalog, watch_keys,
               &renderings),
        oembed_json(endpoints::Oembed::Path::Json, options.site, options.oembed, catalog,
                    watch_keys, &renderings),
        oembed_xml(endpoints::Oembed::Path::Xml, options.site, options.oembed, catalog, watch_keys,
                   &renderings),
        usage(state),
        manifest(options.site, options.manifest_max_age, options.oembed.negative_max_age, catalog,
                 site_rules, watch_keys, &renderings),
        player_data(options.site, options.page_max_age, options.oembed.negative_max_age, catalog,
                    site_rules, watch_keys, &renderings),
        caption_texts(state, &work.heavy),
        captions_file(options.site, options.page_max_age, options.oembed.negative_max_age, catalog,
                      site_rules, watch_keys, caption_texts),
        media_frame(pages::WatchPage::Kind::MediaFrame, options.site, secrets.languages,
                    options.page_max_age, options.oembed.negative_max_age, catalog, site_rules,
                    watch_keys),
        playlist_frame(pages::WatchPage::Kind::PlaylistFrame, options.site, secrets.languages,
                       options.page_max_age, options.oembed.negative_max_age, catalog, site_rules,
                       watch_keys, &renderings),
        media_page(pages::WatchPage::Kind::MediaPage, options.site, secrets.languages,
                   options.page_max_age, options.oembed.negative_max_age, catalog, site_rules,
                   watch_keys, nullptr, pages::WatchPage::Texts{&caption_texts, &work.heavy}),
        short_url(pages::WatchPage::Kind::ShortUrl, options.site, secrets.languages,
                  options.page_max_age, options.oembed.negative_max_age, catalog, site_rules,
                  watch_keys),
        embed_codes(options.site, catalog, site_rules, watch_keys, &renderings),
        statistics(state),
        time(of_service),
        stats_days(options.stats_days),
        viewing(pool.viewing, watch_keys, secrets.bots, of_service),
        providers(std::string(http::kJson), endpoints::providers_json(options.site)),
        robots("text/plain; charset=utf-8", endpoints::robots_txt()),
        security_text(options.site.security_contact, of_service),
        icon(secrets.logo.empty() ? std::string(kSvg)
                                  : std::string(logo_type(options.logo_file).media_type),
             secrets.logo.empty() ? pages::logo_svg(options.site.accent_colour) : secrets.logo),
        brand_style("text/css; charset=utf-8", options.site.accent_colour.empty()
                                                   ? std::string()
                                                   : pages::brand_css(options.site.accent_colour)),
        healthy([] { return nothing(); }),
        ready([this] { return has_store ? state.ping() : nothing(); }),
        status(std::string(http::kJson), std::move(pool.status)),
        metrics("application/openmetrics-text; version=1.0.0; charset=utf-8",
                std::move(pool.metrics)),
        tasks(loop) {
    if (pool.viewing != nullptr)
      viewing_writer.emplace(*pool.viewing, catalog, statistics, state, cache);
  }

  loop::Loop& loop;
  const bool has_store;
  base::TimePoint clean_up_at;
  bool cleans_up = false;
  bool writes_counts = false;
  bool writes_viewing = false;
  bool hears = false;  // whether invalidations are needed
  LongWork work;
  redis::Store state;
  stores::Catalog catalog;
  cache::ResponseCache responses;
  redis::StoreTracking tracking;
  std::map<std::string_view, http::ReadParameters> parameters;  // parameters_of_gets()
  stores::SiteRules site_rules;
  redis::Store cache;
  stores::Renderings renderings;
  cache::UsageCounts* counts;
  embed::WatchKeys watch_keys;
  endpoints::Oembed oembed;
  endpoints::Oembed oembed_json;
  endpoints::Oembed oembed_xml;
  stores::Usage usage;
  endpoints::Manifest manifest;
  endpoints::PlayerData player_data;
  stores::CaptionTexts caption_texts;
  endpoints::CaptionsFile captions_file;
  pages::WatchPage media_frame;
  pages::WatchPage playlist_frame;
  pages::WatchPage media_page;
  pages::WatchPage short_url;
  pages::EmbedCodesPage embed_codes;
  stores::Statistics statistics;
  const base::WallClock& time;
  const int stats_days;
  std::optional<ViewingWriter> viewing_writer;
  endpoints::Viewing viewing;
  endpoints::Fixed providers;
  endpoints::Fixed robots;
  endpoints::SecurityText security_text;
  endpoints::Fixed icon;
  endpoints::Fixed brand_style;
  endpoints::Health healthy;
  endpoints::Health ready;
  endpoints::Status status;
  endpoints::Status metrics;
  std::unique_ptr<Grant> grant;
  std::unique_ptr<Web> web;
  std::unique_ptr<endpoints::Upload> upload;
  loop::Scope tasks;  // last: they refer to the others

  // `id` is of a role of this pool.
  http::Endpoint* endpoint_of(RouteId id);
};

// The switch omits a default, so that the compiler rejects a row of routes.h whose endpoint is
// missing.
http::Endpoint* Service::Parts::endpoint_of(RouteId id) {
  switch (id) {
    case RouteId::Oembed:
    case RouteId::OembedSlash: return &oembed;
    case RouteId::OembedJson: return &oembed_json;
    case RouteId::OembedXml: return &oembed_xml;
    case RouteId::Manifest:
    case RouteId::MediaFiles: return &manifest;
    case RouteId::MediaData:
    case RouteId::PlaylistData: return &player_data;
    case RouteId::CaptionsFile: return &captions_file;
    case RouteId::Viewing: return &viewing;
    case RouteId::MediaFrame: return &media_frame;
    case RouteId::PlaylistFrame: return &playlist_frame;
    case RouteId::MediaPage: return &media_page;
    case RouteId::ShortUrl: return &short_url;
    case RouteId::EmbedCodes: return &embed_codes;
    case RouteId::Providers: return &providers;
    case RouteId::Robots: return &robots;
    case RouteId::SecurityText: return &security_text;
    case RouteId::Icon: return &icon;
    case RouteId::BrandStyle: return &brand_style;
    case RouteId::Token: return &grant->token_for_pages;
    case RouteId::Revoke: return &grant->revoke_for_pages;
    case RouteId::Introspect: return &grant->introspect;
    case RouteId::Metadata: return &grant->metadata;
    case RouteId::Resource: return &grant->resource;
    case RouteId::ApiResource: return &grant->api_resource;
    case RouteId::Media: return &grant->medias;
    case RouteId::MediaMove: return &grant->media_move;
    case RouteId::MediaSwap: return &grant->media_swap;
    case RouteId::Customizations: return &grant->customizations;
    case RouteId::MediaChapters: return &grant->chapters;
    case RouteId::MediaList: return &grant->media_list;
    case RouteId::MediaLinks: return &grant->media_links;
    case RouteId::MediaLink: return &grant->media_link;
    case RouteId::MediaCaptions:
    case RouteId::CaptionsList: return &grant->captions_list;
    case RouteId::Captions: return &grant->captions;
    case RouteId::Projects: return &grant->projects;
    case RouteId::Project: return &grant->project;
    case RouteId::Account: return &grant->account;
    case RouteId::AccountStats: return &grant->account_stats;
    case RouteId::AccountStatsByDate: return &grant->account_stats_by_date;
    case RouteId::ProjectStats: return &grant->project_stats;
    case RouteId::MediaStats: return &grant->media_stats;
    case RouteId::MediaStatsByDate: return &grant->media_stats_by_date;
    case RouteId::MediaEngagement: return &grant->media_engagement;
    case RouteId::StatsOfMedia: return &grant->stats_of_media;
    case RouteId::AllowedDomains: return &grant->allowed_domains;
    case RouteId::AllowedDomain: return &grant->allowed_domain;
    case RouteId::OpenApi: return &grant->openapi;
    case RouteId::UploadPermission: return &grant->upload_permission;
    case RouteId::UploadCommit: return &grant->upload_commit;
    case RouteId::BodyPermission: return &grant->body_permission;
    case RouteId::Home: return &web->home;
    case RouteId::Developers:
    case RouteId::DeveloperPages:
    case RouteId::DeveloperOauth: return &web->developers;
    case RouteId::Design: return &web->design;
    case RouteId::Login: return &web->login;
    case RouteId::Logout: return &web->logout;
    case RouteId::Authorize: return &web->authorize;
    case RouteId::Settings: return &web->overview;
    case RouteId::MyMedia: return &web->my_media;
    case RouteId::MyApplications: return &web->my_applications;
    case RouteId::Applications:
    case RouteId::ApplicationSecret:
    case RouteId::NewSecret:
    case RouteId::RetireSecret: return &web->applications_page;
    case RouteId::AccountConnected:
    case RouteId::Connected:
    case RouteId::ConnectedForms: return &web->connected;
    case RouteId::AccountTokens: return &web->tokens_page;
    case RouteId::AccountMedia:
    case RouteId::UploadForm:
    case RouteId::UploadPagePermission: return &web->library;
    case RouteId::UploadPageCommit: return &web->upload_commit;
    case RouteId::MediaSettings: return &web->media_settings;
    case RouteId::MediaLook: return &web->media_look;
    case RouteId::MediaChaptersForm: return &web->media_chapters;
    case RouteId::MediaPoster: return &web->media_poster;
    case RouteId::MediaReplace: return &web->media_replace;
    case RouteId::MediaStatsPage: return &web->media_stats;
    case RouteId::LinksForms: return &web->media_links;
    case RouteId::CaptionsForms: return &web->captions_forms;
    case RouteId::AccountSites: return &web->sites_page;
    case RouteId::AccountStatsPage: return &web->account_stats;
    case RouteId::AccountProjects: return &web->projects;
    case RouteId::Security:
    case RouteId::SecurityForms:
    case RouteId::Password: return &web->security;
    case RouteId::ChangePassword: return &web->change_password;
    case RouteId::SecondFactor:
    case RouteId::SecondFactorForms: return &web->second_factor_page;
    case RouteId::NoSettings: return &web->not_found;
    case RouteId::Upload: return upload.get();
    case RouteId::Healthz: return &healthy;
    case RouteId::Readyz: return &ready;
    case RouteId::Status: return &status;
    case RouteId::Metrics: return &metrics;
  }
  std::abort();
}

Service::Service(const Options& options, const Secrets& secrets, base::Places& hashing,
                 loop::Loop& loop, PoolSide pool, const Replaced& replaced)
    : router_([&site = options.site, &languages = secrets.languages](
                  http::ErrorForm form, const http::Request& request, int status) {
        if (form == http::ErrorForm::Page)
          return pages::refusal_page(site, request, status, languages.choose(request));
        const bool is_frame = form == http::ErrorForm::Frame;
        return pages::public_refusal(is_frame ? pages::Place::Frame : pages::Place::Page, site,
                                     request, status, languages);
      }) {
  const bool has_status = pool.status && pool.metrics;
  static const base::SystemClock kSystem;
  const base::WallClock& time = replaced.clock != nullptr ? *replaced.clock : kSystem;
  parts_ = std::make_unique<Parts>(options, secrets, loop, router_, time, std::move(pool));
  if (options.roles.embed && (options.cache.memory > 0 || options.renderings.is_on())) {
    parts_->responses.use_feed(parts_->tracking);
    parts_->responses.forward_to(parts_->renderings);
    parts_->responses.forward_to(parts_->site_rules);
    parts_->hears = true;
  }
  if (options.roles.grant && secrets.keys)
    parts_->grant =
        std::make_unique<Grant>(options, parts_->state, parts_->catalog, *secrets.keys,
                                parts_->watch_keys, secrets.languages, time, parts_->work, loop);
  if (options.roles.web && secrets.keys)
    parts_->web = std::make_unique<Web>(
        options, parts_->state, parts_->catalog, *secrets.keys, parts_->watch_keys,
        secrets.languages, hashing, time, replaced.passwords,
        state_connection(options, secrets, "svc-worker:" + options.roles.to_text() + ":documents"),
        parts_->work, loop);
  if (options.roles.upload)
    parts_->upload = std::make_unique<endpoints::Upload>(options.upload_dir, loop);
  const auto has = [&](const Route& route) {
    switch (route.role) {
      case Role::Embed: return options.roles.embed;
      case Role::Grant: return parts_->grant != nullptr;
      case Role::Web: return parts_->web != nullptr;
      case Role::Upload: return parts_->upload != nullptr;
      case Role::Each:
        return has_status || (route.id != RouteId::Status && route.id != RouteId::Metrics);
    }
    return false;
  };
  if (options.roles.grant) parts_->parameters = parameters_of_gets();
  for (const Route& route : routes()) {
    if (!has(route)) continue;
    const auto read = parts_->parameters.find(route.path.pattern);
    router_.add({route.path.pattern, route.methods, route.errors, route.store == Store::Needed,
                 read == parts_->parameters.end() ? nullptr : &read->second},
                *parts_->endpoint_of(route.id));
  }
  router_.announce(deprecations(),
                   options.site.url(base::paths::kDevelopers) + "/changelog#deprecated");
}

Service::~Service() = default;

cache::ResponseCache& Service::responses() { return parts_->responses; }

void Service::count(std::int64_t account) {
  if (parts_->counts == nullptr || !parts_->counts->count(account))
    parts_->usage.count_manifest({account});
}

void Service::count_opening(std::string_view media, std::int64_t link) {
  parts_->statistics.count_opening(media, link);
}

loop::Task<bool> Service::store_answers() {
  if (!parts_->has_store) co_return true;
  try {
    co_await parts_->state.ping();
    co_return true;
  } catch (const base::Unavailable&) {
    co_return false;
  }
}

void Service::start() {
  if (parts_->hears) parts_->tracking.start();
}

namespace {

// A task of its own, so that the batch ends before another worker may look for one.
loop::Task<> write_batch(cache::UsageCounts& counts, stores::Usage& usage) {
  using Added = stores::Usage::Added;
  cache::UsageCounts::Batch batch =
      counts.take(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  if (batch.waiting().empty()) co_return;
  const stores::Usage::BatchName name{batch.day(), batch.table(), batch.number()};
  std::vector<Added> outcomes(batch.waiting().size(), Added::Yes);
  bool is_added = false;
  try {
    if (batch.is_again()) is_added = co_await usage.has_added(name);
  } catch (const base::Unavailable&) {
    co_return;
  }
  if (!is_added) {
    std::vector<stores::Usage::Count> each;
    for (const auto& waiting : batch.waiting()) each.push_back({{waiting.account}, waiting.count});
    outcomes = co_await usage.add_manifests(name, std::move(each));
  }
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const cache::UsageCounts::Waiting& waiting = batch.waiting()[i];
    if (outcomes[i] == Added::Yes) batch.written(waiting);
    if (outcomes[i] == Added::Refused) batch.refused(waiting);
  }
}

}  // namespace

loop::Task<> Service::write_counts() {
  while (parts_->writes_counts) {
    loop::Sleep sleep(parts_->loop, parts_->loop.clock().now() + kLookAgain);
    co_await sleep;
  }
  if (parts_->counts == nullptr || parts_->counts->empty()) co_return;
  if (parts_->hears && !parts_->tracking.is_up()) co_return;
  parts_->writes_counts = true;
  // Check first: a store that hangs could execute the command later, after it
  // was sent again.
  const bool answers = co_await store_answers();
  if (!answers) {
    parts_->writes_counts = false;
    co_return;
  }
  co_await write_batch(*parts_->counts, parts_->usage);
  parts_->writes_counts = false;
}

loop::Task<> Service::write_viewing() {
  while (parts_->writes_viewing) {
    loop::Sleep sleep(parts_->loop, parts_->loop.clock().now() + kLookAgain);
    co_await sleep;
  }
  if (!parts_->viewing_writer) co_return;
  parts_->writes_viewing = true;
  co_await parts_->viewing_writer->write(parts_->time.now());
  parts_->writes_viewing = false;
}

// In bounded steps. If the worker exits, another one continues.
loop::Task<> Service::clean_up() {
  parts_->cleans_up = true;
  try {
    bool more = true;
    while (more) {
      const std::int64_t now = parts_->web->time.now();
      more = co_await oauth::clean_up_removed(parts_->web->applications, parts_->web->grants, now);
    }
    const std::chrono::sys_days today(std::chrono::days(parts_->web->time.now() / 86'400));
    // Without counting, what was counted stays.
    const std::chrono::sys_days oldest = parts_->stats_days > 0
                                             ? today - std::chrono::days(parts_->stats_days)
                                             : std::chrono::sys_days();
    for (more = true; more;) {
      loop::Task<bool> cleaning = parts_->statistics.clean_up(today, oldest);
      more = co_await cleaning;
    }
    loop::Task<> settling = parts_->web->replacement_service.settle();
    co_await settling;
  } catch (const base::Unavailable&) {
    // Retried at the next interval.
  } catch (const base::Unreadable&) {
    // Retried too: a later version may be able to read it. The store logs it.
  }
  parts_->clean_up_at = parts_->loop.clock().now() + kLookForRemovedEvery;
  parts_->cleans_up = false;
}

bool Service::is_busy() const {
  return parts_->writes_counts || parts_->writes_viewing || parts_->cleans_up;
}

void Service::every_second() {
  if (!parts_->writes_counts) parts_->tasks.spawn(write_counts());
  if (!parts_->writes_viewing) parts_->tasks.spawn(write_viewing());
  if (parts_->web && !parts_->cleans_up && parts_->loop.clock().now() >= parts_->clean_up_at)
    parts_->tasks.spawn(clean_up());
}

namespace {

bool has_watch_keys(const Options& options) {
  return options.roles.embed || options.roles.grant || options.roles.web;
}

}  // namespace

base::Result<Secrets, std::string> read_secrets(const Options& options) {
  StoreSecrets store;
  if (options.roles.has_store()) {
    auto read = read_store_secrets(options);
    if (!read) return base::Refusal{read.error()};
    store = std::move(*read);
  }
  Secrets secrets{std::move(store)};
  if (options.roles.embed) {
    auto logo = read_logo(options.logo_file);
    if (!logo) return base::Refusal{logo.error()};
    secrets.logo = std::move(*logo);
  }
  if (options.roles.embed) {
    auto bots = read_bots(options.stats_bots_file);
    if (!bots) return base::Refusal{bots.error()};
    secrets.bots = std::move(*bots);
  }
  if (has_watch_keys(options)) {
    auto watch_keys = read_keys(options.watch_key_file);
    if (!watch_keys) return base::Refusal{watch_keys.error()};
    secrets.watch_keys = std::move(*watch_keys);
  }
  if (!options.roles.grant && !options.roles.web) return secrets;
  if (options.key_file.empty()) {
    return base::Refusal{std::string(
        "key-file is missing: the roles grant and web need the keys that encrypt secrets")};
  }
  auto keys = read_keys(options.key_file);
  if (!keys) return base::Refusal{keys.error()};
  secrets.keys = std::move(*keys);
  auto languages = read_languages(options);
  if (!languages) return base::Refusal{languages.error()};
  secrets.languages = std::move(*languages);
  return secrets;
}

base::Result<pages::Languages, std::string> read_languages(const Options& options) {
  auto languages = pages::Languages::load(options.language_dir);
  if (!languages) return base::Refusal{"language-dir: " + languages.error()};
  return languages;
}

base::Result<std::optional<base::KeyRing>, std::string> read_keys(const std::string& path) {
  if (path.empty()) return std::optional<base::KeyRing>();
  auto keys = base::KeyRing::load(path);
  if (!keys) return base::Refusal{keys.error()};
  return std::optional<base::KeyRing>(std::move(*keys));
}

std::string check_files(Program program, const Options& options) {
  std::string wrong = check_store_files(program, options);
  const auto add = [&wrong](const auto& read) {
    if (!read) wrong += (wrong.empty() ? "" : "\n") + read.error();
  };
  if (options.roles.grant || options.roles.web) {
    add(read_keys(options.key_file));
    add(read_languages(options));
  }
  if (has_watch_keys(options)) add(read_keys(options.watch_key_file));
  if (options.roles.embed) add(read_bots(options.stats_bots_file));
  return wrong;
}

}  // namespace svc::app
