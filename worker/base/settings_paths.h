// settings_paths: the paths of base/paths.h, those of the settings.
#pragma once

#include "base/path.h"

namespace svc::base {

// clang-format off
namespace paths {
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
inline constexpr Path kSecondFactor{"/settings/second-factor", hosts::kApp};
inline constexpr Path kSecondFactorForms{"/settings/second-factor/*", hosts::kApp};
inline constexpr Path kNoSettings{"/settings/*", hosts::kApp};
}  // namespace paths
// clang-format on

}  // namespace svc::base
