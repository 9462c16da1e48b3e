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
using enum Body;
constexpr std::string_view kAny;  // the endpoint refuses
constexpr std::string_view kRead = "GET, HEAD";
constexpr std::string_view kShared = "GET, HEAD, OPTIONS";  // any page may read it
constexpr std::string_view kForm = "GET, HEAD, POST";

// clang-format off
constexpr std::array<Route, kRoutes> kTable{{
    // The embed pool.
    {RouteId::Oembed, "/oembed", kOembed, Role::Embed, kShared, ErrorForm::ByFormat, kOembedZone, Needed, Nothing, Form, "",
     "oEmbed, in JSON or by the parameter format"},
    {RouteId::OembedSlash, "/oembed/", kOembed, Role::Embed, kShared, ErrorForm::ByFormat, kOembedZone, Needed, Nothing, Form, "",
     "the same"},
    {RouteId::OembedJson, "/oembed.json", kOembed, Role::Embed, kShared, ErrorForm::Json, kOembedZone, Needed, Nothing, Form, "",
     "oEmbed in JSON"},
    {RouteId::OembedXml, "/oembed.xml", kOembed, Role::Embed, kShared, ErrorForm::Xml, kOembedZone, Needed, Nothing, Form, "",
     "oEmbed in XML"},
    {RouteId::Manifest, "/embed/medias/{media}.m3u8", kEmbed, Role::Embed, kShared, ErrorForm::Json, kEmbedZone, Needed, Nothing, Form, "",
     "the HLS manifest of a media"},
    {RouteId::MediaData, "/embed/medias/{media}.json", kEmbed, Role::Embed, kShared, ErrorForm::Json, kEmbedZone, Needed, Nothing, Form, "",
     "the data of a media for the player"},
    {RouteId::MediaFiles, "/embed/medias/*", kEmbed, Role::Embed, kShared, ErrorForm::Json, kEmbedZone, Needed, Nothing, Form, "",
     "404"},
    {RouteId::MediaFrame, "/embed/iframe/*", kEmbed, Role::Embed, kRead, ErrorForm::Frame, kEmbedZone, Needed, Nothing, Form, "",
     "the player's page of a media, for frames"},
    {RouteId::PlaylistData, "/embed/playlists/{playlist}.json", kEmbed, Role::Embed, kShared, ErrorForm::Json, kEmbedZone, Needed, Nothing, Form, "",
     "the data of a playlist for the player"},
    {RouteId::PlaylistFrame, "/embed/playlists/*", kEmbed, Role::Embed, kRead, ErrorForm::Frame, kEmbedZone, Needed, Nothing, Form, "",
     "the player's page of a playlist, for frames"},
    {RouteId::MediaPage, "/medias/*", kEmbed, Role::Embed, kRead, ErrorForm::PublicPage, kEmbedZone, Needed, Nothing, Form, "",
     "the public page of a media, also for addresses below it"},
    {RouteId::ShortUrl, "/m/*", kEmbed, Role::Embed, kRead, ErrorForm::PublicPage, kEmbedZone, Needed, Nothing, Form, "",
     "leads to the page of a media"},
    {RouteId::EmbedCodes, "/embed-codes", kApp, Role::Embed, kRead, ErrorForm::PublicPage, kEmbedZone, Needed, Nothing, Form, "",
     "the page with the embed codes of a media or playlist"},
    {RouteId::Providers, "/providers.json", kOembed, Role::Embed, kShared, ErrorForm::Json, kUncounted, NotNeeded, Nothing, Form, "",
     "this service for registries of oEmbed providers"},
    {RouteId::Robots, "/robots.txt", kEveryHost, Role::Embed, kShared, ErrorForm::Json, kUncounted, NotNeeded, Nothing, Form, "",
     "what crawlers may fetch"},

    // The grant pool.
    {RouteId::Token, "/oauth/token", kApi, Role::Grant, "POST", ErrorForm::Oauth, kTokenZone, Needed, Secret, Form, "",
     "exchanges a code or a refresh token for tokens"},
    {RouteId::Revoke, "/oauth/revoke", kApi, Role::Grant, "POST", ErrorForm::Oauth, kTokenZone, Needed, Secret, Form, "",
     "revokes a token and its grant"},
    {RouteId::Introspect, "/oauth/introspect", kApi, Role::Grant, "POST", ErrorForm::Oauth, kTokenZone, Needed, Secret, Form, "",
     "the state of a token of the same application"},
    {RouteId::Metadata, "/.well-known/oauth-authorization-server", kApi, Role::Grant, kShared, ErrorForm::Json, kUncounted, NotNeeded, Nothing, Form, "",
     "the metadata of the authorization server"},
    {RouteId::Media, "/v1/medias/*", kApi, Role::Grant, "GET, HEAD, DELETE", ErrorForm::Json, kUncounted, Needed, Secret, Form,
     oauth::kSeeMedia.scopes, "a media of the token's account; DELETE needs all:all"},
    {RouteId::UploadRefused, "/v1/medias", kApi, Role::Grant, "POST", ErrorForm::Json, kUploadZone, Needed, Secret, File, oauth::kUploadMedia.scopes,
     "uploads a file; the grant pool answers if it may not"},
    {RouteId::UploadPermission, "/upload-permission", kInternal, Role::Grant, kAny, ErrorForm::Json, kUncounted, Needed, Secret, Form, oauth::kUploadMedia.scopes,
     "whether an application may upload, before its file is read"},

    // The web pool.
    {RouteId::Home, "/", kApp, Role::Web, kRead, ErrorForm::Page, kUncounted, Needed, Nothing, Form, "",
     "the start page"},
    {RouteId::Login, "/login", kApp, Role::Web, kForm, ErrorForm::Page, kLoginZone, Needed, Secret, Form, "",
     "the login"},
    {RouteId::Logout, "/logout", kApp, Role::Web, "POST", ErrorForm::Page, kUncounted, Needed, Nothing, Form, "",
     "ends the session"},
    {RouteId::Authorize, "/oauth/authorize", kApp | kApi, Role::Web, kForm, ErrorForm::Page, kAuthorizeZone, Needed, Secret, Form, "",
     "the consent; the host of the API redirects to that of the web application"},
    {RouteId::Settings, "/settings", kApp, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Nothing, Form, "",
     "My Settings"},
    {RouteId::Applications, "/settings/accounts/*", kApp, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Secret, Form, "",
     "the applications of an account"},
    {RouteId::ApplicationSecret, "/settings/accounts/{account}/applications/{client}/secret", kApp, Role::Web, kForm, ErrorForm::Page, kLoginZone | kSettingsZone, Needed, Secret, Form, "",
     "the secrets of an application; asks for the password"},
    {RouteId::NewSecret, "/settings/accounts/{account}/applications/{client}/new-secret", kApp, Role::Web, kForm, ErrorForm::Page, kLoginZone | kSettingsZone, Needed, Secret, Form, "",
     "a second secret; asks for the password"},
    {RouteId::RetireSecret, "/settings/accounts/{account}/applications/{client}/retire-secret", kApp, Role::Web, kForm, ErrorForm::Page, kLoginZone | kSettingsZone, Needed, Secret, Form, "",
     "the end of the first secret; asks for the password"},
    {RouteId::AccountConnected, "/settings/accounts/{account}/connected/**", kApp, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Nothing, Form, "",
     "the applications that act for an account"},
    {RouteId::AccountMedia, "/settings/accounts/{account}/media/**", kApp, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Nothing, Form, "",
     "uploads of an account"},
    {RouteId::UploadForm, "/settings/accounts/{account}/media/upload", kApp, Role::Web, kForm, ErrorForm::Page, kUploadZone | kSettingsZone, Needed, Secret, File, "",
     "uploads a file by a form; the web pool answers if it may not"},
    {RouteId::UploadPagePermission, "/upload-permission/settings/accounts/*", kInternal, Role::Web, kAny, ErrorForm::Page, kUncounted, Needed, Nothing, Form, "",
     "whether a form may upload, before its file is read"},
    {RouteId::Connected, "/settings/connected", kApp, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Nothing, Form, "",
     "the applications that act for the user"},
    {RouteId::ConnectedForms, "/settings/connected/*", kApp, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Nothing, Form, "",
     "one of them, and its end"},
    {RouteId::Security, "/settings/security", kApp, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Nothing, Form, "",
     "the sessions and the password"},
    {RouteId::SecurityForms, "/settings/security/*", kApp, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Secret, Form, "",
     "their changes"},
    {RouteId::Password, "/settings/security/password", kApp, Role::Web, kForm, ErrorForm::Page, kLoginZone | kSettingsZone, Needed, Secret, Form, "",
     "a new password; asks for the present one"},
    {RouteId::NoSettings, "/settings/*", kApp, Role::Web, kForm, ErrorForm::Page, kSettingsZone, NotNeeded, Nothing, Form, "",
     "404"},

    // The upload pool.
    {RouteId::Upload, "/upload", kInternal, Role::Upload, "POST", ErrorForm::Json, kUncounted, Needed, Nothing, Form, "",
     "takes a file that nginx has written"},

    // Each pool.
    {RouteId::Healthz, "/healthz", kEveryHost, Role::Each, kRead, ErrorForm::Json, kUncounted, NotNeeded, Nothing, Form, "",
     "whether the process lives"},
    {RouteId::Readyz, "/readyz", kEveryHost, Role::Each, kRead, ErrorForm::Json, kUncounted, NotNeeded, Nothing, Form, "",
     "whether its store answers"},
    {RouteId::Status, "/status", kInternal, Role::Each, kRead, ErrorForm::Json, kUncounted, NotNeeded, Nothing, Form, "",
     "the state of the pool, as JSON"},
    {RouteId::Metrics, "/metrics", kInternal, Role::Each, kRead, ErrorForm::Json, kUncounted, NotNeeded, Nothing, Form, "",
     "the state of the pool, for Prometheus"},
}};

constexpr std::array<Files, kFiles> kFileTable{{
    {"/assets/external/*", kEmbed, "the player"},
    {"/assets/*", kApp | kEmbed, "style and scripts of the pages"},
    {"/deliveries/*", kEmbed, "clips of the demonstration"},
    {"/files/*", kEmbed, "what svc-ingest made from uploads"},
}};

constexpr std::array<Server, kServers> kServerTable{{
    {kApp, "app", "app-url", &embed::Site::app_url, "web upload", "the web application: login, consent, settings, the page of embed codes"},
    {kApi, "api", "base-url", &embed::Site::base_url, "grant upload", "the API: tokens, medias, uploads, the server's metadata"},
    {kOembed, "oembed", "oembed-url", &embed::Site::oembed_url, "embed", "oEmbed, and the entry for registries of providers"},
    {kEmbed, "embed", "embed-host", &embed::Site::embed_host, "embed", "players, manifests, pages of media, and their files"},
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

const std::array<Files, kFiles>& files() { return kFileTable; }

const std::array<Server, kServers>& servers() { return kServerTable; }

const Route& route(RouteId id) { return kTable.at(static_cast<std::size_t>(id)); }

std::string routes_json() {
  constexpr std::array<std::string_view, 5> kRoles{"embed", "grant", "web", "upload", "each"};
  // As nginx has them.
  constexpr std::array<std::string_view, 7> kForms{"json", "json", "xml", "format",
                                                   "html", "html", "html"};
  constexpr std::array<std::string_view, 7> kZones{"login",  "authorize", "settings", "token",
                                                   "upload", "oembed",    "embed"};
  const auto names_of = [](Hosts hosts) {
    std::vector<std::string_view> names;
    for (const Server& server : kServerTable) {
      if ((hosts & server.host) != 0) names.push_back(server.name);
    }
    return names;
  };
  std::string out;
  text::json::ObjectWriter all(out);
  text::json::ArrayWriter hosts(all.raw("hosts"));
  for (const Server& server : kServerTable) {
    text::json::ObjectWriter(hosts.next())
        .string("name", server.name)
        .string("setting", server.setting)
        .string("needs", server.needs)
        .string("about", server.about)
        .end();
  }
  hosts.end();
  text::json::ArrayWriter folders(all.raw("files"));
  for (const Files& row : kFileTable) {
    text::json::ObjectWriter(folders.next())
        .string("pattern", row.pattern)
        .strings("hosts", names_of(row.hosts))
        .string("about", row.about)
        .end();
  }
  folders.end();
  text::json::ArrayWriter rows(all.raw("routes"));
  for (const Route& row : kTable) {
    std::vector<std::string_view> zones;
    for (std::size_t i = 0; i < kZones.size(); ++i) {
      if ((row.zones >> i & 1) != 0) zones.push_back(kZones.at(i));
    }
    text::json::ObjectWriter(rows.next())
        .string("pattern", row.pattern)
        .strings("hosts", names_of(row.hosts))
        .string("role", name(kRoles, row.role))
        .string("methods", row.methods)
        .string("errors", name(kForms, row.errors))
        .strings("zones", zones)
        .boolean("needs_store", row.store == Needed)
        .boolean("secrets", row.carries == Carries::Secret)
        .boolean("takes_file", row.body == File)
        .string("scopes", row.scopes)
        .string("about", row.about)
        .end();
  }
  rows.end();
  all.end();
  out += '\n';
  return out;
}

}  // namespace svc::app
