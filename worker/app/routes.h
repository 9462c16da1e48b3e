// routes: every path that the pools answer, one row each. The router, the counters per endpoint,
// the lists of the tests and `svc-worker --print-routes` follow from it; from that nginx's
// locations, limits and error pages, and the tables of the documents (scripts/derive-routes).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "embed/site.h"
#include "http/refusal.h"

namespace svc::app {

// Which of nginx's servers have the path; a set. Internal: only nginx itself asks for it.
using Hosts = std::uint8_t;
inline constexpr Hosts kInternal = 0;
inline constexpr Hosts kApp = 1;
inline constexpr Hosts kApi = 2;
inline constexpr Hosts kOembed = 4;
inline constexpr Hosts kEmbed = 8;
inline constexpr Hosts kEveryHost = kApp | kApi | kOembed | kEmbed;

// Which pool answers it. Each: the pool that was asked, about itself.
enum class Role : std::uint8_t { Embed, Grant, Web, Upload, Each };

// Which zones of nginx/svc-limits-rates.conf count the path; a set. Of a path with a form they
// count only the POST.
using Zones = std::uint8_t;
inline constexpr Zones kUncounted = 0;
inline constexpr Zones kLoginZone = 1;
inline constexpr Zones kAuthorizeZone = 2;
inline constexpr Zones kSettingsZone = 4;
inline constexpr Zones kTokenZone = 8;
inline constexpr Zones kUploadZone = 16;
inline constexpr Zones kOembedZone = 32;
inline constexpr Zones kEmbedZone = 64;

// What a POST brings. File: nginx stores it, and asks the pool before whether it may.
enum class Body : std::uint8_t { Form, File };

enum class Store : std::uint8_t { Needed, NotNeeded };

// Requests or responses with passwords, codes or tokens: such a path is in no log.
enum class Carries : std::uint8_t { Nothing, Secret };

enum class RouteId : std::uint8_t {
  Oembed,
  OembedSlash,
  OembedJson,
  OembedXml,
  Manifest,
  MediaData,
  MediaFiles,
  MediaFrame,
  PlaylistData,
  PlaylistFrame,
  MediaPage,
  ShortUrl,
  EmbedCodes,
  Providers,
  Robots,
  Token,
  Revoke,
  Introspect,
  Metadata,
  Media,
  UploadRefused,
  UploadPermission,
  Home,
  Login,
  Logout,
  Authorize,
  Settings,
  Applications,
  ApplicationSecret,
  NewSecret,
  RetireSecret,
  AccountConnected,
  AccountMedia,
  UploadForm,
  UploadPagePermission,
  Connected,
  ConnectedForms,
  Security,
  SecurityForms,
  Password,
  NoSettings,
  Upload,
  Healthz,
  Readyz,
  Status,
  Metrics,
};
inline constexpr std::size_t kRoutes = 46;

struct Route {
  RouteId id;
  std::string_view pattern;  // http/router.h
  Hosts hosts;
  Role role;
  std::string_view methods;  // as in http::Rule
  http::ErrorForm errors;  // also of nginx, instead of the pool
  Zones zones;
  Store store;
  Carries carries;
  Body body;
  std::string_view scopes;  // a token needs one of them; "": no token
  std::string_view about;
};

// A folder of files that nginx serves itself.
struct Files {
  std::string_view pattern;
  Hosts hosts;
  std::string_view about;
};
inline constexpr std::size_t kFiles = 4;

// One of nginx's servers, by the setting that names its host.
struct Server {
  Hosts host;
  std::string_view name;
  std::string_view setting;
  std::string embed::Site::*url;
  std::string_view needs;  // the pools that its /readyz asks
  std::string_view about;
};
inline constexpr std::size_t kServers = 4;

// In the order of RouteId.
const std::array<Route, kRoutes>& routes();
const Route& route(RouteId id);

const std::array<Files, kFiles>& files();
const std::array<Server, kServers>& servers();

// A JSON object with an array of each, for scripts/derive-routes and tests.
std::string routes_json();

}  // namespace svc::app
