// PageFrame: the frame of all pages: the operator's logo and name, the places of the service and
// the user's menu in a bar, the page in a body template, and a foot.
//
// Pages of the embed pool are the same for all visitors, since they may be cached: their bar never
// names a user.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "embed/site.h"
#include "http/request.h"
#include "http/response.h"
#include "login/session.h"
#include "media/site_rules.h"
#include "pages/languages.h"
#include "pages/template.h"

namespace svc::pages {

// The place of the bar that a page belongs to.
enum class Spot : std::uint8_t { None, Media, EmbedCodes, Applications, Developers, User };

class PageFrame {
 public:
  // Narrow: one question or problem. Settings: sections below each other. Tool: a form next to
  // its result. Manual: long text. Home: the start page.
  enum class Shape : std::uint8_t { Narrow, Settings, Tool, Manual, Home };
  // The pool that answers. Pages of the embed pool may be on another host than the assets, the
  // settings and the login: their links are absolute.
  enum class Server : std::uint8_t { Web, Embed };

  // The window's title is "title · product". `site` must outlive the constructor only.
  // Languages outlive the page. A page of `owner` has its name, logo and colour instead of those of
  // the service.
  PageFrame(const embed::Site& site, Shape shape, std::string_view title,
            std::string_view body_template, const Language& language = english(),
            Server server = Server::Web, const media::Owner* owner = nullptr);

  Values& body() { return body_; }
  // Elements of the head, from that template.
  Values head(std::string_view file) { return frame_.include("HEAD", file); }
  // A script of the assets, e.g. /assets/copy.js; the page must work without it.
  PageFrame& with_script(std::string_view path);
  // The window's title is the title alone: previews of a link show it.
  PageFrame& titled_alone();
  // Search engines leave the page out.
  PageFrame& unlisted();
  // If the request is a form, a browser that loads the page again or comes back to it opens `path`,
  // a path of this service, instead.
  PageFrame& answers(const http::Request& request, std::string_view path);
  // Without scripts, the browser loads the page again after that many seconds.
  PageFrame& refresh_after(int seconds);

  // The bar has the places, and one of these. A place with the path of the request is the current
  // page, and of `spot` the page is a part. Media and applications are those of the account in the
  // path, if it has one.
  struct User {
    std::string_view name;
    std::string_view email;
    std::string_view logout_token;
  };
  PageFrame& for_user(Spot spot, const http::Request& request, const User& user);
  PageFrame& for_visitor(Spot spot, const http::Request& request);
  // It is not known whether the visitor is logged in.
  PageFrame& for_anyone(Spot spot, const http::Request& request);

  std::string html() const { return frame_.expand("page_frame.tpl", &language_); }
  // As page_response(), with the page's language.
  http::Response respond(int status, const login::Visitor& visitor,
                         std::string_view redirect_origin = "") const;

 private:
  void show_places(Values& places, Spot spot, const http::Request& request) const;
  void show_visitor(Spot spot, const http::Request& request, std::string_view words);

  const Language& language_;
  const std::string app_;    // before paths of pages; "": the same host
  const std::string files_;  // before paths of assets; "": the same host
  Values frame_;
  Values body_;
};

// The spot of a page of the settings.
Spot spot_of(const http::Request& request);

}  // namespace svc::pages
