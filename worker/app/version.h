// version: what --version says; CMakeLists.txt has the number.
#pragma once

#include <string_view>

namespace svc::app {

inline constexpr std::string_view kVersion = SVC_VERSION;

}  // namespace svc::app
