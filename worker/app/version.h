// version: the output of --version. CMakeLists.txt contains the number.
#pragma once

#include <string_view>

namespace svc::app {

inline constexpr std::string_view kVersion = SVC_VERSION;

}  // namespace svc::app
