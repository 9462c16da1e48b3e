// The deprecated parts of the data API: one row each, at least 180 days before it ends.
//
// From a row follow the headers of its responses (http/deprecation.h), `deprecated` in
// `/v1/openapi.json`, and its line at `/developers/changelog`. To end a part: remove the row and
// the part together, after its sunset.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "app/routes.h"
#include "http/deprecation.h"

namespace svc::app {

inline constexpr std::array<http::Deprecation, 0> kDeprecations{};

constexpr std::span<const http::Deprecation> deprecations() { return kDeprecations; }

static_assert(std::ranges::all_of(deprecations(),
                                  [](const http::Deprecation& each) {
                                    return std::ranges::any_of(routes(), [&](const Route& route) {
                                      return route.path.pattern == each.pattern;
                                    });
                                  }),
              "a deprecated part has a path without a route");

}  // namespace svc::app
