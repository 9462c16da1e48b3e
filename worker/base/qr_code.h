// qr_code: a QR code (ISO/IEC 18004) as a picture for a page.
#pragma once

#include <optional>
#include <string>

namespace svc::base {

// Returns an SVG element with the margin that readers need. `name` is its name for screen readers,
// without characters that HTML escapes. Returns nullopt if the text is too long for a code.
std::optional<std::string> qr_code_svg(const std::string& text, const std::string& name);

}  // namespace svc::base
