// paths: the path and the hosts of each route, once. The table of routes (app/routes.h) has their
// other properties; links of pages, embed codes and responses are made from these constants.
//
// Include it in .cpp files only: who reads one of its names compiles again with each new path.
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
inline constexpr Path kApi{"/v1", hosts::kApi};  // the folder of the data API
inline constexpr Path kMedia{"/v1/medias/{media}", hosts::kApi};
inline constexpr Path kMediaMove{"/v1/medias/move", hosts::kApi};
inline constexpr Path kMediaSwap{"/v1/medias/{media}/swap", hosts::kApi};
inline constexpr Path kCustomizations{"/v1/medias/{media}/customizations", hosts::kApi};
inline constexpr Path kMediaChapters{"/v1/medias/{media}/chapters", hosts::kApi};
inline constexpr Path kMediaLinks{"/v1/medias/{media}/links", hosts::kApi};
inline constexpr Path kMediaLink{"/v1/medias/{media}/links/{link}", hosts::kApi};
inline constexpr Path kMediaCaptions{"/v1/medias/{media}/captions", hosts::kApi};
inline constexpr Path kCaptions{"/v1/medias/{media}/captions/{language}", hosts::kApi};
inline constexpr Path kCaptionsList{"/v1/captions", hosts::kApi};
inline constexpr Path kMediaList{"/v1/medias", hosts::kApi};
inline constexpr Path kProjects{"/v1/projects", hosts::kApi};
inline constexpr Path kProject{"/v1/projects/{project}", hosts::kApi};
inline constexpr Path kAccount{"/v1/account", hosts::kApi};
inline constexpr Path kAccountStats{"/v1/stats/account", hosts::kApi};
inline constexpr Path kAccountStatsByDate{"/v1/stats/account/by_date", hosts::kApi};
inline constexpr Path kProjectStats{"/v1/stats/projects/{project}", hosts::kApi};
inline constexpr Path kMediaStats{"/v1/stats/medias/{media}", hosts::kApi};
inline constexpr Path kMediaStatsByDate{"/v1/stats/medias/{media}/by_date", hosts::kApi};
inline constexpr Path kMediaEngagement{"/v1/stats/medias/{media}/engagement", hosts::kApi};
inline constexpr Path kStatsOfMedia{"/v1/medias/{media}/stats", hosts::kApi};
inline constexpr Path kAllowedDomains{"/v1/allowed_domains", hosts::kApi};
inline constexpr Path kAllowedDomain{"/v1/allowed_domains/{domain}", hosts::kApi};
inline constexpr Path kOpenApi{"/v1/openapi.json", hosts::kApi};
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
inline constexpr Path kSettings{"/settings", hosts::kApp};
inline constexpr Path kMyMedia{"/settings/media", hosts::kApp};
inline constexpr Path kMyApplications{"/settings/applications", hosts::kApp};
inline constexpr Path kApplications{"/settings/accounts/{account}/**", hosts::kApp};
inline constexpr Path kApplication{"/settings/accounts/{account}/applications/{client}/**", hosts::kApp};
inline constexpr Path kApplicationSecret{"/settings/accounts/{account}/applications/{client}/secret", hosts::kApp};
inline constexpr Path kNewSecret{"/settings/accounts/{account}/applications/{client}/new-secret", hosts::kApp};
inline constexpr Path kRetireSecret{"/settings/accounts/{account}/applications/{client}/retire-secret", hosts::kApp};
inline constexpr Path kAccountConnected{"/settings/accounts/{account}/connected/**", hosts::kApp};
inline constexpr Path kAccountTokens{"/settings/accounts/{account}/tokens/**", hosts::kApp};
inline constexpr Path kAccountMedia{"/settings/accounts/{account}/media/**", hosts::kApp};
inline constexpr Path kMediaSettings{"/settings/accounts/{account}/media/{media}/**", hosts::kApp};
inline constexpr Path kMediaLook{"/settings/accounts/{account}/media/{media}/look", hosts::kApp};
inline constexpr Path kMediaChaptersForm{"/settings/accounts/{account}/media/{media}/chapters", hosts::kApp};
inline constexpr Path kMediaPoster{"/settings/accounts/{account}/media/{media}/poster", hosts::kApp};
inline constexpr Path kMediaReplace{"/settings/accounts/{account}/media/{media}/replace", hosts::kApp};
inline constexpr Path kMediaStatsPage{"/settings/accounts/{account}/media/{media}/stats", hosts::kApp};
inline constexpr Path kLinksForms{"/settings/accounts/{account}/media/{media}/links/**", hosts::kApp};
inline constexpr Path kCaptionsForms{"/settings/accounts/{account}/media/{media}/captions/**", hosts::kApp};
inline constexpr Path kCaptionsForm{"/settings/accounts/{account}/media/{media}/captions/{language}/**", hosts::kApp};
inline constexpr Path kAccountSites{"/settings/accounts/{account}/sites", hosts::kApp};
inline constexpr Path kAccountStatsPage{"/settings/accounts/{account}/stats", hosts::kApp};
inline constexpr Path kAccountProjects{"/settings/accounts/{account}/projects/**", hosts::kApp};
inline constexpr Path kAccountProject{"/settings/accounts/{account}/projects/{project}/**", hosts::kApp};
inline constexpr Path kUploadForm{"/settings/accounts/{account}/media/upload", hosts::kApp};
inline constexpr Path kUploadPagePermission{"/upload-permission/settings/accounts/{account}/**", hosts::kInternal};
inline constexpr Path kUploadPageCommit{"/upload-page-commit", hosts::kInternal};
inline constexpr Path kConnected{"/settings/connected", hosts::kApp};
inline constexpr Path kConnectedForms{"/settings/connected/*", hosts::kApp};
inline constexpr Path kSecurity{"/settings/security", hosts::kApp};
inline constexpr Path kSecurityForms{"/settings/security/*", hosts::kApp};
inline constexpr Path kPassword{"/settings/security/password", hosts::kApp};
inline constexpr Path kChangePassword{"/.well-known/change-password", hosts::kApp};
inline constexpr Path kSecondFactor{"/settings/second-factor", hosts::kApp};
inline constexpr Path kSecondFactorForms{"/settings/second-factor/*", hosts::kApp};
inline constexpr Path kNoSettings{"/settings/*", hosts::kApp};

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
