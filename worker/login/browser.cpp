#include "login/browser.h"

#include <algorithm>
#include <array>
#include <span>

namespace svc::login {
namespace {

struct Known {
  std::string_view part;  // part of the header
  std::string_view name;
};

// In this order: browsers name those that they are compatible with, too. Chromium names Safari, and
// all browsers that are built on it name Chrome.
constexpr std::array<Known, 14> kBrowsers{{{"Edg/", "Edge"},
                                           {"EdgA/", "Edge"},
                                           {"EdgiOS/", "Edge"},
                                           {"OPR/", "Opera"},
                                           {"SamsungBrowser/", "Samsung Internet"},
                                           {"Vivaldi/", "Vivaldi"},
                                           {"FxiOS/", "Firefox"},
                                           {"Firefox/", "Firefox"},
                                           {"CriOS/", "Chrome"},
                                           {"Chromium/", "Chrome"},
                                           {"Chrome/", "Chrome"},
                                           {"Safari/", "Safari"},
                                           {"curl/", "curl"},
                                           {"Trident/", "Internet Explorer"}}};

// Also in order: Android names Linux, and iOS names Mac OS X.
constexpr std::array<Known, 9> kSystems{{{"Android", "Android"},
                                         {"iPhone", "iOS"},
                                         {"iPad", "iPadOS"},
                                         {"iPod", "iOS"},
                                         {"CrOS", "ChromeOS"},
                                         {"Windows", "Windows"},
                                         {"Mac OS X", "macOS"},
                                         {"Macintosh", "macOS"},
                                         {"Linux", "Linux"}}};

std::string_view find_in(std::span<const Known> known, std::string_view user_agent) {
  const auto found = std::ranges::find_if(
      known, [&](const Known& one) { return user_agent.find(one.part) != std::string_view::npos; });
  return found == known.end() ? std::string_view() : found->name;
}

}  // namespace

std::string browser_of(std::string_view user_agent) {
  const std::string_view browser = find_in(kBrowsers, user_agent);
  const std::string_view system = find_in(kSystems, user_agent);
  std::string out(browser.empty() ? "Unknown browser" : browser);
  if (system.empty()) return browser.empty() ? out : out + " on an unknown system";
  return (out += " on ") += system;
}

}  // namespace svc::login
