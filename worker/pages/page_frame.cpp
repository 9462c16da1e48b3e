#include "pages/page_frame.h"

#include <array>

#include "base/public_paths.h"
#include "base/settings_paths.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "text/words.h"

namespace svc::pages {
namespace {

namespace paths = base::paths;
using text::translatable;

std::string_view section_of(PageFrame::Shape shape) {
  switch (shape) {
    case PageFrame::Shape::Narrow: return "NARROW";
    case PageFrame::Shape::Settings: return "SETTINGS";
    case PageFrame::Shape::Tool: return "TOOL";
    case PageFrame::Shape::Manual: return "MANUAL";
    case PageFrame::Shape::Home: return "HOME";
  }
  return {};
}

struct SpotLink {
  Spot spot;
  std::string_view path;
  std::string_view name;
};
constexpr std::array kSpots{
    SpotLink{Spot::Media, paths::kMyMedia.pattern, translatable("Media")},
    SpotLink{Spot::EmbedCodes, paths::kEmbedCodes.pattern, translatable("Embed codes")},
    SpotLink{Spot::Applications, paths::kMyApplications.pattern, translatable("Applications")},
    SpotLink{Spot::Developers, paths::kDevelopers.pattern, translatable("Developers")}};
constexpr std::array kOwn{
    SpotLink{Spot::User, paths::kSettings.pattern, translatable("Settings")},
    SpotLink{Spot::User, paths::kConnected.pattern, translatable("Connected applications")},
    SpotLink{Spot::User, paths::kSecurity.pattern, translatable("Sessions and password")}};

std::string applications_of(std::string_view account) {
  return paths::kApplications.with(account) + "/applications";
}

std::string path_of(const SpotLink& link, std::string_view account) {
  if (!account.empty() && link.spot == Spot::Media) return paths::kAccountMedia.with(account);
  if (!account.empty() && link.spot == Spot::Applications) return applications_of(account);
  return std::string(link.path);
}

}  // namespace

Spot spot_of(const http::Request& request) {
  const std::string_view account = request.part("account");
  if (account.empty()) return Spot::User;
  const auto is_in = [&](const std::string& folder) {
    return request.path.starts_with(folder) &&
           (request.path.size() == folder.size() || request.path[folder.size()] == '/');
  };
  const bool of_applications = is_in(applications_of(account)) ||
                               is_in(paths::kAccountConnected.with(account)) ||
                               is_in(paths::kAccountTokens.with(account));
  return of_applications ? Spot::Applications : Spot::Media;
}

PageFrame::PageFrame(const embed::Site& site, Shape shape, std::string_view title,
                     std::string_view body_template, const Language& language, Server server,
                     const media::Owner* owner)
    : language_(language),
      app_(server == Server::Embed ? site.app_url : ""),
      files_(server == Server::Embed ? site.embed_host : ""),
      body_(frame_.include("BODY", body_template)) {
  frame_.show(section_of(shape))
      .set("TITLE", title)
      .set("LANGUAGE", language.tag())
      .set("DIRECTION", language.direction())
      .set("PRODUCT", site.provider_name)
      .set("OF_PRODUCT", " · " + site.provider_name)
      .set("APP", app_)
      .set("FILES", files_);
  if (owner == nullptr) {
    frame_.show("HOST");
  } else {
    Values brand = frame_.show_with("OWNER");
    brand.set("NAME", clipped(owner->name, kMaxShownName));
    if (!owner->logo.empty()) brand.show_with("LOGO").set("URL", site.absolute(owner->logo));
  }
  if (!site.accent_colour.empty() && (owner == nullptr || owner->colour.empty()))
    frame_.show("ACCENT");
  with_script("/assets/menu.js");
  const auto add = [&](const std::string& url, std::string_view name) {
    if (!url.empty())
      frame_.show_with("FOOT").set("URL", url).set("NAME", language.translate(name));
  };
  add(site.help_url, translatable("Help"));
  add(site.terms_url, translatable("Terms"));
  add(site.privacy_url, translatable("Privacy"));
}

http::Response PageFrame::respond(int status, const login::Visitor& visitor,
                                  std::string_view redirect_origin) const {
  return page_response(status, html(), visitor, redirect_origin)
      .with("Content-Language", language_.tag());
}

PageFrame& PageFrame::with_script(std::string_view path) {
  frame_.show_with("SCRIPT").set("PATH", files_ + std::string(path));
  return *this;
}

PageFrame& PageFrame::titled_alone() {
  frame_.set("OF_PRODUCT", "");
  return *this;
}

PageFrame& PageFrame::unlisted() {
  frame_.show("UNLISTED");
  return *this;
}

PageFrame& PageFrame::answers(const http::Request& request, std::string_view path) {
  if (request.method == "POST") frame_.include("FORM_ANSWER", "form_answer.tpl").set("PATH", path);
  return *this;
}

PageFrame& PageFrame::refresh_after(int seconds) {
  frame_.show_with("REFRESH").set("SECONDS", static_cast<long>(seconds));
  return *this;
}

void PageFrame::show_places(Values& places, Spot spot, const http::Request& request) const {
  const std::string_view account = request.part("account");
  for (const SpotLink& link : kSpots) {
    const std::string to = path_of(link, account);
    Values one = places.show_with("PLACE");
    one.set("PATH", app_ + to).set("NAME", language_.translate(link.name));
    if (to == request.path) {
      one.show("HERE");
    } else if (link.spot == spot) {
      one.show("WITHIN");
    }
  }
}

PageFrame& PageFrame::for_user(Spot spot, const http::Request& request, const User& user) {
  Values places = frame_.show_with("PLACES");
  show_places(places, spot, request);
  Values menu = places.show_with("USER");
  menu.set("CONTACT", user.name).set("EMAIL", user.email).set("LOGOUT_TOKEN", user.logout_token);
  for (const SpotLink& link : kOwn) {
    Values one = menu.show_with("OWN");
    one.set("PATH", app_ + std::string(link.path)).set("NAME", language_.translate(link.name));
    if (link.path == request.path) one.show("HERE");
  }
  return *this;
}

void PageFrame::show_visitor(Spot spot, const http::Request& request, std::string_view words) {
  Values places = frame_.show_with("PLACES");
  show_places(places, spot, request);
  places.show_with("VISITOR").set("WORDS", language_.translate(words)).set("APP", app_);
}

PageFrame& PageFrame::for_visitor(Spot spot, const http::Request& request) {
  show_visitor(spot, request, translatable("Log in"));
  return *this;
}

PageFrame& PageFrame::for_anyone(Spot spot, const http::Request& request) {
  show_visitor(spot, request, translatable("Settings"));
  return *this;
}

}  // namespace svc::pages
