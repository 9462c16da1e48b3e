// api_paths: the paths of base/paths.h, those of the data API.
#pragma once

#include "base/path.h"

namespace svc::base {

// clang-format off
namespace paths {
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
}  // namespace paths
// clang-format on

}  // namespace svc::base
