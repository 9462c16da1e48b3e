// routes: every path that the pools answer, one row each. The router, the counters per endpoint,
// the lists of the tests and `svc-worker --print-routes` follow from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/refusal.h"

namespace svc::app {

// Which of nginx's servers has the path; a set. Internal: only nginx itself asks for it.
enum Host : std::uint8_t { kInternal = 0, kApp = 1, kApi = 2, kOembed = 4, kEmbed = 8 };
inline constexpr std::uint8_t kEveryHost = kApp | kApi | kOembed | kEmbed;

// Which pool answers it. Each: the pool that was asked, about itself.
enum class Role : std::uint8_t { Embed, Grant, Web, Upload, Each };

// Which zone of nginx/svc-limits-rates.conf counts the path.
enum class Zone : std::uint8_t { None, Login, Authorize, Settings, Token, Upload, Oembed, Embed };

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
  AccountConnected,
  AccountMedia,
  UploadPagePermission,
  Connected,
  ConnectedForms,
  Security,
  SecurityForms,
  NoSettings,
  Upload,
  Healthz,
  Readyz,
  Status,
  Metrics,
};
inline constexpr std::size_t kRoutes = 41;

struct Route {
  RouteId id;
  std::string_view pattern;  // http/router.h
  std::uint8_t hosts;
  Role role;
  std::string_view methods;  // as in http::Rule
  http::ErrorForm errors;    // also of nginx, instead of the pool
  Zone zone;
  Store store;
  Carries carries;
  std::string_view scopes;  // a token needs one of them; "": no token
  std::string_view about;
};

// In the order of RouteId.
const std::array<Route, kRoutes>& routes();
const Route& route(RouteId id);

// A JSON array with an object per row, for tests and documents.
std::string routes_json();

}  // namespace svc::app
