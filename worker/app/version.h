// version: the output of --version, and of `svcctl version --changes`; both from
// systemd/debian/changelog.
#pragma once

#include <string_view>

namespace svc::app {

inline constexpr std::string_view kVersion = SVC_VERSION;

// What is new for operators and clients in each version, the newest first.
std::string_view changes();

}  // namespace svc::app
