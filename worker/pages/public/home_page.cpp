#include "pages/public/home_page.h"

#include <algorithm>
#include <optional>

#include "base/paths.h"
#include "pages/formatting.h"
#include "pages/page_response.h"
#include "pages/problem_page.h"
#include "pages/template.h"
#include "text/uri.h"

namespace svc::pages {
namespace {

// Removes the first word and the spaces around it from `text`, and returns it.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return word;
}

void show_demonstration(Values& values, const embed::Site& site) {
  if (site.demo_gallery.empty() && site.demo_users.empty()) return;
  Values demo = values.show_with("DEMO");
  if (!site.demo_gallery.empty()) demo.show_with("GALLERY").set("URL", site.demo_gallery + "/");
  if (site.demo_users.empty()) return;
  Values users = demo.show_with("USERS");
  for (std::string_view left = site.demo_users; !left.empty();) {
    Values user = users.show_with("USER");
    user.set("EMAIL", take_word(left));
    user.set("PASSWORD", take_word(left));
  }
}

}  // namespace

HomePage::HomePage(const embed::Site& site, login::Visitors& visitors, media::People& people)
    : site_(site),
      visitors_(visitors),
      people_(people),
      app_host_(text::host_header(site.app_url)) {}

loop::Task<http::Response> HomePage::answer(const http::Request& request) {
  if (request.host != app_host_) co_return see_other(site_.url(base::paths::kHome), {});
  const login::Visitor visitor = co_await visitors_.of(request);
  const std::optional<media::Contact> contact = co_await login::contact_of(visitor, people_);
  Values values;
  values.set("PRODUCT", site_.provider_name)
      .set("OEMBED",
           site_.url(base::paths::kOembed) + "?url=" + text::percent_encode(site_.media_page("ID")))
      .set("PROVIDERS", site_.url(base::paths::kProviders))
      .set("METADATA", site_.url(base::paths::kMetadata))
      .set("API", site_.url(base::paths::kMedia, "ID"));
  if (contact) {
    values.show_with("LOGGED_IN")
        .set("CONTACT", clipped(contact->name, kMaxShownName))
        .set("EMAIL", contact->email);
  } else {
    values.show("LOGGED_OUT");
  }
  show_demonstration(values, site_);
  co_return page_response(200, values.expand("home.tpl"), {});
}

}  // namespace svc::pages
