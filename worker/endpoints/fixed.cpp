#include "endpoints/fixed.h"

#include <vector>

#include "endpoints/cors.h"
#include "oauth/scope_set.h"
#include "text/json.h"

namespace svc::endpoints {

Fixed::Fixed(std::string content_type, std::string body)
    : content_type_(std::move(content_type)), body_(std::move(body)) {}

void Fixed::add_common_headers(http::Response& response) const { cors::allow_everybody(response); }

loop::Task<http::Response> Fixed::answer(const http::Request& request) {
  if (request.method == "OPTIONS") co_return cors::preflight();
  if (!request.is_get_or_head()) co_return http::method_not_allowed(cors::kMethods);
  http::Response response;
  response.content_type = content_type_;
  response.body = body_;
  response.with("Cache-Control", "public, max-age=3600");
  co_return http::with_entity_tag(std::move(response), request.if_none_match);
}

std::string providers_json(const embed::Site& site) {
  std::vector<std::string> hosts;
  for (const char* scheme : {"https://", "http://"}) {
    for (const std::string* domain : {&site.service_domain, &site.short_domain}) {
      hosts.push_back(scheme + *domain);
      hosts.push_back(std::string(scheme) + "*." + *domain);
    }
  }
  hosts.push_back(site.embed_host);
  std::string out = "[";
  text::json::ObjectWriter provider(out);
  provider.string("provider_name", site.provider_name).string("provider_url", site.provider_url);
  provider.raw("endpoints") += '[';
  text::json::ObjectWriter endpoint(out);
  endpoint.raw("schemes") += '[';
  for (const std::string& host : hosts) {
    for (const char* path : {"/medias/*", "/m/*", "/embed/iframe/*", "/embed/playlists/*"}) {
      if (out.back() != '[') out += ',';
      text::json::append_string(out, host + path);
    }
  }
  out += ']';
  endpoint.string("url", site.oembed_url + "/oembed");
  endpoint.raw("formats") += R"(["json","xml"])";
  endpoint.raw("example_urls") += '[';
  text::json::append_string(out, site.oembed_url + "/oembed?url=https%3A%2F%2F" +
                                     site.service_domain + "%2Fmedias%2Fl4unchf1lm&format=json");
  out += ']';
  endpoint.boolean("discovery", true).end();
  out += ']';
  provider.end();
  out += ']';
  return out;
}

// §2: what a default would say wrongly is said, and what we do not have is left out.
std::string authorization_server_json(const embed::Site& site, std::string_view issuer) {
  constexpr std::string_view kAuthentication = R"(["client_secret_basic","client_secret_post"])";
  std::string out;
  text::json::ObjectWriter writer(out);
  writer.string("issuer", issuer)
      .string("authorization_endpoint", site.app_url + "/oauth/authorize")
      .string("token_endpoint", site.base_url + "/oauth/token")
      .string("revocation_endpoint", site.base_url + "/oauth/revoke")
      .string("introspection_endpoint", site.base_url + "/oauth/introspect");
  std::string& scopes = writer.raw("scopes_supported");
  scopes += '[';
  for (const std::string_view name : oauth::ScopeSet::kNames) {
    if (scopes.back() != '[') scopes += ',';
    text::json::append_string(scopes, name);
  }
  scopes += ']';
  writer.raw("response_types_supported") += R"(["code"])";
  writer.raw("response_modes_supported") += R"(["query","form_post"])";
  writer.raw("grant_types_supported") += R"(["authorization_code","refresh_token"])";
  writer.raw("token_endpoint_auth_methods_supported") += kAuthentication;
  writer.raw("revocation_endpoint_auth_methods_supported") += kAuthentication;
  writer.raw("introspection_endpoint_auth_methods_supported") += kAuthentication;
  writer.raw("code_challenge_methods_supported") += R"(["S256"])";
  writer.boolean("authorization_response_iss_parameter_supported", true).end();
  return out;
}

std::string robots_txt() {
  return "User-agent: *\nAllow: /medias/\nAllow: /embed/\nAllow: /oembed\nAllow: /assets/\n";
}

}  // namespace svc::endpoints
