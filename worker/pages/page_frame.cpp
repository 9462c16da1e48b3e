#include "pages/page_frame.h"

#include <array>

#include "base/paths.h"
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

constexpr std::string_view kAccounts = paths::kApplications.before();

// /settings/accounts/1001/media/… → 1001; "": a path without an account.
std::string_view account_in(std::string_view path) {
  if (!path.starts_with(kAccounts)) return {};
  path.remove_prefix(kAccounts.size());
  return path.substr(0, path.find('/'));
}

std::string path_of(const SpotLink& link, std::string_view account) {
  if (!account.empty() && link.spot == Spot::Media) return paths::kAccountMedia.with(account);
  if (!account.empty() && link.spot == Spot::Applications)
    return paths::kApplications.with(account) + "/applications";
  return std::string(link.path);
}

}  // namespace

Spot spot_of(std::string_view path) {
  const std::string_view account = account_in(path);
  if (account.empty()) return Spot::User;
  std::string_view rest = path.substr(kAccounts.size() + account.size());
  rest = rest.substr(0, rest.find('/', 1));
  const bool of_applications = rest == "/applications" || rest == "/connected" || rest == "/tokens";
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

void PageFrame::show_places(Values& places, Spot spot, std::string_view path) const {
  const std::string_view account = account_in(path);
  for (const SpotLink& link : kSpots) {
    const std::string to = path_of(link, account);
    Values one = places.show_with("PLACE");
    one.set("PATH", app_ + to).set("NAME", language_.translate(link.name));
    if (to == path) {
      one.show("HERE");
    } else if (link.spot == spot) {
      one.show("WITHIN");
    }
  }
}

PageFrame& PageFrame::for_user(Spot spot, std::string_view path, const User& user) {
  Values places = frame_.show_with("PLACES");
  show_places(places, spot, path);
  Values menu = places.show_with("USER");
  menu.set("CONTACT", user.name).set("EMAIL", user.email).set("LOGOUT_TOKEN", user.logout_token);
  for (const SpotLink& link : kOwn) {
    Values one = menu.show_with("OWN");
    one.set("PATH", app_ + std::string(link.path)).set("NAME", language_.translate(link.name));
    if (link.path == path) one.show("HERE");
  }
  return *this;
}

void PageFrame::show_visitor(Spot spot, std::string_view path, std::string_view words) {
  Values places = frame_.show_with("PLACES");
  show_places(places, spot, path);
  places.show_with("VISITOR").set("WORDS", language_.translate(words)).set("APP", app_);
}

PageFrame& PageFrame::for_visitor(Spot spot, std::string_view path) {
  show_visitor(spot, path, translatable("Log in"));
  return *this;
}

PageFrame& PageFrame::for_anyone(Spot spot, std::string_view path) {
  show_visitor(spot, path, translatable("Settings"));
  return *this;
}

}  // namespace svc::pages
