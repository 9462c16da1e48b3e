#include "app/service.h"

#include <fstream>

#include "endpoints/health.h"
#include "endpoints/manifest.h"
#include "endpoints/oembed.h"
#include "redis/catalog.h"
#include "redis/usage.h"

namespace svc::app {

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
        healthy([] {}),
        ready([this] { state.read({"PING"}); }) {}

  redis::Connection state;
  redis::Catalog catalog;
  endpoints::Oembed oembed;
  endpoints::Oembed oembed_json;
  endpoints::Oembed oembed_xml;
  redis::Usage usage;
  endpoints::Manifest manifest;
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
    router_.add_below(endpoints::Manifest::kPrefix, parts_->manifest);
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
  if (options.redis_password_file.empty()) return std::string();
  std::ifstream file(options.redis_password_file);
  std::string password;
  if (!std::getline(file, password) || password.empty()) {
    return base::Refusal{"cannot read a password from redis-password-file " +
                         options.redis_password_file};
  }
  if (password.back() == '\r') password.pop_back();
  return password;
}

}  // namespace svc::app
