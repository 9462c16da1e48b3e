#include "pages/brand.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/number.h"

namespace svc::pages {
namespace {

constexpr double kReadable = 4.5;  // WCAG 2.2, 1.4.3

struct Colour {
  std::array<double, 3> parts;  // 0 to 255
};

Colour parsed(std::string_view digits) {
  const auto number = base::parse_number<std::uint32_t>(digits, 0U, 0xffffffU, 16).value_or(0);
  return {{static_cast<double>(number >> 16), static_cast<double>(number >> 8 & 0xff),
           static_cast<double>(number & 0xff)}};
}

std::string to_text(const Colour& colour) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "#";
  for (const double part : colour.parts) {
    const auto value = static_cast<std::size_t>(std::lround(part));
    out += kDigits[value >> 4];
    out += kDigits[value & 0xf];
  }
  return out;
}

// WCAG 2.2, relative luminance.
double luminance(const Colour& colour) {
  constexpr std::array kWeights{0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (std::size_t i = 0; i < kWeights.size(); ++i) {
    const double part = std::round(colour.parts.at(i)) / 255;
    sum +=
        kWeights.at(i) * (part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double contrast(const Colour& a, const Colour& b) {
  const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
  return (lighter + 0.05) / (darker + 0.05);
}

constexpr Colour kBlack{{0, 0, 0}};
constexpr Colour kWhite{{255, 255, 255}};
// The grounds of links in site.css (--hover) that are closest to the links' colour.
constexpr Colour kLightGround{{0xec, 0xef, 0xf3}};
constexpr Colour kDarkGround{{0x24, 0x29, 0x33}};

// The colour, with as little of `other` as is readable on that ground.
Colour readable_on(const Colour& ground, const Colour& colour, const Colour& other) {
  constexpr int kSteps = 50;
  Colour mixed = colour;
  for (int step = 1; step <= kSteps && contrast(mixed, ground) < kReadable; ++step) {
    const double share = static_cast<double>(step) / kSteps;
    for (std::size_t i = 0; i < mixed.parts.size(); ++i)
      mixed.parts.at(i) = colour.parts.at(i) * (1 - share) + other.parts.at(i) * share;
  }
  return mixed;
}

}  // namespace

// Each colour has a contrast of at least the root of 21, 4.58, with black or with white.
Accent accent_of(std::string_view colour) {
  const Colour accent = parsed(colour);
  const bool on_white = contrast(accent, kWhite) >= contrast(accent, kBlack);
  return {to_text(accent), to_text(on_white ? kWhite : kBlack),
          to_text(readable_on(kLightGround, accent, kBlack)),
          to_text(readable_on(kDarkGround, accent, kWhite))};
}

std::string brand_css(std::string_view colour) {
  const Accent accent = accent_of(colour);
  const auto root = [&](const std::string& link) {
    return ":root { --accent: " + accent.fill + "; --accent-text: " + accent.text +
           "; --link: " + link + "; }\n";
  };
  return root(accent.link_light) + "@media (prefers-color-scheme: dark) {\n" +
         root(accent.link_dark) + "}\n";
}

std::string logo_svg(std::string_view colour) {
  const Accent accent = accent_of(colour.empty() ? kAccent : colour);
  return R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32"><rect width="32" height="32" rx="8" fill=")" +
         accent.fill +
         R"("/><path d="M12 9.2v13.6a.8.8 0 0 0 1.2.7l11-6.8a.8.8 0 0 0 0-1.4l-11-6.8a.8.8 0 0 0-1.2.7z" fill=")" +
         accent.text + R"("/></svg>)";
}

}  // namespace svc::pages
