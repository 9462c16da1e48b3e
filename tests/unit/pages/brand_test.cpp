#include "pages/brand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>

#include "base/number.h"

namespace svc::pages {
namespace {

double part_of(const std::string& colour, std::size_t at) {
  const double part = base::parse_number<int>(colour.substr(at, 2), 0, 255, 16).value() / 255.0;
  return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
}
double contrast_of(const std::string& a, const std::string& b) {
  const auto luminance = [](const std::string& colour) {
    return 0.2126 * part_of(colour, 1) + 0.7152 * part_of(colour, 3) + 0.0722 * part_of(colour, 5);
  };
  const double one = luminance(a) + 0.05;
  const double other = luminance(b) + 0.05;
  return one > other ? one / other : other / one;
}

TEST(Brand, DerivesReadableColoursFromAnyColour) {
  for (const char* colour : {"000000", "ffffff", "ffd400", "1456c4", "777777", "ff0000", "00ff00",
                             "0000ff", "8a8a00", "f6f7f9", "101217"}) {
    SCOPED_TRACE(colour);
    const Accent accent = accent_of(colour);
    EXPECT_EQ(accent.fill, "#" + std::string(colour));
    EXPECT_GE(contrast_of(accent.fill, accent.text), 4.5);
    for (const char* light : {"#ffffff", "#f6f7f9", "#eceff3"})
      EXPECT_GE(contrast_of(accent.link_light, light), 4.5) << light;
    for (const char* dark : {"#101217", "#181b22", "#242933"})
      EXPECT_GE(contrast_of(accent.link_dark, dark), 4.5) << dark;
  }
}

TEST(Brand, TheStyleSheetHasTheColoursOfTheOwnAccent) {
  std::ifstream file(SVC_SOURCE_DIR "/worker/pages/assets/site.css");
  const std::string css{std::istreambuf_iterator<char>(file), {}};
  const Accent accent = accent_of(kAccent);
  for (const std::string& link : {accent.link_light, accent.link_dark}) {
    const std::string line =
        "--accent: " + accent.fill + "; --accent-text: " + accent.text + "; --link: " + link + ";";
    EXPECT_NE(css.find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace svc::pages
