// version: the output of --version, and of `svcctl version --changes`; both from
// systemd/debian/changelog.
#pragma once

#include <string_view>

namespace svc::app {

inline constexpr std::string_view kVersion = SVC_VERSION;

// The changes of each version for operators and clients, newest version first.
std::string_view changes();

}  // namespace svc::app
