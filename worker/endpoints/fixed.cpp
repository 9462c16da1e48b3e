#include "endpoints/fixed.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/public_paths.h"
#include "embed/media_url.h"
#include "oauth/scope_set.h"
#include "text/json.h"
#include "text/uri.h"

namespace svc::endpoints {

Fixed::Fixed(std::string content_type, std::string body)
    : content_type_(std::move(content_type)), body_(std::move(body)) {}

loop::Task<http::Response> Fixed::answer(const http::Request& request) {
  http::Response response;
  response.content_type = content_type_;
  response.body = body_;
  response.with("Cache-Control", "public, max-age=3600");
  co_return http::with_entity_tag(std::move(response), request.if_none_match);
}

loop::Task<http::Response> Redirect::answer(const http::Request&) {
  http::Response response;
  response.status = 302;
  response.with("Location", url_);
  response.with("Cache-Control", "public, max-age=3600");
  co_return response;
}

std::string providers_json(const embed::Site& site) {
  constexpr std::array<std::string_view, 2> kFormats{"json", "xml"};
  std::vector<std::string> hosts;
  for (const char* scheme : {"https://", "http://"}) {
    for (const std::string* domain : {&site.service_domain, &site.short_domain}) {
      if (domain->empty()) continue;
      hosts.push_back(scheme + *domain);
      hosts.push_back(std::string(scheme) + "*." + *domain);
    }
  }
  hosts.push_back(site.embed_host);
  std::vector<std::string> schemes;
  for (const std::string& host : hosts) {
    for (const embed::MediaUrls::Folder& folder : embed::MediaUrls::folders())
      schemes.push_back(host + std::string(folder.prefix) + "*");
  }
  const std::string url = site.url(base::paths::kOembed);
  std::vector<std::string> examples;
  if (!site.example_media.empty()) {
    examples.push_back(url + "?url=" + text::percent_encode(site.media_page(site.example_media)) +
                       "&format=json");
  }
  std::string out;
  text::json::ArrayWriter providers(out);
  text::json::ObjectWriter provider(providers.next());
  provider.string("provider_name", site.provider_name).string("provider_url", site.provider_url);
  text::json::ArrayWriter endpoints(provider.raw("endpoints"));
  text::json::ObjectWriter endpoint(endpoints.next());
  endpoint.strings("schemes", schemes).string("url", url).strings("formats", kFormats);
  if (!examples.empty()) endpoint.strings("example_urls", examples);
  endpoint.boolean("discovery", true).end();
  endpoints.end();
  provider.end();
  providers.end();
  return out;
}

std::string protected_resource_json(const embed::Site& site, std::string_view issuer,
                                    std::string_view resource) {
  constexpr std::array<std::string_view, 2> kMethods{"header", "query"};
  std::string out;
  text::json::ObjectWriter(out)
      .string("resource", resource)
      .string("resource_name", site.provider_name)
      .string("resource_documentation", site.url(base::paths::kDevelopers))
      .strings("authorization_servers", std::array{issuer})
      .strings("scopes_supported", oauth::ScopeSet::kNames)
      .strings("bearer_methods_supported", kMethods)
      .end();
  return out;
}

std::string robots_txt() {
  std::string out = "User-agent: *\n";
  for (const std::string_view path :
       {base::paths::kMediaPage.before(), base::paths::kShortUrl.before(),
        base::paths::kMediaFrame.folder(), base::paths::kOembed.before(),
        base::paths::kAssets.before()})
    out.append("Allow: ").append(path).append("\n");
  return out;
}

}  // namespace svc::endpoints
