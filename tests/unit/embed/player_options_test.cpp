#include "embed/player_options.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace svc::embed {
namespace {

TEST(PlayerOptions, OembedO1AcceptsFourFamiliesWithBrackets) {
  for (const std::string_view name :
       {"plugin[socialbar][on]", "plugin[a]", "plugin[a][b][c]", "plugin[post-roll][my_key.x]",
        "media_0_1[autoPlay]", "media_12_345[a]", "videoOptions[playerColor]"}) {
    EXPECT_TRUE(is_player_option(name)) << name;
  }
}

TEST(PlayerOptions, OembedO1DropsEverythingElse) {
  for (const std::string_view name : {"",
                                      "width",
                                      "height",
                                      "embedType",
                                      "handle",
                                      "popover",
                                      "url",
                                      "callback",
                                      "format",
                                      "_",
                                      "dnt",
                                      "version",
                                      "utm_source",
                                      "autoplay",
                                      "AUTOPLAY",
                                      "autoPlay ",
                                      " autoPlay",
                                      "autoPlay\"",
                                      "__proto__",
                                      "constructor",
                                      "autoPlay[x]",
                                      "onclick",
                                      "style",
                                      "class",
                                      "src",
                                      "plugin",
                                      "videoOptions",
                                      "plugin[]",
                                      "plugin[a",
                                      "plugin[a]b",
                                      "plugin]a[",
                                      "plugin[a][]",
                                      "plugin[a][b][c][d]",
                                      "plugin[a b]",
                                      "plugin[a\"b]",
                                      "plugin[<a>]",
                                      "plugin[a=b]",
                                      "plugin[[a]]",
                                      "plugins[a]",
                                      "xplugin[a]",
                                      "plugin[a]['x']",
                                      "Plugin[a]",
                                      "media_0_1",
                                      "media_0[a]",
                                      "media__1[a]",
                                      "media_0_[a]",
                                      "media_a_1[a]",
                                      "media_0_1_2[a]",
                                      "media_-1_0[a]",
                                      "videoOptions[é]"}) {
    EXPECT_FALSE(is_player_option(name)) << name;
  }
  EXPECT_TRUE(is_player_option("plugin[" + std::string(120, 'a') + "]"));
  EXPECT_FALSE(is_player_option("plugin[" + std::string(121, 'a') + "]"));
}

TEST(PlayerOptions, OembedO2AreSortedAndHoldEachNameOnce) {
  PlayerOptions options;
  EXPECT_TRUE(options.empty());
  options.add("wmode", "1");
  options.add("autoPlay", "true");
  options.add("plugin[a]", "x");
  options.add("autoPlay", "false");
  std::vector<std::string> words;
  for (const auto& [name, value] : options) words.push_back(name + "=" + value);
  EXPECT_EQ(words, (std::vector<std::string>{"autoPlay=true", "plugin[a]=x", "wmode=1"}));
}

TEST(PlayerOptions, CompareEqualInAnyOrder) {
  PlayerOptions one;
  one.add("a", "1");
  one.add("b", "2");
  PlayerOptions other;
  other.add("b", "2");
  other.add("a", "1");
  EXPECT_EQ(one, other);
  other.remove("a");
  EXPECT_FALSE(one == other);
}

TEST(PlayerOptions, DistinguishEmptyFromMissingValues) {
  PlayerOptions options;
  options.add("theme", "");
  EXPECT_NE(options.find("theme").data(), nullptr);
  EXPECT_EQ(options.find("theme"), "");
  EXPECT_EQ(options.find("time").data(), nullptr);
  options.remove("theme");
  EXPECT_EQ(options.find("theme").data(), nullptr);
  options.remove("theme");
}

}  // namespace
}  // namespace svc::embed
