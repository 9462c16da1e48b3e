#include "app/service.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "app/api_description.h"
#include "app/deprecations.h"
#include "app/roles.h"
#include "app/routes.h"
#include "app/viewing_writer.h"
#include "base/unavailable.h"
#include "base/unreadable.h"
#include "endpoints/fixed.h"
#include "endpoints/public/captions_file.h"
#include "endpoints/public/health.h"
#include "endpoints/public/manifest.h"
#include "endpoints/public/oembed.h"
#include "endpoints/public/player_data.h"
#include "endpoints/public/security_text.h"
#include "endpoints/public/status.h"
#include "endpoints/public/viewing.h"
#include "endpoints/uploads/upload.h"
#include "oauth/applications.h"
#include "pages/brand.h"
#include "pages/public/embed_codes_page.h"
#include "pages/public/viewer_problem.h"
#include "pages/public/watch_page.h"
#include "pages/refusal_page.h"
#include "pages/settings/pages.h"
#include "redis/store_tracking.h"
#include "stores/catalog/caption_texts.h"
#include "stores/catalog/catalog.h"
#include "stores/catalog/renderings.h"
#include "stores/catalog/site_rules.h"
#include "stores/catalog/statistics.h"
#include "stores/catalog/usage.h"
#include "stores/keys.h"
#include "stores/stores.h"

namespace svc::app {

namespace {

// Interval at which each worker looks for removed applications.
constexpr base::Duration kLookForRemovedEvery = std::chrono::seconds(5);
constexpr base::Duration kLookAgain = std::chrono::milliseconds(5);

// The checks of /healthz and /readyz.
loop::Task<> nothing() { co_return; }

redis::ConnectionSettings observed(redis::ConnectionSettings settings,
                                   redis::TripObserver* observer) {
  settings.observer = observer;
  return settings;
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
  Parts(const Options& of_service, const Secrets& of_files, loop::Loop& of_worker,
        http::Router& of_requests, const base::WallClock& of_time, PoolSide of_pool)
      : options(of_service),
        secrets(of_files),
        loop(of_worker),
        router(of_requests),
        time(of_time),
        pool(std::move(of_pool)) {
    if (pool.viewing != nullptr)
      viewing_writer.emplace(*pool.viewing, catalog, statistics, redis.catalog(), cache);
  }

  const Options& options;
  const Secrets& secrets;
  loop::Loop& loop;
  http::Router& router;
  const base::WallClock& time;
  PoolSide pool;
  const bool has_store = options.roles.has_store();
  base::TimePoint clean_up_at = loop.clock().now() + kLookForRemovedEvery;
  bool cleans_up = false;
  bool writes_counts = false;
  bool writes_viewing = false;
  bool hears = false;  // whether invalidations are needed
  LongWork work{loop};
  const std::string name = "svc-worker:" + options.roles.to_text();  // of its connections
  stores::Stores redis{observed(state_connection(options, secrets, name), pool.state_trips),
                       observed(catalog_connection(options, secrets, name), pool.catalog_trips),
                       loop};
  stores::Catalog catalog{redis.catalog(), &work.pieces};
  cache::ResponseCache responses{router, options.cache, pool.hasher, loop};
  redis::StoreTracking tracking{redis.catalog(),
                                catalog_connection(options, secrets, name + ":tracking"),
                                {stores::keys::kMedias, stores::keys::kPlaylists,
                                 stores::keys::kCaptions, stores::keys::kAccounts},
                                responses,
                                loop};
  std::map<std::string_view, http::ReadParameters> parameters;  // parameters_of_gets()
  stores::SiteRules site_rules{redis.catalog(), tracking, loop.clock()};
  redis::Store cache{cache_connection(options, secrets, name), loop};
  stores::Renderings renderings{cache, tracking, options.renderings, configuration_of(options),
                                loop.clock()};
  cache::UsageCounts* counts = pool.usage;
  embed::WatchKeys watch_keys{secrets.watch_keys ? &*secrets.watch_keys : nullptr, time};
  endpoints::Oembed oembed{endpoints::Oembed::Path::Open,
                           options.site,
                           options.oembed,
                           catalog,
                           watch_keys,
                           &renderings};
  endpoints::Oembed oembed_json{endpoints::Oembed::Path::Json,
                                options.site,
                                options.oembed,
                                catalog,
                                watch_keys,
                                &renderings};
  endpoints::Oembed oembed_xml{
      endpoints::Oembed::Path::Xml, options.site, options.oembed, catalog, watch_keys, &renderings};
  stores::Usage usage{redis.catalog()};
  const endpoints::FilmAccess films{options.site, catalog, site_rules, watch_keys,
                                    options.oembed.negative_max_age};
  endpoints::Manifest manifest{films, options.manifest_max_age, &renderings};
  endpoints::PlayerData player_data{films, options.page_max_age, &renderings};
  stores::CaptionTexts caption_texts{redis.catalog(), &work.heavy};
  endpoints::CaptionsFile captions_file{films, options.page_max_age, caption_texts};
  pages::WatchPage media_frame{
      pages::WatchPage::Kind::MediaFrame, options.site, secrets.languages, options.page_max_age,
      options.oembed.negative_max_age,    catalog,      site_rules,        watch_keys};
  pages::WatchPage playlist_frame{pages::WatchPage::Kind::PlaylistFrame,
                                  options.site,
                                  secrets.languages,
                                  options.page_max_age,
                                  options.oembed.negative_max_age,
                                  catalog,
                                  site_rules,
                                  watch_keys,
                                  &renderings};
  pages::WatchPage media_page{pages::WatchPage::Kind::MediaPage,
                              options.site,
                              secrets.languages,
                              options.page_max_age,
                              options.oembed.negative_max_age,
                              catalog,
                              site_rules,
                              watch_keys,
                              nullptr,
                              pages::WatchPage::Texts{&caption_texts, &work.heavy}};
  pages::WatchPage short_url{
      pages::WatchPage::Kind::ShortUrl, options.site, secrets.languages, options.page_max_age,
      options.oembed.negative_max_age,  catalog,      site_rules,        watch_keys};
  pages::EmbedCodesPage embed_codes{options.site, catalog, site_rules, watch_keys, &renderings};
  stores::Statistics statistics{redis.catalog()};
  const int stats_days = options.stats_days;
  std::optional<ViewingWriter> viewing_writer;
  endpoints::Viewing viewing{pool.viewing, watch_keys, secrets.bots, time};
  endpoints::Fixed providers{std::string(http::kJson), endpoints::providers_json(options.site)};
  endpoints::Fixed robots{"text/plain; charset=utf-8", endpoints::robots_txt()};
  endpoints::SecurityText security_text{options.site.security_contact, time};
  endpoints::Fixed icon{
      std::string(secrets.logo.empty() ? "image/svg+xml" : logo_media_type(options.logo_file)),
      secrets.logo.empty() ? pages::logo_svg(options.site.accent_colour) : secrets.logo};
  endpoints::Fixed brand_style{"text/css; charset=utf-8",
                               options.site.accent_colour.empty()
                                   ? std::string()
                                   : pages::brand_css(options.site.accent_colour)};
  endpoints::Health healthy{[] { return nothing(); }};
  endpoints::Health ready{[this] { return has_store ? ping() : nothing(); }};
  endpoints::Status status{std::string(http::kJson), std::move(pool.status)};
  endpoints::Status metrics{"application/openmetrics-text; version=1.0.0; charset=utf-8",
                            std::move(pool.metrics)};
  std::unique_ptr<Grant> grant;
  std::unique_ptr<Web> web;
  std::unique_ptr<endpoints::Upload> upload;
  loop::Scope tasks{loop};  // last: they refer to the others

  // Throws base::Unavailable unless the stores of its roles answer.
  loop::Task<> ping() { return options.roles.has_state() ? redis.ping() : redis.catalog().ping(); }
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
    case RouteId::MediaCaptions: return &grant->media_captions;
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
    case RouteId::Settings: return web->overview.get();
    case RouteId::MyMedia: return web->my_media.get();
    case RouteId::MyApplications: return web->my_applications.get();
    case RouteId::Applications:
    case RouteId::Application:
    case RouteId::ApplicationSecret:
    case RouteId::NewSecret:
    case RouteId::RetireSecret: return web->applications_page.get();
    case RouteId::AccountConnected:
    case RouteId::Connected:
    case RouteId::ConnectedForms: return web->connected.get();
    case RouteId::AccountTokens: return web->tokens_page.get();
    case RouteId::AccountMedia:
    case RouteId::UploadForm:
    case RouteId::UploadPagePermission: return web->library_page.get();
    case RouteId::UploadPageCommit: return &web->upload_commit;
    case RouteId::MediaSettings: return web->media_settings.get();
    case RouteId::MediaLook: return web->media_look.get();
    case RouteId::MediaChaptersForm: return web->media_chapters.get();
    case RouteId::MediaPoster: return web->media_poster.get();
    case RouteId::MediaReplace: return web->media_replace.get();
    case RouteId::MediaStatsPage: return web->media_stats.get();
    case RouteId::LinksForms: return web->media_links.get();
    case RouteId::CaptionsForms:
    case RouteId::CaptionsForm: return web->captions_forms.get();
    case RouteId::AccountSites: return web->sites_page.get();
    case RouteId::AccountStatsPage: return web->account_stats.get();
    case RouteId::AccountProjects:
    case RouteId::AccountProject: return web->projects.get();
    case RouteId::Security:
    case RouteId::SecurityForms:
    case RouteId::Password: return web->security.get();
    case RouteId::ChangePassword: return &web->change_password;
    case RouteId::SecondFactor:
    case RouteId::SecondFactorForms: return web->second_factor_page.get();
    case RouteId::NoSettings: return web->not_found.get();
    case RouteId::Upload: return upload.get();
    case RouteId::Healthz: return &healthy;
    case RouteId::Readyz: return &ready;
    case RouteId::Status: return &status;
    case RouteId::Metrics: return &metrics;
  }
  std::abort();
}

Service::Service(const Options& options, const Secrets& secrets, base::SharedSemaphore& hashing,
                 loop::Loop& loop, PoolSide pool, const Replaced& replaced)
    : router_([&site = options.site, &languages = secrets.languages](
                  http::ErrorForm form, const http::Request& request, int status) {
        if (form == http::ErrorForm::Page)
          return pages::refusal_page(site, request, status, languages.choose(request));
        const bool is_frame = form == http::ErrorForm::Frame;
        return pages::viewer_refusal(is_frame ? pages::ShownIn::Frame : pages::ShownIn::Page, site,
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
  if ((options.roles.grant || options.roles.web) && secrets.keys) {
    const Common common{options,       parts_->redis,      parts_->catalog,
                        *secrets.keys, parts_->watch_keys, secrets.languages,
                        time,          parts_->work,       loop};
    if (options.roles.grant) parts_->grant = std::make_unique<Grant>(common);
    if (options.roles.web)
      parts_->web =
          std::make_unique<Web>(common, hashing, replaced.passwords,
                                catalog_connection(options, secrets, parts_->name + ":documents"));
  }
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
    co_await parts_->ping();
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

namespace {

// A part that fails does not stop the others.
loop::Task<> attempted(loop::Task<> part) {
  try {
    co_await part;
  } catch (const base::Unavailable&) {
    // Retried at the next interval.
  } catch (const base::Unreadable&) {
    // Retried too: a later version may be able to read it. The store logs it.
  }
}

}  // namespace

loop::Task<> Service::clean_up_applications() {
  bool more = true;
  while (more) {
    const std::int64_t now = parts_->web->time.now();
    more = co_await oauth::clean_up_removed(parts_->web->applications, parts_->web->grants, now);
  }
}

loop::Task<> Service::clean_up_statistics() {
  const std::chrono::sys_days today(std::chrono::days(parts_->web->time.now() / 86'400));
  // Without counting, what was counted stays.
  const std::chrono::sys_days oldest = parts_->stats_days > 0
                                           ? today - std::chrono::days(parts_->stats_days)
                                           : std::chrono::sys_days();
  bool more = true;
  while (more) {
    more = co_await parts_->statistics.clean_up(today, oldest);
  }
}

// In bounded steps. If the worker exits, another one continues.
loop::Task<> Service::clean_up() {
  parts_->cleans_up = true;
  co_await attempted(clean_up_applications());
  co_await attempted(clean_up_statistics());
  co_await attempted(parts_->web->library.replacing.settle());
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

}  // namespace svc::app
