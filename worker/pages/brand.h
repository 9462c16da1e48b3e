// brand: an operator's accent colour on our pages, and the logo that a service has without
// logo-file.
#pragma once

#include <string>
#include <string_view>

namespace svc::pages {

// Six hexadecimal digits.
inline constexpr std::string_view kAccent = "1456c4";

// The colours that follow from an accent colour, as in a style sheet, such as #1456c4.
struct Accent {
  std::string fill;        // the primary button: the colour itself
  std::string text;        // on it: black or white, with a contrast of at least 4.5:1
  std::string link_light;  // the colour, as dark as links on a light ground have to be for 4.5:1
  std::string link_dark;   // the same, as light as on a dark ground
};
// `colour` is six hexadecimal digits.
Accent accent_of(std::string_view colour);

// A style sheet, to be loaded after site.css. `colour` as above.
std::string brand_css(std::string_view colour);

// The logo, as SVG. `colour` as above; empty: kAccent.
std::string logo_svg(std::string_view colour);

}  // namespace svc::pages
