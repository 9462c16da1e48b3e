#include "app/service.h"

#include "base/secret_file.h"
#include "endpoints/fixed.h"
#include "endpoints/health.h"
#include "endpoints/manifest.h"
#include "endpoints/oembed.h"
#include "endpoints/player_data.h"
#include "pages/embed_codes_page.h"
#include "pages/watch_page.h"
#include "redis/catalog.h"
#include "redis/usage.h"

namespace svc::app {

namespace {

// Two endpoints that share a folder: what ends in .json is the player's data, the rest the other's.
class BySuffix : public http::Endpoint {
 public:
  BySuffix(http::Endpoint& other, endpoints::PlayerData& data) : other_(other), data_(data) {}

  void prepare(const http::Request& request) override { of(request).prepare(request); }
  http::Response answer(const http::Request& request) override {
    http::Response response = of(request).answer(request);
    of(request).add_common_headers(response);
    return response;
  }
  http::Response unavailable(const http::Request& request) const override {
    http::Response response = of(request).unavailable(request);
    of(request).add_common_headers(response);
    return response;
  }

 private:
  http::Endpoint& of(const http::Request& request) const {
    return endpoints::PlayerData::is_for(request.path) ? static_cast<http::Endpoint&>(data_)
                                                       : other_;
  }

  http::Endpoint& other_;
  endpoints::PlayerData& data_;
};

}  // namespace

struct Service::Parts {
  Parts(const Options& options, const std::string& password, const base::Clock& clock)
      : state(state_connection(options, password, "svc-worker:" + options.roles.to_text()), clock),
        catalog(state),
        oembed(endpoints::Oembed::Path::Open, options.site, options.oembed, catalog),
        oembed_json(endpoints::Oembed::Path::Json, options.site, options.oembed, catalog),
        oembed_xml(endpoints::Oembed::Path::Xml, options.site, options.oembed, catalog),
        usage(state),
        manifest(options.site, options.manifest_max_age, options.oembed.negative_max_age, catalog,
                 usage),
        player_data(options.site, options.page_max_age, options.oembed.negative_max_age, catalog),
        media_files(manifest, player_data),
        media_frame(pages::WatchPage::Kind::MediaFrame, options.site, options.page_max_age,
                    options.oembed.negative_max_age, catalog),
        playlist_frame(pages::WatchPage::Kind::PlaylistFrame, options.site, options.page_max_age,
                       options.oembed.negative_max_age, catalog),
        playlist_files(playlist_frame, player_data),
        media_page(pages::WatchPage::Kind::MediaPage, options.site, options.page_max_age,
                   options.oembed.negative_max_age, catalog),
        embed_codes(options.site, catalog),
        providers("application/json; charset=utf-8", endpoints::providers_json(options.site)),
        robots("text/plain; charset=utf-8", endpoints::robots_txt()),
        healthy([] {}),
        ready([this] { state.read({"PING"}); }) {}

  redis::Connection state;
  redis::Catalog catalog;
  endpoints::Oembed oembed;
  endpoints::Oembed oembed_json;
  endpoints::Oembed oembed_xml;
  redis::Usage usage;
  endpoints::Manifest manifest;
  endpoints::PlayerData player_data;
  BySuffix media_files;
  pages::WatchPage media_frame;
  pages::WatchPage playlist_frame;
  BySuffix playlist_files;
  pages::WatchPage media_page;
  pages::EmbedCodesPage embed_codes;
  endpoints::Fixed providers;
  endpoints::Fixed robots;
  endpoints::Health healthy;
  endpoints::Health ready;
};

Service::Service(const Options& options, const std::string& redis_password,
                 const base::Clock& clock)
    : parts_(std::make_unique<Parts>(options, redis_password, clock)) {
  if (options.roles.embed) {
    router_.add("/oembed", parts_->oembed);
    router_.add("/oembed/", parts_->oembed);
    router_.add("/oembed.json", parts_->oembed_json);
    router_.add("/oembed.xml", parts_->oembed_xml);
    router_.add_below(endpoints::Manifest::kPrefix, parts_->media_files);
    router_.add_below("/embed/iframe/", parts_->media_frame);
    router_.add_below("/embed/playlists/", parts_->playlist_files);
    router_.add_below("/medias/", parts_->media_page);
    router_.add("/embed-codes", parts_->embed_codes);
    router_.add("/providers.json", parts_->providers);
    router_.add("/robots.txt", parts_->robots);
  }
  router_.add("/healthz", parts_->healthy);
  router_.add("/readyz", parts_->ready);
}

Service::~Service() = default;

void Service::settle() { parts_->state.settle(); }

redis::ConnectionSettings state_connection(const Options& options, const std::string& password,
                                           const std::string& name) {
  return {options.redis_state, options.redis_user, password, name, options.redis_timeout};
}

base::Result<std::string, std::string> read_redis_password(const Options& options) {
  const std::string& path = options.redis_password_file;
  if (path.empty()) return std::string();
  auto text = base::read_secret_file("redis-password-file", path);
  if (!text) return text;
  std::string password = text->substr(0, text->find('\n'));
  if (password.ends_with('\r')) password.pop_back();
  if (password.empty()) {
    return base::Refusal{"cannot read a password from redis-password-file " + path +
                         ": its first line is empty"};
  }
  return password;
}

base::Result<std::optional<base::KeyRing>, std::string> read_keys(const Options& options) {
  if (options.key_file.empty()) return std::optional<base::KeyRing>();
  auto keys = base::KeyRing::load(options.key_file);
  if (!keys) return base::Refusal{keys.error()};
  return std::optional<base::KeyRing>(std::move(*keys));
}

std::string check_files(const Options& options) {
  std::string wrong;
  if (const auto password = read_redis_password(options); !password) wrong = password.error();
  if (const auto keys = read_keys(options); !keys) {
    wrong += (wrong.empty() ? "" : "\n") + keys.error();
  }
  return wrong;
}

}  // namespace svc::app
