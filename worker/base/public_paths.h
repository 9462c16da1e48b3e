// public_paths: the paths of base/paths.h, those that are neither of the data API nor of
// the settings.
#pragma once

#include "base/path.h"

namespace svc::base {

// clang-format off
namespace paths {
inline constexpr Path kOembed{"/oembed", hosts::kOembed};
inline constexpr Path kOembedSlash{"/oembed/", hosts::kOembed};
inline constexpr Path kOembedJson{"/oembed.json", hosts::kOembed};
inline constexpr Path kOembedXml{"/oembed.xml", hosts::kOembed};
inline constexpr Path kManifest{"/embed/medias/{media}.m3u8", hosts::kEmbed};
inline constexpr Path kMediaData{"/embed/medias/{media}.json", hosts::kEmbed};
inline constexpr Path kCaptionsFile{"/embed/medias/{media}/captions/{language}.vtt", hosts::kEmbed};
inline constexpr Path kViewing{"/embed/medias/{media}/viewing", hosts::kEmbed};
inline constexpr Path kMediaFiles{"/embed/medias/*", hosts::kEmbed};
inline constexpr Path kMediaFrame{"/embed/iframe/*", hosts::kEmbed};
inline constexpr Path kPlaylistData{"/embed/playlists/{playlist}.json", hosts::kEmbed};
inline constexpr Path kPlaylistFrame{"/embed/playlists/*", hosts::kEmbed};
inline constexpr Path kMediaPage{"/medias/*", hosts::kEmbed};
inline constexpr Path kShortUrl{"/m/*", hosts::kEmbed};
inline constexpr Path kEmbedCodes{"/embed-codes", hosts::kApp};
inline constexpr Path kProviders{"/providers.json", hosts::kOembed};
inline constexpr Path kRobots{"/robots.txt", hosts::kEvery};
inline constexpr Path kSecurityText{"/.well-known/security.txt", hosts::kEvery};
inline constexpr Path kIcon{"/favicon.ico", hosts::kEvery};
inline constexpr Path kBrandStyle{"/brand.css", hosts::kApp | hosts::kEmbed};
inline constexpr Path kToken{"/oauth/token", hosts::kApi};
inline constexpr Path kRevoke{"/oauth/revoke", hosts::kApi};
inline constexpr Path kIntrospect{"/oauth/introspect", hosts::kApi};
inline constexpr Path kMetadata{"/.well-known/oauth-authorization-server", hosts::kApi};
inline constexpr Path kResource{"/.well-known/oauth-protected-resource", hosts::kApi};
inline constexpr Path kApiResource{"/.well-known/oauth-protected-resource/v1", hosts::kApi};
inline constexpr Path kUploadPermission{"/upload-permission", hosts::kInternal};
inline constexpr Path kUploadCommit{"/upload-commit", hosts::kInternal};
inline constexpr Path kBodyPermission{"/body-permission", hosts::kInternal};
inline constexpr Path kHome{"/", hosts::kApp};
inline constexpr Path kDevelopers{"/developers", hosts::kApp};
inline constexpr Path kDeveloperPages{"/developers/*", hosts::kApp};
inline constexpr Path kDeveloperOauth{"/developers/oauth", hosts::kApp};
inline constexpr Path kDesign{"/design", hosts::kApp};
inline constexpr Path kLogin{"/login", hosts::kApp};
inline constexpr Path kLogout{"/logout", hosts::kApp};
inline constexpr Path kAuthorize{"/oauth/authorize", hosts::kApp | hosts::kApi};
inline constexpr Path kChangePassword{"/.well-known/change-password", hosts::kApp};
inline constexpr Path kUpload{"/upload", hosts::kInternal};
inline constexpr Path kHealthz{"/healthz", hosts::kEvery};
inline constexpr Path kReadyz{"/readyz", hosts::kEvery};
inline constexpr Path kStatus{"/status", hosts::kInternal};
inline constexpr Path kMetrics{"/metrics", hosts::kInternal};
// Folders of files that nginx serves itself.
inline constexpr Path kPlayerFiles{"/assets/external/*", hosts::kEmbed};
inline constexpr Path kPlayerElement{"/assets/player.js", hosts::kEmbed};
inline constexpr Path kAssets{"/assets/*", hosts::kApp | hosts::kEmbed};
inline constexpr Path kDeliveries{"/deliveries/*", hosts::kEmbed};
inline constexpr Path kFiles{"/files/*", hosts::kEmbed};
inline constexpr Path kSignedFiles{"/signed-files/*", hosts::kEmbed};
}  // namespace paths
// clang-format on

}  // namespace svc::base
