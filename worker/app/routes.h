// routes: every path that the pools answer (base/paths.h), one row each. The router, the counters
// per endpoint, the lists of the tests and `svc-worker --print-routes` follow from it; from that
// nginx's locations, limits and error pages, and the tables of the documents
// (scripts/derive-routes).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/paths.h"
#include "http/refusal.h"
#include "oauth/operation.h"

namespace svc::app {

using base::Hosts;

// Which pool answers it. Each: the pool that was asked, about itself.
enum class Role : std::uint8_t { Embed, Grant, Web, Upload, Each };

// Which zones of nginx/svc-limits-rates.conf count the path; a set. Rates count only the POST of a
// path that also answers GET.
using Zones = std::uint16_t;
inline constexpr Zones kUncounted = 0;
inline constexpr Zones kLoginZone = 1;
inline constexpr Zones kAuthorizeZone = 2;
inline constexpr Zones kSettingsZone = 4;
inline constexpr Zones kTokenZone = 8;
inline constexpr Zones kUploadZone = 16;
inline constexpr Zones kOembedZone = 32;
inline constexpr Zones kEmbedZone = 64;
inline constexpr Zones kViewingZone = 128;  // nginx only marks what exceeds it
inline constexpr Zones kIntrospectZone = 256;
inline constexpr Zones kTextZone = 512;  // long texts: simultaneous requests, no rate

// The body of a POST or PUT. File: nginx stores it, after it has asked the pool for permission.
// Record and Captions: a body of the data API (api-N7); that of Captions is read after permission,
// too.
enum class Body : std::uint8_t { Form, File, Record, Captions };

enum class Store : std::uint8_t { Needed, NotNeeded };

enum class RouteId : std::uint8_t {
  Oembed,
  OembedSlash,
  OembedJson,
  OembedXml,
  Manifest,
  MediaData,
  CaptionsFile,
  Viewing,
  MediaFiles,
  MediaFrame,
  PlaylistData,
  PlaylistFrame,
  MediaPage,
  ShortUrl,
  EmbedCodes,
  Providers,
  Robots,
  SecurityText,
  Icon,
  BrandStyle,
  Token,
  Revoke,
  Introspect,
  Metadata,
  Resource,
  ApiResource,
  Media,
  MediaMove,
  MediaSwap,
  Customizations,
  MediaChapters,
  MediaList,
  MediaLinks,
  MediaLink,
  MediaCaptions,
  Captions,
  CaptionsList,
  Projects,
  Project,
  Account,
  AccountStats,
  AccountStatsByDate,
  ProjectStats,
  MediaStats,
  MediaStatsByDate,
  MediaEngagement,
  StatsOfMedia,
  AllowedDomains,
  AllowedDomain,
  OpenApi,
  UploadPermission,
  UploadCommit,
  BodyPermission,
  Home,
  Developers,
  DeveloperPages,
  DeveloperOauth,
  Design,
  Login,
  Logout,
  Authorize,
  Settings,
  MyMedia,
  MyApplications,
  Applications,
  Application,
  ApplicationSecret,
  NewSecret,
  RetireSecret,
  AccountConnected,
  AccountTokens,
  AccountMedia,
  MediaSettings,
  MediaLook,
  MediaChaptersForm,
  MediaPoster,
  MediaReplace,
  MediaStatsPage,
  LinksForms,
  CaptionsForms,
  CaptionsForm,
  AccountSites,
  AccountStatsPage,
  AccountProjects,
  AccountProject,
  UploadForm,
  UploadPagePermission,
  UploadPageCommit,
  Connected,
  ConnectedForms,
  Security,
  SecurityForms,
  Password,
  ChangePassword,
  SecondFactor,
  SecondFactorForms,
  NoSettings,
  Upload,
  Healthz,
  Readyz,
  Status,
  Metrics,
};

struct Route {
  RouteId id;
  base::Path path;
  Role role;
  std::string_view methods;  // as in http::Rule
  http::ErrorForm errors;    // also of nginx, instead of the pool
  Zones zones;
  Store store;
  Body body;
  std::string_view scopes;  // a token needs one of them; "any"; "": no token
  std::string_view about;
};

// A folder of files that nginx serves itself.
struct Files {
  base::Path path;
  std::string_view about;
};

// One of nginx's servers, by the setting that names its host.
struct Server {
  Hosts host;
  std::string_view name;
  std::string_view setting;
  std::string_view needs;  // the pools that its /readyz asks
  std::string_view about;
};

namespace rows {

namespace hosts = base::hosts;
namespace paths = base::paths;
using enum Store;
using http::ErrorForm;
using enum Body;
inline constexpr std::string_view kAny;  // the endpoint refuses
inline constexpr std::string_view kRead = "GET, HEAD";
inline constexpr std::string_view kShared = "GET, HEAD, OPTIONS";  // any page may read it
inline constexpr std::string_view kFromPages = "POST, OPTIONS";    // of public applications
inline constexpr std::string_view kForm = "GET, HEAD, POST";
inline constexpr std::string_view kEdited = "GET, HEAD, PUT, DELETE";
inline constexpr std::string_view kReplaced = "GET, HEAD, POST, PUT, DELETE";

// In the order of RouteId.
// clang-format off
inline constexpr auto kRoutes = std::to_array<Route>({
    // The embed pool.
    {RouteId::Oembed, paths::kOembed, Role::Embed, kShared, ErrorForm::ByFormat, kOembedZone, Needed, Form, "",
     "oEmbed, in JSON or by the parameter format"},
    {RouteId::OembedSlash, paths::kOembedSlash, Role::Embed, kShared, ErrorForm::ByFormat, kOembedZone, Needed, Form, "",
     "the same"},
    {RouteId::OembedJson, paths::kOembedJson, Role::Embed, kShared, ErrorForm::Json, kOembedZone, Needed, Form, "",
     "oEmbed in JSON"},
    {RouteId::OembedXml, paths::kOembedXml, Role::Embed, kShared, ErrorForm::Xml, kOembedZone, Needed, Form, "",
     "oEmbed in XML"},
    {RouteId::Manifest, paths::kManifest, Role::Embed, kShared, ErrorForm::Json, kEmbedZone, Needed, Form, "",
     "the HLS manifest of a media"},
    {RouteId::MediaData, paths::kMediaData, Role::Embed, kShared, ErrorForm::Json, kEmbedZone, Needed, Form, "",
     "the data of a media for the player"},
    {RouteId::CaptionsFile, paths::kCaptionsFile, Role::Embed, kShared, ErrorForm::Json, kEmbedZone, Needed, Form, "",
     "captions of a media as WebVTT, for the player"},
    {RouteId::Viewing, paths::kViewing, Role::Embed, "POST", ErrorForm::Json, kViewingZone, NotNeeded, Form, "",
     "what a player tells of a page view, for the statistics"},
    {RouteId::MediaFiles, paths::kMediaFiles, Role::Embed, kShared, ErrorForm::Json, kEmbedZone, Needed, Form, "",
     "404"},
    {RouteId::MediaFrame, paths::kMediaFrame, Role::Embed, kRead, ErrorForm::Frame, kEmbedZone, Needed, Form, "",
     "the player's page of a media, for frames"},
    {RouteId::PlaylistData, paths::kPlaylistData, Role::Embed, kShared, ErrorForm::Json, kEmbedZone, Needed, Form, "",
     "the data of a playlist for the player"},
    {RouteId::PlaylistFrame, paths::kPlaylistFrame, Role::Embed, kRead, ErrorForm::Frame, kEmbedZone, Needed, Form, "",
     "the player's page of a playlist, for frames"},
    {RouteId::MediaPage, paths::kMediaPage, Role::Embed, kRead, ErrorForm::PublicPage, kEmbedZone, Needed, Form, "",
     "the public page of a media, also for addresses below it"},
    {RouteId::ShortUrl, paths::kShortUrl, Role::Embed, kRead, ErrorForm::PublicPage, kEmbedZone, Needed, Form, "",
     "leads to the page of a media"},
    {RouteId::EmbedCodes, paths::kEmbedCodes, Role::Embed, kRead, ErrorForm::PublicPage, kEmbedZone, Needed, Form, "",
     "the page with the embed codes of a media or playlist"},
    {RouteId::Providers, paths::kProviders, Role::Embed, kShared, ErrorForm::Json, kUncounted, NotNeeded, Form, "",
     "this service for registries of oEmbed providers"},
    {RouteId::Robots, paths::kRobots, Role::Embed, kShared, ErrorForm::Json, kUncounted, NotNeeded, Form, "",
     "what crawlers may fetch"},
    {RouteId::SecurityText, paths::kSecurityText, Role::Embed, kShared, ErrorForm::Json, kUncounted, NotNeeded, Form, "",
     "the contact for reports of vulnerabilities"},
    {RouteId::Icon, paths::kIcon, Role::Embed, kRead, ErrorForm::Json, kUncounted, NotNeeded, Form, "",
     "the logo, which is also the icon of pages"},
    {RouteId::BrandStyle, paths::kBrandStyle, Role::Embed, kRead, ErrorForm::Json, kUncounted, NotNeeded, Form, "",
     "the accent colour of pages"},

    // The grant pool.
    {RouteId::Token, paths::kToken, Role::Grant, kFromPages, ErrorForm::Oauth, kTokenZone, Needed, Form, "",
     "exchanges a code or a refresh token for tokens"},
    {RouteId::Revoke, paths::kRevoke, Role::Grant, kFromPages, ErrorForm::Oauth, kTokenZone, Needed, Form, "",
     "revokes a token and its grant"},
    {RouteId::Introspect, paths::kIntrospect, Role::Grant, "POST", ErrorForm::Oauth, kIntrospectZone, Needed, Form, "",
     "the state of a token of the same application"},
    {RouteId::Metadata, paths::kMetadata, Role::Grant, kShared, ErrorForm::Json, kUncounted, Needed, Form, "",
     "the metadata of the authorization server"},
    {RouteId::Resource, paths::kResource, Role::Grant, kShared, ErrorForm::Json, kUncounted, NotNeeded, Form, "",
     "the metadata of the service as a protected resource"},
    {RouteId::ApiResource, paths::kApiResource, Role::Grant, kShared, ErrorForm::Json, kUncounted, NotNeeded, Form, "",
     "the metadata of the data API as a protected resource"},
    {RouteId::Media, paths::kMedia, Role::Grant, kEdited, ErrorForm::Api, kUncounted, Needed, Record,
     oauth::kSeeMedia.scopes, "a media of the token's account; PUT and DELETE need all:all"},
    {RouteId::MediaMove, paths::kMediaMove, Role::Grant, "PUT", ErrorForm::Api, kUncounted, Needed, Record,
     oauth::kEdit.scopes, "puts media into a project"},
    {RouteId::MediaSwap, paths::kMediaSwap, Role::Grant, "PUT", ErrorForm::Api, kUncounted, Needed, Record,
     oauth::kEdit.scopes, "replaces the files of a media by those of another media"},
    {RouteId::Customizations, paths::kCustomizations, Role::Grant, kReplaced, ErrorForm::Api, kUncounted, Needed, Record,
     oauth::kReadCatalog.scopes, "options of the player for a media; changes need all:all"},
    {RouteId::MediaChapters, paths::kMediaChapters, Role::Grant, kEdited, ErrorForm::Api, kUncounted, Needed, Record,
     oauth::kReadCatalog.scopes, "the chapters of a media; changes need all:all"},
    {RouteId::MediaList, paths::kMediaList, Role::Grant, kForm, ErrorForm::Api, kUploadZone, Needed, File, oauth::kReadCatalog.scopes,
     "the media of the token's account; POST uploads a file, which needs all:all or media:upload"},
    {RouteId::MediaLinks, paths::kMediaLinks, Role::Grant, "GET, HEAD, POST, DELETE", ErrorForm::Api, kUncounted, Needed, Record,
     oauth::kEdit.scopes, "the links to a private media; makes one, or ends all of them"},
    {RouteId::MediaLink, paths::kMediaLink, Role::Grant, "DELETE", ErrorForm::Api, kUncounted, Needed, Record,
     oauth::kEdit.scopes, "ends one of them"},
    {RouteId::MediaCaptions, paths::kMediaCaptions, Role::Grant, kForm, ErrorForm::Api, kTextZone, Needed, Captions,
     oauth::kReadCatalog.scopes, "the captions of a media; POST adds some, which needs all:all"},
    {RouteId::Captions, paths::kCaptions, Role::Grant, kEdited, ErrorForm::Api, kTextZone, Needed, Captions,
     oauth::kReadCatalog.scopes, "the captions of a media in a language; PUT and DELETE need all:all"},
    {RouteId::CaptionsList, paths::kCaptionsList, Role::Grant, kRead, ErrorForm::Api, kTextZone, Needed, Captions,
     oauth::kReadCatalog.scopes, "the captions of the token's account"},
    {RouteId::Projects, paths::kProjects, Role::Grant, kForm, ErrorForm::Api, kUncounted, Needed, Record,
     oauth::kReadCatalog.scopes, "the projects of the token's account; POST creates one, which needs all:all"},
    {RouteId::Project, paths::kProject, Role::Grant, kEdited, ErrorForm::Api, kUncounted, Needed, Record,
     oauth::kReadCatalog.scopes, "a project and its media; PUT and DELETE need all:all"},
    {RouteId::Account, paths::kAccount, Role::Grant, kRead, ErrorForm::Api, kUncounted, Needed, Form,
     "any", "the account that the token was granted for"},
    {RouteId::AccountStats, paths::kAccountStats, Role::Grant, kRead, ErrorForm::Api, kUncounted, Needed, Form,
     oauth::kReadStatistics.scopes, "how often the media of the token's account were watched"},
    {RouteId::AccountStatsByDate, paths::kAccountStatsByDate, Role::Grant, kRead, ErrorForm::Api, kUncounted, Needed, Form,
     oauth::kReadStatistics.scopes, "the same, on each day"},
    {RouteId::ProjectStats, paths::kProjectStats, Role::Grant, kRead, ErrorForm::Api, kUncounted, Needed, Form,
     oauth::kReadStatistics.scopes, "how often the media of a project were watched"},
    {RouteId::MediaStats, paths::kMediaStats, Role::Grant, kRead, ErrorForm::Api, kUncounted, Needed, Form,
     oauth::kReadStatistics.scopes, "how often a media was watched"},
    {RouteId::MediaStatsByDate, paths::kMediaStatsByDate, Role::Grant, kRead, ErrorForm::Api, kUncounted, Needed, Form,
     oauth::kReadStatistics.scopes, "the same, on each day"},
    {RouteId::MediaEngagement, paths::kMediaEngagement, Role::Grant, kRead, ErrorForm::Api, kUncounted, Needed, Form,
     oauth::kReadStatistics.scopes, "which parts of a media were watched"},
    {RouteId::StatsOfMedia, paths::kStatsOfMedia, Role::Grant, kRead, ErrorForm::Api, kUncounted, Needed, Form,
     oauth::kReadStatistics.scopes, "how often a media was watched, in percent"},
    {RouteId::AllowedDomains, paths::kAllowedDomains, Role::Grant, kForm, ErrorForm::Api, kUncounted, Needed, Record,
     oauth::kReadCatalog.scopes, "the sites that may show the account's films; POST adds one, which needs all:all"},
    {RouteId::AllowedDomain, paths::kAllowedDomain, Role::Grant, "GET, HEAD, DELETE", ErrorForm::Api, kUncounted, Needed, Form,
     oauth::kReadCatalog.scopes, "one of them; DELETE needs all:all"},
    {RouteId::OpenApi, paths::kOpenApi, Role::Grant, kShared, ErrorForm::Api, kUncounted, NotNeeded, Form, "",
     "the data API, described as OpenAPI 3.1"},
    {RouteId::UploadPermission, paths::kUploadPermission, Role::Grant, kAny, ErrorForm::Json, kUncounted, Needed, Form, oauth::kUploadMedia.scopes,
     "whether an application may upload, before its file is read"},
    {RouteId::UploadCommit, paths::kUploadCommit, Role::Grant, "POST", ErrorForm::Api, kUncounted, Needed, Form, "",
     "makes a media of the file that the upload pool has kept"},
    {RouteId::BodyPermission, paths::kBodyPermission, Role::Grant, kAny, ErrorForm::Json, kUncounted, Needed, Form, oauth::kEdit.scopes,
     "whether an application may send a long text, before it is read"},

    // The web pool.
    {RouteId::Home, paths::kHome, Role::Web, kRead, ErrorForm::Page, kUncounted, Needed, Form, "",
     "the start page"},
    {RouteId::Developers, paths::kDevelopers, Role::Web, kRead, ErrorForm::Page, kUncounted, NotNeeded, Form, "",
     "the first of the pages for developers"},
    {RouteId::DeveloperPages, paths::kDeveloperPages, Role::Web, kRead, ErrorForm::Page, kUncounted, NotNeeded, Form, "",
     "the others: embed codes, the player, oEmbed, the data API"},
    {RouteId::DeveloperOauth, paths::kDeveloperOauth, Role::Web, kRead, ErrorForm::Page, kUncounted, Needed, Form, "",
     "how to get a token, with the values of an application of the user"},
    {RouteId::Design, paths::kDesign, Role::Web, kRead, ErrorForm::Page, kUncounted, NotNeeded, Form, "",
     "in a demonstration: every part of the pages' design"},
    {RouteId::Login, paths::kLogin, Role::Web, kForm, ErrorForm::Page, kLoginZone, Needed, Form, "",
     "the login"},
    {RouteId::Logout, paths::kLogout, Role::Web, "POST", ErrorForm::Page, kUncounted, Needed, Form, "",
     "ends the session"},
    {RouteId::Authorize, paths::kAuthorize, Role::Web, kForm, ErrorForm::Page, kAuthorizeZone, Needed, Form, "",
     "the consent; the host of the API redirects to that of the web application"},
    {RouteId::Settings, paths::kSettings, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "the settings"},
    {RouteId::MyMedia, paths::kMyMedia, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "leads to the media of the user's account, or to a choice of one"},
    {RouteId::MyApplications, paths::kMyApplications, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "leads to the applications of the user's account, or to a choice of one"},
    {RouteId::Applications, paths::kApplications, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "the applications of an account"},
    {RouteId::Application, paths::kApplication, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "one of them, and its forms"},
    {RouteId::ApplicationSecret, paths::kApplicationSecret, Role::Web, kForm, ErrorForm::Page, kLoginZone | kSettingsZone, Needed, Form, "",
     "the secrets of an application; asks for the password"},
    {RouteId::NewSecret, paths::kNewSecret, Role::Web, kForm, ErrorForm::Page, kLoginZone | kSettingsZone, Needed, Form, "",
     "a second secret; asks for the password"},
    {RouteId::RetireSecret, paths::kRetireSecret, Role::Web, kForm, ErrorForm::Page, kLoginZone | kSettingsZone, Needed, Form, "",
     "the end of the first secret; asks for the password"},
    {RouteId::AccountConnected, paths::kAccountConnected, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "the applications that act for an account"},
    {RouteId::AccountTokens, paths::kAccountTokens, Role::Web, kForm, ErrorForm::Page, kLoginZone | kSettingsZone, Needed, Form, "",
     "the account tokens of an account; asks for the password"},
    {RouteId::AccountMedia, paths::kAccountMedia, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "the media of an account, and the form for uploads"},
    {RouteId::MediaSettings, paths::kMediaSettings, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "a media of an account, and its forms"},
    {RouteId::MediaLook, paths::kMediaLook, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "options of the player for a media"},
    {RouteId::MediaChaptersForm, paths::kMediaChaptersForm, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "the chapters of a media"},
    {RouteId::MediaPoster, paths::kMediaPoster, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "the poster of a media: an image, or a picture of the video"},
    {RouteId::MediaReplace, paths::kMediaReplace, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "replaces the files of a media by those of another media"},
    {RouteId::MediaStatsPage, paths::kMediaStatsPage, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "how often a media was watched"},
    {RouteId::LinksForms, paths::kLinksForms, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "makes and ends links to a private media"},
    {RouteId::CaptionsForms, paths::kCaptionsForms, Role::Web, kForm, ErrorForm::Page, kSettingsZone | kTextZone, Needed, Captions, "",
     "the captions of a media"},
    {RouteId::CaptionsForm, paths::kCaptionsForm, Role::Web, kForm, ErrorForm::Page, kSettingsZone | kTextZone, Needed, Captions, "",
     "those in a language, and their files"},
    {RouteId::AccountSites, paths::kAccountSites, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "the sites that may show the films of an account"},
    {RouteId::AccountStatsPage, paths::kAccountStatsPage, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "how often the media of an account were watched"},
    {RouteId::AccountProjects, paths::kAccountProjects, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "the projects of an account"},
    {RouteId::AccountProject, paths::kAccountProject, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "one of them, and its end"},
    {RouteId::UploadForm, paths::kUploadForm, Role::Web, kForm, ErrorForm::Page, kUploadZone | kSettingsZone, Needed, File, "",
     "uploads a file by a form; the web pool answers if it may not"},
    {RouteId::UploadPagePermission, paths::kUploadPagePermission, Role::Web, kAny, ErrorForm::Page, kUncounted, Needed, Form, "",
     "whether a form may send a file or a long text, before it is read"},
    {RouteId::UploadPageCommit, paths::kUploadPageCommit, Role::Web, "POST", ErrorForm::Page, kUncounted, Needed, Form, "",
     "makes a media of the file of a form that the upload pool has kept"},
    {RouteId::Connected, paths::kConnected, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "the applications that act for the user"},
    {RouteId::ConnectedForms, paths::kConnectedForms, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "one of them, and its end"},
    {RouteId::Security, paths::kSecurity, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "the sessions and the password"},
    {RouteId::SecurityForms, paths::kSecurityForms, Role::Web, kForm, ErrorForm::Page, kSettingsZone, Needed, Form, "",
     "their changes"},
    {RouteId::Password, paths::kPassword, Role::Web, kForm, ErrorForm::Page, kLoginZone | kSettingsZone, Needed, Form, "",
     "a new password; asks for the present one"},
    {RouteId::ChangePassword, paths::kChangePassword, Role::Web, kRead, ErrorForm::Json, kUncounted, NotNeeded, Form, "",
     "leads password managers to the form for a new password"},
    {RouteId::SecondFactor, paths::kSecondFactor, Role::Web, kForm, ErrorForm::Page, kLoginZone | kSettingsZone, Needed, Form, "",
     "the second factor; asks for the password"},
    {RouteId::SecondFactorForms, paths::kSecondFactorForms, Role::Web, kForm, ErrorForm::Page, kLoginZone | kSettingsZone, Needed, Form, "",
     "its changes; ask for the password"},
    {RouteId::NoSettings, paths::kNoSettings, Role::Web, kForm, ErrorForm::Page, kSettingsZone, NotNeeded, Form, "",
     "404"},

    // The upload pool. It has no store, but a file takes its turn as a request that needs one.
    {RouteId::Upload, paths::kUpload, Role::Upload, "POST", ErrorForm::Api, kUncounted, Needed, Form, "",
     "keeps a file that nginx has written"},

    // Each pool.
    {RouteId::Healthz, paths::kHealthz, Role::Each, kRead, ErrorForm::Json, kUncounted, NotNeeded, Form, "",
     "whether the process lives"},
    {RouteId::Readyz, paths::kReadyz, Role::Each, kRead, ErrorForm::Json, kUncounted, NotNeeded, Form, "",
     "whether its store answers"},
    {RouteId::Status, paths::kStatus, Role::Each, kRead, ErrorForm::Json, kUncounted, NotNeeded, Form, "",
     "the state of the pool, as JSON"},
    {RouteId::Metrics, paths::kMetrics, Role::Each, kRead, ErrorForm::Json, kUncounted, NotNeeded, Form, "",
     "the state of the pool, for Prometheus"},
});

// Routes whose responses nginx compresses for clients that ask for it. Compression reveals a secret
// to an attacker who makes a client send chosen text into the body beside it, many times, and sees
// the lengths (BREACH). Here none can: nginx passes no cookie with these requests, or the response
// is the same for everybody; and no page can make a browser send a token. Not here: pages with
// form tokens, tokens, and responses with a strong entity tag, which nginx would make weak, so that
// If-Match no longer fits (api-N6).
inline constexpr auto kCompressed = std::to_array<RouteId>({
    RouteId::Manifest,
    RouteId::MediaData,
    RouteId::CaptionsFile,
    RouteId::MediaFiles,
    RouteId::MediaFrame,
    RouteId::PlaylistData,
    RouteId::PlaylistFrame,
    RouteId::MediaPage,
    RouteId::ShortUrl,
    RouteId::EmbedCodes,
    RouteId::Metadata,
    RouteId::Resource,
    RouteId::ApiResource,
    RouteId::MediaList,
    RouteId::MediaCaptions,
    RouteId::CaptionsList,
    RouteId::Projects,
    RouteId::AccountStats,
    RouteId::AccountStatsByDate,
    RouteId::ProjectStats,
    RouteId::MediaStats,
    RouteId::MediaStatsByDate,
    RouteId::MediaEngagement,
    RouteId::AllowedDomains,
    RouteId::OpenApi,
    RouteId::Developers,
    RouteId::DeveloperPages,
});

inline constexpr auto kFiles = std::to_array<Files>({
    {paths::kPlayerFiles, "the player"},
    {paths::kAssets, "style and scripts of the pages"},
    {paths::kDeliveries, "clips of the demonstration"},
    {paths::kFiles, "what svc-ingest made from uploads"},
    {paths::kSignedFiles, "the same, also of guarded media, by signed addresses"},
});

inline constexpr auto kServers = std::to_array<Server>({
    {hosts::kApp, "app", "app-url", "web upload", "the web application: login, consent, settings, the page of embed codes"},
    {hosts::kApi, "api", "base-url", "grant upload", "the API: tokens, medias, uploads, the server's metadata"},
    {hosts::kOembed, "oembed", "oembed-url", "embed", "oEmbed, and the entry for registries of providers"},
    {hosts::kEmbed, "embed", "embed-host", "embed", "players, manifests, pages of media, and their files"},
});
// clang-format on

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < kRoutes.size(); ++i) {
    if (static_cast<std::size_t>(kRoutes.at(i).id) != i) return false;
  }
  return true;
}
static_assert(are_in_order(), "the rows are in the order of RouteId");
static_assert(static_cast<std::size_t>(RouteId::Metrics) + 1 == kRoutes.size());

}  // namespace rows

inline constexpr std::size_t kRoutes = rows::kRoutes.size();

// In the order of RouteId.
constexpr const auto& routes() { return rows::kRoutes; }
constexpr const Route& route(RouteId id) { return rows::kRoutes.at(static_cast<std::size_t>(id)); }
constexpr bool is_compressed(RouteId id) {
  return std::ranges::find(rows::kCompressed, id) != rows::kCompressed.end();
}
constexpr const auto& files() { return rows::kFiles; }
constexpr const auto& servers() { return rows::kServers; }

// A JSON object with an array of each, for scripts/derive-routes and tests.
std::string routes_json();

}  // namespace svc::app
