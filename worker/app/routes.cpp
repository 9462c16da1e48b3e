#include "app/routes.h"

#include <utility>
#include <vector>

#include "oauth/operation.h"
#include "text/json.h"

namespace svc::app {
namespace {

using enum Store;
using enum Carries;
using http::ErrorForm;
constexpr std::string_view kAny;  // the endpoint refuses
constexpr std::string_view kRead = "GET, HEAD";
constexpr std::string_view kShared = "GET, HEAD, OPTIONS";  // any page may read it
constexpr std::string_view kForm = "GET, HEAD, POST";

// clang-format off
constexpr std::array<Route, kRoutes> kTable{{
    // The embed pool.
    {RouteId::Oembed, "/oembed", kOembed, Role::Embed, kShared, ErrorForm::ByFormat, Zone::Oembed, Needed, Nothing, "",
     "oEmbed, in JSON or by the parameter format"},
    {RouteId::OembedSlash, "/oembed/", kOembed, Role::Embed, kShared, ErrorForm::ByFormat, Zone::Oembed, Needed, Nothing, "",
     "the same"},
    {RouteId::OembedJson, "/oembed.json", kOembed, Role::Embed, kShared, ErrorForm::Json, Zone::Oembed, Needed, Nothing, "",
     "oEmbed in JSON"},
    {RouteId::OembedXml, "/oembed.xml", kOembed, Role::Embed, kShared, ErrorForm::Xml, Zone::Oembed, Needed, Nothing, "",
     "oEmbed in XML"},
    {RouteId::Manifest, "/embed/medias/{media}.m3u8", kEmbed, Role::Embed, kShared, ErrorForm::Json, Zone::Embed, Needed, Nothing, "",
     "the HLS manifest of a media"},
    {RouteId::MediaData, "/embed/medias/{media}.json", kEmbed, Role::Embed, kShared, ErrorForm::Json, Zone::Embed, Needed, Nothing, "",
     "the data of a media for the player"},
    {RouteId::MediaFiles, "/embed/medias/*", kEmbed, Role::Embed, kShared, ErrorForm::Json, Zone::Embed, Needed, Nothing, "",
     "404"},
    {RouteId::MediaFrame, "/embed/iframe/*", kEmbed, Role::Embed, kRead, ErrorForm::Frame, Zone::Embed, Needed, Nothing, "",
     "the player's page of a media, for frames"},
    {RouteId::PlaylistData, "/embed/playlists/{playlist}.json", kEmbed, Role::Embed, kShared, ErrorForm::Json, Zone::Embed, Needed, Nothing, "",
     "the data of a playlist for the player"},
    {RouteId::PlaylistFrame, "/embed/playlists/*", kEmbed, Role::Embed, kRead, ErrorForm::Frame, Zone::Embed, Needed, Nothing, "",
     "the player's page of a playlist, for frames"},
    {RouteId::MediaPage, "/medias/*", kEmbed, Role::Embed, kRead, ErrorForm::PublicPage, Zone::Embed, Needed, Nothing, "",
     "the public page of a media, also for addresses below it"},
    {RouteId::ShortUrl, "/m/*", kEmbed, Role::Embed, kRead, ErrorForm::PublicPage, Zone::Embed, Needed, Nothing, "",
     "leads to the page of a media"},
    {RouteId::EmbedCodes, "/embed-codes", kApp, Role::Embed, kRead, ErrorForm::PublicPage, Zone::Embed, Needed, Nothing, "",
     "the page with the embed codes of a media or playlist"},
    {RouteId::Providers, "/providers.json", kOembed, Role::Embed, kShared, ErrorForm::Json, Zone::None, NotNeeded, Nothing, "",
     "this service for registries of oEmbed providers"},
    {RouteId::Robots, "/robots.txt", kEveryHost, Role::Embed, kShared, ErrorForm::Json, Zone::None, NotNeeded, Nothing, "",
     "what crawlers may fetch"},

    // The grant pool.
    {RouteId::Token, "/oauth/token", kApi, Role::Grant, "POST", ErrorForm::Oauth, Zone::Token, Needed, Secret, "",
     "exchanges a code or a refresh token for tokens"},
    {RouteId::Revoke, "/oauth/revoke", kApi, Role::Grant, "POST", ErrorForm::Oauth, Zone::Token, Needed, Secret, "",
     "revokes a token and its grant"},
    {RouteId::Introspect, "/oauth/introspect", kApi, Role::Grant, "POST", ErrorForm::Oauth, Zone::Token, Needed, Secret, "",
     "the state of a token of the same application"},
    {RouteId::Metadata, "/.well-known/oauth-authorization-server", kApi, Role::Grant, kShared, ErrorForm::Json, Zone::None, NotNeeded, Nothing, "",
     "the metadata of the authorization server"},
    {RouteId::Media, "/v1/medias/*", kApi, Role::Grant, "GET, HEAD, DELETE", ErrorForm::Json, Zone::None, Needed, Secret,
     oauth::kSeeMedia.scopes, "a media of the token's account; DELETE needs all:all"},
    {RouteId::UploadRefused, "/v1/medias", kApi, Role::Grant, "POST", ErrorForm::Json, Zone::Upload, Needed, Secret, oauth::kUploadMedia.scopes,
     "uploads a file; the grant pool answers if it may not"},
    {RouteId::UploadPermission, "/upload-permission", kInternal, Role::Grant, kAny, ErrorForm::Json, Zone::None, Needed, Secret, oauth::kUploadMedia.scopes,
     "whether an application may upload, before its file is read"},

    // The web pool.
    {RouteId::Home, "/", kApp, Role::Web, kRead, ErrorForm::Page, Zone::None, Needed, Nothing, "",
     "the start page"},
    {RouteId::Login, "/login", kApp, Role::Web, kForm, ErrorForm::Page, Zone::Login, Needed, Secret, "",
     "the login"},
    {RouteId::Logout, "/logout", kApp, Role::Web, "POST", ErrorForm::Page, Zone::None, Needed, Nothing, "",
     "ends the session"},
    {RouteId::Authorize, "/oauth/authorize", kApp | kApi, Role::Web, kForm, ErrorForm::Page, Zone::Authorize, Needed, Secret, "",
     "the consent; the host of the API redirects to that of the web application"},
    {RouteId::Settings, "/settings", kApp, Role::Web, kForm, ErrorForm::Page, Zone::Settings, Needed, Nothing, "",
     "My Settings"},
    {RouteId::Applications, "/settings/accounts/*", kApp, Role::Web, kForm, ErrorForm::Page, Zone::Settings, Needed, Secret, "",
     "the applications of an account"},
    {RouteId::AccountConnected, "/settings/accounts/{account}/connected/**", kApp, Role::Web, kForm, ErrorForm::Page, Zone::Settings, Needed, Nothing, "",
     "the applications that act for an account"},
    {RouteId::AccountMedia, "/settings/accounts/{account}/media/**", kApp, Role::Web, kForm, ErrorForm::Page, Zone::Settings, Needed, Nothing, "",
     "uploads of an account"},
    {RouteId::UploadPagePermission, "/upload-permission/settings/accounts/*", kInternal, Role::Web, kAny, ErrorForm::Page, Zone::None, Needed, Nothing, "",
     "whether a form may upload, before its file is read"},
    {RouteId::Connected, "/settings/connected", kApp, Role::Web, kForm, ErrorForm::Page, Zone::Settings, Needed, Nothing, "",
     "the applications that act for the user"},
    {RouteId::ConnectedForms, "/settings/connected/*", kApp, Role::Web, kForm, ErrorForm::Page, Zone::Settings, Needed, Nothing, "",
     "one of them, and its end"},
    {RouteId::Security, "/settings/security", kApp, Role::Web, kForm, ErrorForm::Page, Zone::Settings, Needed, Nothing, "",
     "the sessions and the password"},
    {RouteId::SecurityForms, "/settings/security/*", kApp, Role::Web, kForm, ErrorForm::Page, Zone::Settings, Needed, Secret, "",
     "their changes"},
    {RouteId::NoSettings, "/settings/*", kApp, Role::Web, kForm, ErrorForm::Page, Zone::Settings, NotNeeded, Nothing, "",
     "404"},

    // The upload pool.
    {RouteId::Upload, "/upload", kInternal, Role::Upload, "POST", ErrorForm::Json, Zone::None, Needed, Nothing, "",
     "takes a file that nginx has written"},

    // Each pool.
    {RouteId::Healthz, "/healthz", kEveryHost, Role::Each, kRead, ErrorForm::Json, Zone::None, NotNeeded, Nothing, "",
     "whether the process lives"},
    {RouteId::Readyz, "/readyz", kEveryHost, Role::Each, kRead, ErrorForm::Json, Zone::None, NotNeeded, Nothing, "",
     "whether its store answers"},
    {RouteId::Status, "/status", kInternal, Role::Each, kRead, ErrorForm::Json, Zone::None, NotNeeded, Nothing, "",
     "the state of the pool, as JSON"},
    {RouteId::Metrics, "/metrics", kInternal, Role::Each, kRead, ErrorForm::Json, Zone::None, NotNeeded, Nothing, "",
     "the state of the pool, for Prometheus"},
}};
// clang-format on

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].id) != i) return false;
  }
  return true;
}
static_assert(is_in_order(), "the rows are in the order of RouteId");
static_assert(static_cast<std::size_t>(RouteId::Metrics) + 1 == kRoutes);

template <std::size_t N>
std::string_view name(const std::array<std::string_view, N>& names, auto value) {
  return names.at(static_cast<std::size_t>(value));
}

}  // namespace

const std::array<Route, kRoutes>& routes() { return kTable; }

const Route& route(RouteId id) { return kTable.at(static_cast<std::size_t>(id)); }

std::string routes_json() {
  constexpr std::array<std::string_view, 5> kRoles{"embed", "grant", "web", "upload", "each"};
  // As nginx has them.
  constexpr std::array<std::string_view, 7> kForms{"json", "json", "xml", "format",
                                                   "html", "html", "html"};
  constexpr std::array<std::string_view, 8> kZones{"",      "login",  "authorize", "settings",
                                                   "token", "upload", "oembed",    "embed"};
  constexpr std::array<std::pair<Host, std::string_view>, 4> kHosts{
      {{kApp, "app"}, {kApi, "api"}, {kOembed, "oembed"}, {kEmbed, "embed"}}};
  std::string out;
  text::json::ArrayWriter rows(out);
  for (const Route& row : kTable) {
    std::vector<std::string_view> hosts;
    for (const auto& [host, host_name] : kHosts) {
      if ((row.hosts & host) != 0) hosts.push_back(host_name);
    }
    text::json::ObjectWriter(rows.next())
        .string("pattern", row.pattern)
        .strings("hosts", hosts)
        .string("role", name(kRoles, row.role))
        .string("methods", row.methods)
        .string("errors", name(kForms, row.errors))
        .string("zone", name(kZones, row.zone))
        .boolean("needs_store", row.store == Needed)
        .boolean("secrets", row.carries == Carries::Secret)
        .string("scopes", row.scopes)
        .string("about", row.about)
        .end();
  }
  rows.end();
  out += '\n';
  return out;
}

}  // namespace svc::app
