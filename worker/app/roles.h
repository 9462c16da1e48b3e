// Roles: the objects of a worker for the roles grant and web. An object is a line here, which makes
// it of those before it, and a line in service.cpp if it is an endpoint.
#pragma once

#include "app/api_description.h"
#include "app/developer_facts.h"
#include "app/options.h"
#include "app/routes.h"
#include "app/version.h"
#include "base/paths.h"
#include "endpoints/api/account.h"
#include "endpoints/api/allowed_domains.h"
#include "endpoints/api/captions.h"
#include "endpoints/api/chapters.h"
#include "endpoints/api/customizations.h"
#include "endpoints/api/media_links.h"
#include "endpoints/api/media_list.h"
#include "endpoints/api/media_move.h"
#include "endpoints/api/media_swap.h"
#include "endpoints/api/medias.h"
#include "endpoints/api/openapi.h"
#include "endpoints/api/projects.h"
#include "endpoints/api/stats.h"
#include "endpoints/fixed.h"
#include "endpoints/oauth/introspect.h"
#include "endpoints/oauth/metadata.h"
#include "endpoints/oauth/own_origins.h"
#include "endpoints/oauth/revoke.h"
#include "endpoints/oauth/token.h"
#include "endpoints/repeated.h"
#include "endpoints/uploads/body_permission.h"
#include "endpoints/uploads/upload_commit.h"
#include "endpoints/uploads/upload_permission.h"
#include "library/library_parts.h"
#include "login/passkeys.h"
#include "login/password_login.h"
#include "login/second_factor.h"
#include "login/visitors.h"
#include "loop/heavy_work.h"
#include "loop/pieces.h"
#include "oauth/account_token_service.h"
#include "oauth/application_service.h"
#include "oauth/client_authentication.h"
#include "oauth/grant_handler.h"
#include "pages/authorize/authorization_endpoint.h"
#include "pages/login_page.h"
#include "pages/public/design_page.h"
#include "pages/public/developers_page.h"
#include "pages/public/home_page.h"
#include "pages/settings/pages.h"
#include "pages/settings/settings.h"
#include "stores/access/account_tokens.h"
#include "stores/access/client_documents.h"
#include "stores/access/client_registry.h"
#include "stores/access/clients.h"
#include "stores/access/factors.h"
#include "stores/access/form_limit.h"
#include "stores/access/grants.h"
#include "stores/access/login_attempts.h"
#include "stores/access/passkeys.h"
#include "stores/access/public_applications.h"
#include "stores/access/repetitions.h"
#include "stores/access/resource_servers.h"
#include "stores/access/sessions.h"
#include "stores/access/standings.h"
#include "stores/audit.h"
#include "stores/catalog/catalog.h"
#include "stores/catalog/library_stores.h"
#include "stores/catalog/people.h"
#include "stores/stores.h"

namespace svc::app {

inline oauth::OwnResources own_resources(const embed::Site& site) {
  return {site.base_url, site.url(base::paths::kApi)};
}

// How this worker does what takes long.
struct LongWork {
  explicit LongWork(loop::Loop& loop) : heavy(loop), pieces(loop) {}

  loop::HeavyWork heavy;
  loop::Pieces pieces;
};

// The common parts of the endpoints of a role. All of it outlives them.
struct Common {
  const Options& options;
  stores::Stores& redis;
  stores::Catalog& catalog;
  const base::KeyRing& keys;
  const embed::WatchKeys& watch_keys;
  const pages::Languages& languages;
  const base::WallClock& time;
  LongWork& work;
  loop::Loop& loop;
};

struct LibraryRole : Common {
  LibraryRole(const Common& common, stores::People::Hashes readable)
      : Common(common), stored{redis.catalog(), readable, &work.heavy, &work.pieces} {}

  base::SystemEntropy entropy;
  stores::LibraryStores stored;
  library::LibraryParts library{stored,  catalog, options.site,    watch_keys,
                                entropy, time,    options.captions};
  stores::People& people = stored.people;
  stores::Audit& audit = stored.audit;
};

// The endpoints for applications, for the role grant. A member uses only those before it.
struct Grant : LibraryRole {
  explicit Grant(const Common& common) : LibraryRole(common, stores::People::Hashes::Hidden) {}

  stores::Clients clients{redis.catalog(), redis.state()};
  stores::Grants grants{redis.state(), redis.catalog(), keys, options.limits, time, entropy, &loop};
  stores::AccountTokens account_tokens{redis.catalog(), keys, time};
  stores::Standings standings{redis.catalog()};
  const oauth::OwnResources own{own_resources(options.site)};
  const endpoints::ApiAccess access{
      grants,     account_tokens, standings,   own, options.site.url(base::paths::kApiResource),
      watch_keys, work.heavy,     work.pieces, loop};
  oauth::ClientAuthentication authentication{clients, clients, keys, options.limits.documents};
  stores::ResourceServers resource_servers{redis.catalog(), clients};
  const oauth::GrantParts grant_parts{
      grants, standings, resource_servers, audit, options.limits, keys, entropy, time, own};
  oauth::AuthorizationCodeHandler authorization_code{grant_parts};
  oauth::RefreshTokenHandler refresh_token{grant_parts};
  oauth::ClientCredentialsHandler client_credentials{grant_parts};
  endpoints::Token token{authentication, authorization_code, refresh_token, client_credentials};
  endpoints::Revoke revoke{authentication, grants, audit};
  stores::PublicApplications public_applications{redis.catalog()};
  endpoints::OwnOrigins token_for_pages{token, clients, public_applications};
  endpoints::OwnOrigins revoke_for_pages{revoke, clients, public_applications};
  endpoints::Introspect introspect{authentication, grants, standings, own, options.issuer};
  endpoints::Metadata metadata{options.site, options.issuer, languages.tags(), public_applications,
                               options.limits.documents.is_on() ? endpoints::Documents::Taken
                                                                : endpoints::Documents::Refused};
  endpoints::Fixed resource{
      "application/json",
      endpoints::protected_resource_json(options.site, options.issuer, options.site.base_url)};
  endpoints::Fixed api_resource{
      "application/json", endpoints::protected_resource_json(options.site, options.issuer,
                                                             options.site.url(base::paths::kApi))};
  endpoints::Fixed openapi{std::string(http::kJson),
                           endpoints::openapi_json(describe_api(), options.site, kVersion)};
  endpoints::Medias medias{options.site, catalog, stored.uploads, library.medias, access};
  stores::Repetitions repetitions{redis.catalog()};
  endpoints::Repeated repeated{repetitions, time, keys, entropy};
  endpoints::Customizations customizations{options.site, catalog, library.medias, repeated, access};
  endpoints::Chapters chapters{catalog, library.medias, access};
  endpoints::Account account{people, stored.listings, access};
  endpoints::AccountStats account_stats{endpoints::AccountStats::Form::Whole, stored.statistics,
                                        time, access};
  endpoints::AccountStats account_stats_by_date{endpoints::AccountStats::Form::ByDate,
                                                stored.statistics, time, access};
  endpoints::ProjectStats project_stats{catalog, stored.listings, stored.statistics, access};
  endpoints::MediaStats media_stats{endpoints::MediaStats::Form::Whole, catalog, stored.statistics,
                                    time, access};
  endpoints::MediaStats media_stats_by_date{endpoints::MediaStats::Form::ByDate, catalog,
                                            stored.statistics, time, access};
  endpoints::MediaStats media_engagement{endpoints::MediaStats::Form::Engagement, catalog,
                                         stored.statistics, time, access};
  endpoints::MediaStats stats_of_media{endpoints::MediaStats::Form::Percents, catalog,
                                       stored.statistics, time, access};
  endpoints::AllowedDomainList allowed_domains{options.site, library.sites, repeated, access};
  endpoints::AllowedDomain allowed_domain{library.sites, access};
  endpoints::UploadPermission upload_permission{access,          audit, stored.uploads, people,
                                                options.uploads, keys,  entropy,        time};
  endpoints::BodyPermission body_permission{access};
  endpoints::MediaList media_list{options.site,   catalog, stored.listings,
                                  stored.uploads, access,  upload_permission};
  endpoints::UploadCommit upload_commit{options.site,    catalog, stored.uploads,
                                        &repeated,       keys,    time,
                                        options.uploads, nullptr, nullptr};
  endpoints::ProjectList projects{options.site, stored.listings, library.projects, repeated,
                                  access};
  endpoints::Projects project{options.site,   catalog,          stored.listings,
                              stored.uploads, library.projects, access};
  endpoints::MediaMove media_move{library.projects, access};
  endpoints::MediaLinks media_links{options.site, catalog, library.links, repeated, access};
  endpoints::MediaLink media_link{catalog, library.links, access};
  endpoints::CaptionsList captions_list{options.site, catalog, stored.listings, library.captions,
                                        access};
  endpoints::MediaCaptions media_captions{options.site,     catalog,  captions_list,
                                          library.captions, repeated, access};
  endpoints::Captions captions{catalog, library.captions, access};
  endpoints::MediaSwap media_swap{options.site, catalog, library.swaps, access};
};

// The pages that users log in to, for the role web.
struct Web : LibraryRole {
  Web(const Common& common, base::SharedSemaphore& hashing, login::Passwords* other_passwords,
      const redis::ConnectionSettings& tracking)
      : LibraryRole(common, stores::People::Hashes::Read),
        // Its share, so that no worker needs the memory of all.
        hashed(options.password_cost,
               (hashing.count() + options.pool.workers - 1) / options.pool.workers, hashing,
               entropy, loop),
        passwords(other_passwords != nullptr ? *other_passwords : hashed),
        documents(redis.catalog(), tracking, options.limits.documents, time, loop) {}

  stores::Sessions sessions{redis.state(), keys, entropy, time, options.sessions};
  stores::LoginAttempts attempts{redis.state(), keys, time};
  login::HashedPasswords hashed;
  login::Passwords& passwords;
  login::Visitors visitors{sessions, keys, entropy, options.site.app_url.starts_with("https://")};
  stores::Factors factors{redis.catalog()};
  login::SecondFactor second_factor{factors, keys, entropy, audit, time};
  stores::Passkeys stored_passkeys{redis.catalog()};
  login::Passkeys passkeys{
      stored_passkeys,           keys, entropy, audit, time, options.site.app_url,
      options.site.provider_name};
  login::PasswordLogin password_login{people, attempts, passwords, factors, audit, time};
  stores::Clients clients{redis.catalog(), redis.state()};
  stores::ResourceServers resource_servers{redis.catalog(), clients};
  const oauth::OwnResources own{own_resources(options.site)};
  stores::ClientDocuments documents;
  stores::Grants grants{redis.state(), redis.catalog(), keys, options.limits, time, entropy};
  pages::LoginPage login{options.site, visitors, password_login, second_factor, passkeys,
                         people,       keys,     entropy,        languages};
  pages::LogoutPage logout{options.site, visitors, keys, languages};
  stores::FormLimit form_limit{redis.state()};
  pages::AuthorizationEndpoint authorize{{options.site, options.issuer, visitors, login, people,
                                          clients, resource_servers, own, documents,
                                          options.limits.documents, grants, audit, form_limit,
                                          second_factor, keys, entropy, time, languages}};
  stores::ClientRegistry applications{redis.catalog()};
  oauth::ApplicationService application_service{applications, grants,  audit, options.limits,
                                                keys,         entropy, time};
  stores::AccountTokens account_tokens{redis.catalog(), keys, time};
  oauth::AccountTokenService account_token_service{account_tokens, audit, options.limits, entropy,
                                                   time};
  pages::SettingsParts settings_parts{options.site,
                                      visitors,
                                      login,
                                      password_login,
                                      sessions,
                                      form_limit,
                                      second_factor,
                                      people,
                                      applications,
                                      grants,
                                      audit,
                                      keys,
                                      entropy,
                                      time,
                                      passkeys,
                                      application_service,
                                      account_token_service,
                                      library,
                                      work.heavy,
                                      loop,
                                      languages,
                                      options.uploads};
  pages::OwnedPage overview = pages::overview_page(settings_parts);
  pages::OwnedPage my_media = pages::account_choice_page(settings_parts, pages::ChoiceOf::Media);
  pages::OwnedPage my_applications =
      pages::account_choice_page(settings_parts, pages::ChoiceOf::Applications);
  pages::OwnedPage applications_page = pages::applications_page(settings_parts);
  pages::OwnedPage connected = pages::connected_page(settings_parts);
  pages::OwnedPage tokens_page = pages::tokens_page(settings_parts);
  pages::OwnedPage sites_page = pages::sites_page(settings_parts);
  pages::OwnedPage account_stats = pages::account_stats_page(settings_parts);
  pages::OwnedPage media_stats = pages::media_stats_page(settings_parts);
  pages::OwnedPage library_page = pages::library_page(settings_parts);
  endpoints::UploadCommit upload_commit{options.site,
                                        catalog,
                                        stored.uploads,
                                        nullptr,
                                        keys,
                                        time,
                                        options.uploads,
                                        pages::refused_upload_page,
                                        &stored.replacements};
  pages::OwnedPage media_settings = pages::media_page(settings_parts);
  pages::OwnedPage media_look = pages::look_page(settings_parts);
  pages::OwnedPage media_chapters = pages::chapters_page(settings_parts);
  pages::OwnedPage media_poster = pages::poster_page(settings_parts);
  pages::OwnedPage media_replace = pages::replace_page(settings_parts);
  pages::OwnedPage media_links = pages::links_page(settings_parts);
  pages::OwnedPage captions_forms = pages::captions_page(settings_parts);
  pages::OwnedPage projects = pages::projects_page(settings_parts);
  pages::OwnedPage security = pages::security_page(settings_parts);
  pages::OwnedPage second_factor_page = pages::second_factor_page(settings_parts);
  pages::OwnedPage not_found = pages::not_found_page(settings_parts);
  endpoints::Redirect change_password{options.site.url(base::paths::kSecurity) + "#password-title"};
  pages::HomePage home{options.site, visitors, people, catalog, keys};
  pages::DesignPage design{options.site};
  pages::DevelopersPage developers{
      options.site, developer_facts(options), visitors, people, applications, keys};
};

}  // namespace svc::app
